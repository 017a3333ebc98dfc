"""Auditing a model before it is used on people.

Four measurements, each a small collection of facts that knows its text, its JSON and its page:
`persons` (does the score change with the name alone?), `terms` (are sentences predicted hostile for
the identity they name?), `groups` (how do rates differ between groups of rows?) and `swaps` (which
predictions change when paired words change places?). `causes` attributes a gap to features.
"""

from likely.fairness.attribution import causes, of_contrast, of_group, of_swap, of_term
from likely.fairness.causes import Causes
from likely.fairness.groups import Groups, groups
from likely.fairness.identity_terms import Terms, terms
from likely.fairness.persons import Contrast, Persons, persons
from likely.fairness.sentences import PersonSentences, TermSentences, read_sentences, read_terms
from likely.fairness.swaps import Swaps, read_pairs, swaps

__all__ = [
    "Causes",
    "Contrast",
    "Groups",
    "PersonSentences",
    "Persons",
    "Swaps",
    "TermSentences",
    "Terms",
    "causes",
    "groups",
    "of_contrast",
    "of_group",
    "of_swap",
    "of_term",
    "persons",
    "read_pairs",
    "read_sentences",
    "read_terms",
    "swaps",
    "terms",
]
