"""What the README guarantees, to be checked on the bundled examples; `likely prove` does so.

>>> found = checked(GUARANTEES[0])
>>> found.guarantee.sentence, found.finding.holds
('Equal rows give one SHA-256, however they were learned', True)
"""

from likely.prove import answers, files, learning
from likely.prove.guarantee import Checked, Finding, Guarantee, checked

__all__ = ["GUARANTEES", "Checked", "Finding", "Guarantee", "checked"]

GUARANTEES = (*learning.GUARANTEES, *answers.GUARANTEES, *files.GUARANTEES)
