"""Naive Bayes and its generative family: fast, exact, explainable.

>>> import likely
>>> model = likely.Classifier(likely.Multinomial())
>>> model.fit(["free money now", "lunch at noon?"], ["spam", "ham"]).predict(["free lunch money"])
array(['spam'], dtype='<U4')
"""

from importlib import import_module

# As `typing` has it, which takes longer to import than all of this.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from likely.classifier import Classifier as Classifier
    from likely.classifier import Receipt as Receipt
    from likely.classifier import load as load
    from likely.data.duplicates import near_duplicates as near_duplicates
    from likely.data.files import open_table as open_table
    from likely.evaluation.compare import Comparison as Comparison
    from likely.evaluation.compare import compare as compare
    from likely.evaluation.cross_validation import CrossValidation as CrossValidation
    from likely.evaluation.cross_validation import cross_validate as cross_validate
    from likely.evaluation.evaluate import evaluate as evaluate
    from likely.evaluation.facts import Evaluation as Evaluation
    from likely.explain.explanation import Explanation as Explanation
    from likely.likelihoods import Bernoulli as Bernoulli
    from likely.likelihoods import BinaryMultinomial as BinaryMultinomial
    from likely.likelihoods import Binned as Binned
    from likely.likelihoods import Categorical as Categorical
    from likely.likelihoods import Complement as Complement
    from likely.likelihoods import Dates as Dates
    from likely.likelihoods import Gaussian as Gaussian
    from likely.likelihoods import JointTable as JointTable
    from likely.likelihoods import Multinomial as Multinomial
    from likely.likelihoods import NumberViews as NumberViews
    from likely.likelihoods import Polarity as Polarity
    from likely.likelihoods import RuleFeatures as RuleFeatures
    from likely.likelihoods import ShortText as ShortText
    from likely.likelihoods import TextViews as TextViews
    from likely.likelihoods import Vectors as Vectors
    from likely.mixture import Mixture as Mixture
    from likely.model.loo_predictions import LeaveOneOutPredictions as LeaveOneOutPredictions
    from likely.model.plan import Plan as Plan
    from likely.rules import Rule as Rule
    from likely.rules import Rules as Rules
    from likely.selection import select_rows as select_rows
    from likely.tally import Tally as Tally
    from likely.text import Lexicon as Lexicon
    from likely.text import Negation as Negation
    from likely.text import Text as Text

__version__ = "0.1.0"

# Where each public name lives. Nothing is imported before somebody asks for it.
_HOMES = {
    "Bernoulli": "likely.likelihoods",
    "BinaryMultinomial": "likely.likelihoods",
    "Binned": "likely.likelihoods",
    "Categorical": "likely.likelihoods",
    "Classifier": "likely.classifier",
    "Comparison": "likely.evaluation.compare",
    "Complement": "likely.likelihoods",
    "CrossValidation": "likely.evaluation.cross_validation",
    "Dates": "likely.likelihoods",
    "Evaluation": "likely.evaluation.facts",
    "Explanation": "likely.explain.explanation",
    "Gaussian": "likely.likelihoods",
    "JointTable": "likely.likelihoods",
    "LeaveOneOutPredictions": "likely.model.loo_predictions",
    "Lexicon": "likely.text",
    "Mixture": "likely.mixture",
    "Multinomial": "likely.likelihoods",
    "Negation": "likely.text",
    "Plan": "likely.model.plan",
    "NumberViews": "likely.likelihoods",
    "Polarity": "likely.likelihoods",
    "Receipt": "likely.classifier",
    "Rule": "likely.rules",
    "RuleFeatures": "likely.likelihoods",
    "Rules": "likely.rules",
    "ShortText": "likely.likelihoods",
    "Tally": "likely.tally",
    "Text": "likely.text",
    "TextViews": "likely.likelihoods",
    "Vectors": "likely.likelihoods",
    "compare": "likely.evaluation.compare",
    "cross_validate": "likely.evaluation.cross_validation",
    "evaluate": "likely.evaluation.evaluate",
    "load": "likely.classifier",
    "near_duplicates": "likely.data.duplicates",
    "open_table": "likely.data.files",
    "select_rows": "likely.selection",
}

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> "Any":
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'likely' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
