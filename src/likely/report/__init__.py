"""A report on a model and labeled rows: as facts, and as a page.

>>> import likely
>>> from likely.report import report
>>> texts = ["good fun", "so good", "a good cast", "a dull film", "dull and slow", "so slow"]
>>> model = likely.Classifier().fit(texts, labels := ["pos"] * 3 + ["neg"] * 3)
>>> found = report(model, texts, labels)
>>> found.left_out, found.evaluation.rows
(True, 6)
>>> found.html()[:15]
'<!DOCTYPE html>'
"""

from likely.report.facts import Origin, Report
from likely.report.gather import report

__all__ = ["Origin", "Report", "report"]
