"""Looking at a model before it decides about people's words.

Four measurements, each a small collection of facts that knows its text, its JSON and its page:
`persons` (does the score change with the name alone?), `terms` (are sentences called hostile for
the identity they name?), `groups` (how do rates differ between groups of rows?) and `swaps` (which
decisions flip when paired words change places?). `causes` says what carries a gap.
"""

from likely.audit.causes import Causes
from likely.audit.groups import Groups, groups
from likely.audit.persons import Contrast, Persons, persons
from likely.audit.sentences import PersonSentences, TermSentences, read_sentences, read_terms
from likely.audit.swaps import Swaps, read_pairs, swaps
from likely.audit.taking_apart import causes, of_contrast, of_group, of_swap, of_term
from likely.audit.terms import Terms, terms

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
