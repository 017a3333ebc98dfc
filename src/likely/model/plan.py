"""A plan: what is counted, and how. Columns, likelihoods, texts, missing cells.

Tallies of one plan add up, wherever they were counted. A plan is made from a sample of the rows; it
can be written to a file and sent to other machines.
"""

from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from typing import Any

from likely.data.columns import ColumnRole
from likely.data.label_sets import checked_separator
from likely.errors import NONSENSE, LikelyError, ModelError
from likely.likelihoods import restore
from likely.likelihoods.product import Product
from likely.tally import container
from likely.tally.ledger import Ledger
from likely.text import of_today

FORMAT = 1


@dataclass(frozen=True)
class Plan:
    """The likelihood of each column, and the column of the labels.

    >>> import likely
    >>> plan = likely.Classifier().plan({"text": ["buy", "see you"], "y": ["spam", "ham"]}, "y")
    >>> plan.columns
    ('text',)
    >>> likely.Plan.from_bytes(plan.to_bytes()) == plan
    True
    """

    product: Product
    ledger: Ledger
    target: str | None = None
    """The column of the labels; or the indicator columns, with commas between."""
    separator: str | None = None
    """The separator between labels in a cell, if cells are multi-label."""
    column_roles: tuple[tuple[str, ColumnRole], ...] = ()
    """The role of each column, and why, if it was not given."""
    tunes: bool = True
    """Whether `fit` tunes a model of this plan by default."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are counted."""
        return self.product.columns

    @property
    def schema(self) -> dict[str, Any]:
        """What tallies must agree on to add up."""
        return {**self.product.schema, "ledger": self.ledger.name}

    def to_json(self) -> dict[str, Any]:
        """The plan without its schema."""
        return {
            "likelihoods": self.product.settings,
            "separator": self.separator,
            "target": self.target,
        }

    @classmethod
    def from_json(
        cls, schema: Mapping[str, Any], stored: Mapping[str, Any], secret: bytes | None = None
    ) -> "Plan":
        product = restore(dict(schema), stored["likelihoods"])
        target = stored["target"]
        if target is not None and not isinstance(target, str):
            raise ModelError("its target is no name")
        ledger = Ledger.named(schema["ledger"], secret)
        return cls(product, ledger, target, checked_separator(stored["separator"]))

    def to_bytes(self) -> bytes:
        """The plan as canonical JSON, without the secret of a ledger."""
        column_roles = [[name, *astuple(role)] for name, role in self.column_roles]
        more = {"choices": column_roles, "tune": self.tunes}
        found = {"plan": FORMAT, "schema": self.schema, **self.to_json(), **more}
        return container.canonical(found).encode() + b"\n"

    @classmethod
    def from_bytes(cls, data: bytes, secret: bytes | None = None) -> "Plan":
        """Read a plan; bytes that Likely would not write are refused."""
        stored = container.parsed(data)
        if not isinstance(stored, dict) or "plan" not in stored:
            raise ModelError("it is no plan\nhint: `likely plan DATA -o plan.json` writes one")
        if type(stored["plan"]) is not int:
            raise ModelError("it is no plan: it does not name its format")
        if stored["plan"] != FORMAT:
            raise ModelError(
                f"it is a plan of format {stored['plan']}; this version of Likely reads {FORMAT}"
            )
        try:
            plan = cls._restored(stored, secret)
            written = container.canonical(container.parsed(plan.to_bytes()))
            same = written == container.canonical(stored)
            schema = stored["schema"]
            today = {**schema, "factors": [of_today(factor) for factor in schema["factors"]]}
            is_of_today = today == schema
        except ModelError:
            raise
        except (LikelyError, *NONSENSE) as error:
            raise ModelError(f"the plan makes no sense: {error}") from error
        if not is_of_today:
            raise ModelError(
                "the plan was made under another version of Unicode, or of what stems rest on, so "
                "texts might be counted differently\nhint: make the plan anew"
            )
        if not same:
            raise ModelError("the plan is not written the way Likely writes it")
        return plan

    @classmethod
    def _restored(cls, stored: Mapping[str, Any], secret: bytes | None) -> "Plan":
        plan = cls.from_json(stored["schema"], stored, secret)
        column_roles = tuple((name, ColumnRole.checked(*role)) for name, *role in stored["choices"])
        names = [name for name, _ in column_roles]
        if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
            raise ModelError("the columns of the plan are not all distinct names")
        if type(stored["tune"]) is not bool:
            raise ModelError("the plan does not say whether a model is tuned")
        return replace(plan, column_roles=column_roles, tunes=stored["tune"])
