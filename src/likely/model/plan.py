"""What is counted, and how: columns, likelihoods, readings, the spelling of missing cells.

Tallies of one plan add up, wherever they were counted. A plan rests on a sample of the rows; once
it is made, it is a value with bytes of its own, which other machines can be given.
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
    """The likelihood of each column, settled; and where the labels are.

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
    """The column that has the labels; or those of 0 and 1, with commas between."""
    separator: str | None = None
    """What stands between labels in a cell that may hold several."""
    column_roles: tuple[tuple[str, ColumnRole], ...] = ()
    """What each column was taken for, and why, if it was not given."""
    tunes: bool = True
    """Whether `fit` tunes a model of this plan, unless it is told otherwise."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are counted."""
        return self.product.columns

    @property
    def schema(self) -> dict[str, Any]:
        """What tallies must agree on to add up."""
        return {**self.product.schema, "ledger": self.ledger.name}

    def to_json(self) -> dict[str, Any]:
        """The plan but for its schema."""
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
        """The plan as JSON, written in one way only; the secret of a ledger is not in it."""
        column_roles = [[name, *astuple(role)] for name, role in self.column_roles]
        more = {"choices": column_roles, "tune": self.tunes}
        found = {"plan": FORMAT, "schema": self.schema, **self.to_json(), **more}
        return container.canonical(found).encode() + b"\n"

    @classmethod
    def from_bytes(cls, data: bytes, secret: bytes | None = None) -> "Plan":
        """The plan that was written like this; what no plan is written like is refused."""
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
            raise ModelError("the columns that the plan speaks of have no names of their own")
        if type(stored["tune"]) is not bool:
            raise ModelError("the plan does not say whether a model is tuned")
        return replace(plan, column_roles=column_roles, tunes=stored["tune"])
