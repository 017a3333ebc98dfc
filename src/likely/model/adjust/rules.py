"""Rules that take precedence over a model: which rows they decide, and how."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.columns import nearest
from likely.data.labels import Label, find_label
from likely.data.table import Table
from likely.errors import OptionError
from likely.likelihoods.product import Product
from likely.rules import Fires, Rule, Rules

Array = NDArray[np.float64]
Places = NDArray[np.intp]


def checked_rules(rules: Any) -> Rules | None:
    """Rules, or none; anything else is refused."""
    if not isinstance(rules, (Rules, type(None))):
        raise OptionError(f'`rules` are, for example, `Rules.read("rules.toml")`, not {rules!r}')
    return rules


def check_ruled(rules: Rules | None, product: Product) -> None:
    if rules is not None and product.is_multilabel:
        raise OptionError("rules give a row one label, so they go with rows that have one")


def all_columns(rules: Rules | None, product: Product) -> tuple[str, ...]:
    """The columns of a product, then those that only rules read."""
    more = [name for name in rules.columns if name not in product.columns] if rules else []
    return (*product.columns, *more)


def firing(rules: Rules | None, product: Product, table: Table, threads: int) -> Places:
    """The place of the rule that decides each row, −1 where none fires."""
    if rules is None:
        return np.full(len(table), -1)
    first, _ = _match(rules, product, table, threads)
    return first.astype(np.intp)


def own_rules(rules: Rules | None, classes: tuple[Label, ...]) -> list[Rule]:
    """The rules with their labels as the model has them; a rule may spell one in another kind."""
    given = rules.rules if rules else ()
    places = ruled_classes(rules, classes)[:-1]
    return [replace(rule, label=classes[place]) for rule, place in zip(given, places, strict=True)]


def fired(
    rules: Rules | None, classes: tuple[Label, ...], product: Product, row: Table
) -> tuple[Rule, ...]:
    """All rules that fire on a row, in their order; the first decides."""
    if rules is None:
        return ()
    own = own_rules(rules, classes)
    _, places = _match(rules, product, row, 1)
    (spelled,) = places.tolist()
    return tuple(own[int(place)] for place in spelled.split())


def _match(rules: Rules, product: Product, table: Table, threads: int) -> Fires:
    table = table.called(all_columns(rules, product))
    names = tuple(dict.fromkeys((*product.columns, *table.names)))
    return rules.match(rules.texts(table, rules.reads(names, product.texts)), threads)


def ruled_classes(rules: Rules | None, classes: tuple[Label, ...]) -> Places:
    """The place of each rule's class, and at the end −1, for no rule."""
    if rules is None:
        return np.array([-1], dtype=np.intp)
    places = []
    for rule in rules.rules:
        label = find_label(rule.label, classes)
        if label is None:
            raise OptionError(
                f"{rules.where(rule, 'label')}rule `{rule.name}` says {rule.label!r}, which is no "
                f"class of the model; {nearest(str(rule.label), map(str, classes))}"
            )
        places.append(classes.index(label))
    return np.array([*places, -1], dtype=np.intp)


def overruled(probabilities: Array, ruled: Places) -> Array:
    """The probabilities, with 1 for the class that a rule gives, where one does."""
    if (ruled < 0).all():
        return probabilities
    certain = np.eye(probabilities.shape[1])[ruled]
    return np.where(ruled[:, None] < 0, probabilities, certain)
