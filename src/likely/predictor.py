"""What a fitted model can do: predict, explain, evaluate itself, and make variants."""

import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
from numpy.typing import NDArray

from likely.data.columns import ColumnRole
from likely.data.files import Progress
from likely.data.labeled import Labeled
from likely.data.labels import Label
from likely.data.table import Table
from likely.errors import NotFittedError, OptionError
from likely.likelihoods.base import Unseen
from likely.likelihoods.product import Given, Product
from likely.model import leave_one_out
from likely.model.adjust import apply
from likely.model.adjust.group_thresholds import GroupThresholds
from likely.model.adjust.group_weights import GroupWeights
from likely.model.adjust.rules import all_columns
from likely.model.fitted import Fitted
from likely.model.learning import left_out_in_folds
from likely.model.prior import Prior, log_sum
from likely.model.spec import Spec
from likely.model.target import MultiLabel
from likely.model.target.decision import ClassThreshold, Decision
from likely.model.target.thresholds import ThresholdCriterion
from likely.model.tuning import Tuning
from likely.rules import Rule, Rules
from likely.tally.ledger import Ledger

if TYPE_CHECKING:
    from likely.data.duplicates import ExactDuplicates
    from likely.explain import info as facts
    from likely.explain.column_importance import ColumnImportance, ColumnView
    from likely.explain.dependence import Dependence
    from likely.explain.hand_computation import HandComputation
    from likely.explain.influence import Influence
    from likely.explain.language_model import LanguageModel
    from likely.explain.linear_form import LinearForm
    from likely.explain.parameters import Parameters
    from likely.explain.sample import Rows
    from likely.explain.shape import Shape
    from likely.explain.target_leakage import TargetLeak
    from likely.model.semi_supervised import Learned
    from likely.text import Bag

Array = NDArray[np.float64]


class Predictor:
    """The methods of a classifier that do not change it; all read `fitted`."""

    _spec: Spec
    _fitted: Fitted | None
    _turn: threading.Lock
    threads: int

    @property
    def fitted(self) -> Fitted:
        """All that was learned, as one value that never changes."""
        if (fitted := self._fitted) is None:
            raise NotFittedError.of("not-fitted")
        return fitted

    # Its options

    @property
    def spec(self) -> Spec:
        """The options; learning does not change them."""
        return self._spec

    @property
    def likelihood(self) -> Given | None:
        """The likelihood that was given, or those that were picked; None before that."""
        if (fitted := self._fitted) is not None and self._spec.likelihood is None:
            return fitted.plan.product.by_column
        return self._spec.likelihood

    @property
    def missing(self) -> frozenset[str]:
        """The spellings of missing cells."""
        return self._spec.missing

    @property
    def prior(self) -> Prior:
        return self._spec.prior

    @property
    def rules(self) -> Rules | None:
        """The rules that take precedence over the model."""
        return self._spec.rules

    @property
    def ledger(self) -> Ledger:
        return self._spec.ledger if (fitted := self._fitted) is None else fitted.plan.ledger

    @property
    def separator(self) -> str | None:
        """The separator between the labels of a cell, if cells are multi-label."""
        return self._spec.separator

    @property
    def criterion(self) -> ThresholdCriterion | None:
        """The criterion that thresholds are chosen for; None if they are not chosen."""
        if (fitted := self._fitted) is not None:
            return fitted.target.chosen_for
        decision = self._spec.decision
        return decision.criterion if isinstance(decision, ClassThreshold) else self._spec.criterion

    @property
    def decision(self) -> Decision | None:
        """What decides the label of single-label rows; None if it is the most probable."""
        if (fitted := self._fitted) is None or isinstance(fitted.target, MultiLabel):
            return self._spec.decision
        return fitted.target.decision

    @property
    def tunes(self) -> bool:
        """Whether the model is tuned, or will be by `fit`."""
        fitted = self._fitted
        return self._spec.tunes or (fitted is not None and fitted.tuning is not None)

    # What it has learned

    @property
    def column_roles(self) -> dict[str, ColumnRole]:
        """The role of each column, and why, if it was not given."""
        return {} if (fitted := self._fitted) is None else dict(fitted.plan.column_roles)

    @property
    def target(self) -> str | None:
        """The column of the labels, if they were in one."""
        return None if (fitted := self._fitted) is None else fitted.plan.target

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns the model reads, in the order in which rows without names have them."""
        if (fitted := self._fitted) is not None:
            return fitted.columns
        if isinstance(self._spec.likelihood, Mapping):
            return all_columns(self._spec.rules, Product.of(self._spec.likelihood))
        if self._fitted is None and self._spec.plan is not None:
            return all_columns(self._spec.rules, self._spec.plan.product)
        return self.fitted.columns

    @property
    def text_columns(self) -> tuple[str, ...]:
        """The columns that are read as texts."""
        return self.fitted.product.texts

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels learned or known, sorted; the columns of `predict_proba` and `log_joint`."""
        return self._spec.classes if (fitted := self._fitted) is None else fitted.labels

    @property
    def is_multilabel(self) -> bool:
        """Whether rows are multi-label."""
        return (fitted := self._fitted) is not None and fitted.is_multilabel

    @property
    def group_thresholds(self) -> GroupThresholds | None:
        """Thresholds by group, if there are any."""
        return None if (fitted := self._fitted) is None else fitted.group_thresholds

    @property
    def group_weights(self) -> GroupWeights | None:
        """Group weights of rows in the estimates, if there are any."""
        fitted = self._fitted
        return (
            None if fitted is None or fitted.reweighing is None else fitted.reweighing.group_weights
        )

    @property
    def thresholds(self) -> dict[Label, float]:
        """The threshold of each label, for multi-label rows; otherwise that of the one class."""
        fitted = self.fitted
        found = fitted.target.thresholds_of(fitted.labels)
        if not found and not fitted.is_multilabel:
            raise OptionError("a row has one label here, and no class has a threshold")
        return found

    @property
    def tuning(self) -> Tuning | None:
        """Weights, biases, and the rows that they were fit on; None if there are none."""
        return None if (fitted := self._fitted) is None else fitted.tuning

    @property
    def learned(self) -> "Learned | None":
        """The result of learning from unlabeled rows, if there were any."""
        return None if (fitted := self._fitted) is None else fitted.learned

    @property
    def leaves_duplicates_together(self) -> bool:
        """Whether leave-one-out leaves out exact duplicates of a text together."""
        return (fitted := self._fitted) is not None and fitted.leaves_duplicates_together

    @property
    def learns(self) -> bool:
        """Whether more can be learned; a compact copy only predicts and explains."""
        return (fitted := self._fitted) is None or fitted.copied is None

    @property
    def is_to_be_tuned(self) -> bool:
        """Whether the model has only counted so far; `tune` with those rows tunes it."""
        return self._fitted is not None and self._fitted.is_to_be_tuned

    @property
    def is_stale(self) -> bool:
        """Whether the model was tuned on other rows than are learned now.

        The old tuning is still used; `tune` tunes the model again.
        """
        return (fitted := self._fitted) is not None and fitted.is_stale

    @property
    def digest(self) -> str:
        """A SHA-256 that every tally of the same rows shares, however it came about."""
        return self.fitted.digest

    def class_of(self, label: Any) -> Label:
        """The class that a label means; it may be of another type with the same spelling.

        >>> from likely import Classifier
        >>> Classifier().fit(["buy", "see you"], [1, 0]).class_of("1")
        1
        """
        return self.fitted.class_of(label)

    @classmethod
    def of(cls, spec: Spec, fitted: Fitted | None, threads: int = 1) -> Self:
        """The classifier of a fitted model, or an unfitted one."""
        found = cls.__new__(cls)
        found._spec, found._fitted, found.threads = spec, fitted, threads
        found._turn = threading.Lock()
        return found

    def _like(self, fitted: Fitted) -> Self:
        return type(self).of(fitted.spec, fitted, self.threads)

    def labeled(self, x: Any, y: Any = None) -> Labeled:
        """Rows with labels as the model reads them, from any supported form."""
        return self.fitted.labeled(x, y)

    # Predicting

    def predict(self, x: Any) -> Any:
        """The most probable label of each row; of equals, the one that sorts first.

        With `costs`, the label with the least expected cost; with the threshold of a class, that
        class where it reaches it. Where a rule fires, its label. For a multi-label model, a list of
        labels for each row.
        """
        return self.fitted.predict(x, self.threads)

    def decide(self, probabilities: Array) -> NDArray[np.intp]:
        """The place in `classes` of the label that is predicted for rows of `predict_proba`.

        >>> from likely import Classifier
        >>> model = Classifier(thresholds={"spam": 0.9}).fit(["buy", "see you"], ["spam", "ham"])
        >>> model.decide(np.array([[0.2, 0.8], [0.1, 0.9]])).tolist()
        [0, 1]
        """
        fitted = self.fitted
        fitted.check_single("decide")
        return fitted.decide(probabilities)

    def predict_proba(self, x: Any) -> Array:
        """P(c | x), a row per row and a column per class; where a rule fires, 1 for its label.

        In a multi-label model, each label has a probability of its own.
        """
        return self.fitted.proba_and_impossible(x, self.threads)[0]

    def proba_and_impossible(self, x: Any) -> tuple[Array, NDArray[np.bool_]]:
        """`predict_proba` of each row, and whether it is the prior alone.

        It is if every class is impossible and no rule decides. Rows are read once.
        """
        return self.fitted.proba_and_impossible(x, self.threads)

    def ruled(self, x: Any) -> list[Rule | None]:
        """The rule that decides each row, None where the counts do."""
        return self.fitted.ruled(x, self.threads)

    def log_joint(self, x: Any, *, bag: bool = False) -> Array:
        """log P(x, c), a row per row and a column per class, without rules.

        A text is the sequence of its words; with `bag`, it is the bag of them, whose probability
        has the multinomial coefficient. That is for a multinomial of single words.

        >>> from likely import Classifier, Multinomial
        >>> model = Classifier(Multinomial()).fit(["fun film", "dull"], ["pos", "neg"])
        >>> both = model.log_joint(["fun fun film"]), model.log_joint(["fun fun film"], bag=True)
        >>> np.exp(both[1] - both[0]).round(9).tolist()  # 3!/(2!·1!)
        [[3.0, 3.0]]
        """
        return self._joint(self.fitted, x, bag, "log_joint")

    def log_evidence(self, x: Any, *, bag: bool = False) -> Array:
        """log P(x), the evidence: how probable each row is, whatever its class.

        With `bag`, that of the bag of its words, as in `log_joint`.
        """
        return log_sum(self._joint(self.fitted, x, bag, "log_evidence"))

    def _joint(self, fitted: Fitted, x: Any, bag: bool, what: str) -> Array:
        if not bag:
            fitted.check_joint(what)
            return fitted.scores_of(x, self.threads)
        from likely.model import bag as bags

        bags.check_bag(fitted)
        return bags.log_joint(fitted, x, self.threads)

    def impossible(self, x: Any) -> NDArray[np.bool_]:
        """Which rows are impossible under every class, so that the prior alone decides."""
        return np.asarray(np.isneginf(self.fitted.scores_of(x, self.threads)).all(axis=1))

    def unseen(self, x: Any) -> dict[str, Unseen]:
        """For each categorical column, which rows have a value never seen in training.

        Such a value is ignored, as a missing one is.

        >>> from likely import Categorical, Classifier
        >>> rows = {"colour": ["red", "blue"]}
        >>> model = Classifier({"colour": Categorical()}).fit(rows, ["warm", "cold"])
        >>> model.unseen({"colour": ["red", "teal", None]})["colour"].never.tolist()
        [False, True, False]
        """
        fitted = self.fitted
        return fitted.product.unseen(fitted.weights, fitted.parts(x), self.threads)

    # Leave-one-out

    @property
    def loo(self) -> Any:
        """Leave-one-out predictions of the training rows, made by `fit` and `tune`.

        A `LeaveOneOutPredictions`, or for multi-label rows a `MultiLabelLeaveOneOutPredictions`.

        A model that is not tuned makes them by `fit(…, loo=True)`.
        """
        if (fitted := self._fitted) is None or fitted.loo is None:
            raise NotFittedError(
                "there are no leave-one-out predictions; "
                "`leave_one_out(x, y)` makes them from the training rows"
            )
        return fitted.loo

    @property
    def has_loo(self) -> bool:
        """Whether `loo` has leave-one-out predictions."""
        return (fitted := self._fitted) is not None and fitted.loo is not None

    def leave_one_out(self, x: Any, y: Any = None, *, alone: bool = False) -> Any:
        """Predict rows that were learned, each by the model without it.

        In a tuned model, exact duplicates of a text are left out together, since they would reveal
        its label; with `alone`, they stay, as in retraining without the row. Weights, and all else
        that was tuned on these rows, stay as they are.

        With group weights there is no closed form: each row is then predicted by the model without
        its fold, which holds its duplicates too.
        """
        fitted = self.fitted
        return leave_one_out.joined(fitted, list(self._left_out(fitted, x, y, alone)))

    def leave_one_out_batches(
        self, x: Any, y: Any = None, *, alone: bool = False, progress: Progress | None = None
    ) -> Iterator[Any]:
        """The same, batch by batch, for files whose predictions would not fit into memory."""
        return self._left_out(self.fitted, x, y, alone, progress)

    def _left_out(
        self, fitted: Fitted, x: Any, y: Any, alone: bool, progress: Progress | None = None
    ) -> Iterator[Any]:
        rows = fitted.labeled(x, y)
        if fitted.reweighing is not None:
            return iter([left_out_in_folds(fitted, rows, self.threads)])
        return leave_one_out.of_all(fitted, rows, self.threads, alone, progress)

    def explain_left_out(
        self,
        x: Any,
        y: Any = None,
        duplicates: "Mapping[int, ExactDuplicates] | None" = None,
        probabilities: Array | None = None,
    ) -> list[Any]:
        """The explanations of training rows, each by the model without the row: see `explain`.

        The probabilities are those of `leave_one_out`. `duplicates` are the texts that are left out
        with each row, by default those among these rows. What a stacked linear model, formed
        without the fold of the row, adds to the counts in `probabilities` is one contribution.

        >>> from likely import Classifier, Multinomial
        >>> texts, labels = ["buy now", "buy it", "see you"], ["spam", "spam", "ham"]
        >>> model = Classifier(Multinomial()).fit(texts, labels)
        >>> (why,) = model.explain_left_out(texts[:1], labels[:1])
        >>> [contribution.name for contribution in why.contributions]
        ['prior', 'buy']
        """
        fitted = self.fitted
        rows = fitted.labeled(x, y)
        from likely.explain import row as why

        return list(why.explain_left_out(fitted, rows, duplicates, probabilities, self.threads))

    def was_learned(self, x: Any, y: Any = None) -> NDArray[np.bool_]:
        """Which of these rows were learned under these labels, as far as a ledger tells.

        >>> from likely import Classifier
        >>> model = Classifier().fit(["buy", "see you"], ["spam", "ham"])
        >>> model.was_learned(["buy", "see you"], ["spam", "spam"]).tolist()
        [True, False]
        """
        fitted = self.fitted
        return leave_one_out.are_learned(fitted, fitted.labeled(x, y), self.threads)

    # Inspection

    def explain(self, row: Any) -> Any:
        """The contribution of each feature of a row to the score of each class.

        A row is a text, a list of cells, a dictionary or a series of cells by column, or a table of
        one row; absent cells are missing. Returns an `Explanation`, or for a multi-label model a
        `MultiLabelExplanation`.
        """
        from likely.explain import row as why

        return why.explain(self.fitted, row, self.threads)

    def features(self, row: Any) -> "dict[str, Bag]":
        """The features of a row's texts as the model counts them, by column.

        Each is used, left out (the model has seen it, but ignores it), or unknown: never seen in
        training, and ignored.

        >>> from likely import Classifier, Multinomial
        >>> model = Classifier(Multinomial()).fit(["good fun", "dull"], ["pos", "neg"])
        >>> for feature in model.features("good good plot")["x"].features:
        ...     print(feature.name, feature.count, feature.state)
        good 2 used
        plot 1 unknown
        """
        from likely.explain.features import features

        return features(self.fitted, row)

    @property
    def parameters(self) -> "Parameters":
        """How many parameters the model has.

        >>> from likely import Classifier, Gaussian
        >>> x, y = [[1.0, 2.0], [2.0, 1.0], [4.0, 5.0], [6.0, 4.0]], [0, 0, 1, 1]
        >>> Classifier(Gaussian("full")).fit(x, y).parameters
        Parameters(likelihood=10, prior=2, free=11)
        """
        from likely.explain.parameters import Parameters

        fitted = self.fitted
        return Parameters.of(fitted.product, fitted.counted, len(fitted.classes))

    @property
    def estimates(self) -> dict[tuple[str, ...], Any]:
        """What was estimated from numbers and categories: means, deviations, probabilities."""
        from likely.explain import info as facts

        return facts.estimates(self.fitted)

    def top_features(self, n: int = 10) -> dict[Label, list[tuple[str, float]]]:
        """The most informative features of each class, with their log-odds.

        >>> from likely import Classifier
        >>> model = Classifier().fit(["good good fun", "dull and slow"], ["pos", "neg"])
        >>> [name for name, log_odds in model.top_features(1)["pos"]]
        ['good']
        """
        from likely.explain import info as facts

        return facts.top_features(self.fitted, n)

    def shape(self, column: str) -> "Shape":
        """What the values of a numeric or categorical column add to the log-odds of a class.

        Neighbouring numbers that say nearly the same are one step; each has its rows and an
        interval. Print it, show it in a notebook, or take its `steps`.

        >>> from likely import Categorical, Classifier
        >>> rows = {"sky": ["clear", "clear", "clear", "cloudy", "cloudy", "clear"]}
        >>> labels = ["dry", "dry", "dry", "rain", "rain", "rain"]
        >>> shape = Classifier({"sky": Categorical(1)}).fit(rows, labels).shape("sky")
        >>> for step in shape.steps:
        ...     print(step.name, step.rows, round(step.log_odds[0], 2))
        cloudy (0.0, 2.0) 1.61
        clear (3.0, 1.0) -0.85
        """
        from likely.explain.shape import shape

        return shape(self.fitted, column)

    def target_leakage(self) -> "list[TargetLeak]":
        """Possible target leakage: columns and words that predict the label almost alone.

        >>> from likely import Classifier
        >>> texts = ["buy now SPAM", "cheap pills SPAM", "see you", "at noon"] * 20
        >>> model = Classifier().fit(texts, ["spam", "spam", "ham", "ham"] * 20)
        >>> print(model.target_leakage()[0])
        `spam` alone tells `spam`: 40 of its 40 rows have it, and 0 of the others; if it came \
with the label, take it out of the texts
        """
        from likely.explain.target_leakage import target_leakage

        fitted = self.fitted
        fitted.check_fitted()
        own = fitted.tally.view(fitted.spec.classes)
        return target_leakage(fitted.plan.product, fitted.tally, own)

    def linear_form(self) -> "LinearForm":
        """The model as weights and intercepts, if in log space it is linear; print it.

        Naive Bayes of words or categories is, and LDA. `linear_form().of_row(row)` is the sum of
        one row.
        """
        from likely.explain.linear_form import linear_form

        return linear_form(self.fitted)

    def language_model(self, label: Label, column: str | None = None) -> "LanguageModel":
        """The likelihood of a class as a language model, if texts have a probability.

        >>> from likely import Classifier, Multinomial
        >>> model = Classifier(Multinomial()).fit(["good good fun", "dull"], ["pos", "neg"])
        >>> round(model.language_model("pos").perplexity("good fun"), 2)
        2.45
        """
        from likely.explain.language_model import language_model

        fitted = self.fitted
        fitted.check_fitted()
        fitted.check_single("language_model")
        own = fitted.class_of(label)
        return language_model(fitted.product, fitted.counted, fitted.classes, own, column)

    @overload
    def sample(
        self, c: Label, n: int = 1, *, seed: int = 0, length: int | None = None
    ) -> "Rows": ...

    @overload
    def sample(
        self, c: None = None, n: int = 1, *, seed: int = 0, length: int | None = None
    ) -> "tuple[Rows, NDArray[Any]]": ...

    def sample(
        self, c: Label | None = None, n: int = 1, *, seed: int = 0, length: int | None = None
    ) -> Any:
        """Rows drawn from P(x | c) of a class, or rows and labels drawn from P(x, c).

        A dictionary of columns, or a list of texts if the model reads one text column; `predict`
        takes either. Columns are drawn one by one, or together where they share a likelihood.
        Gaussians give numbers, bins those that were seen, joint tables whole combinations. Words
        are drawn from P(w | c), with word n-grams each after those before it. The `length` of a
        text is its number of words; by default a text of single words has as many as one of its
        class on average (a Poisson distribution), and one of n-grams ends by itself. Nothing is
        missing, unless missing cells are a value. Rules are ignored. The same `seed` gives the same
        rows.

        A tuned model has no P(x | c); `plain()` has it for texts, numbers, categories and dates.

        >>> from likely import Categorical, Classifier
        >>> sky, rain = ["clear", "clear", "cloudy", "cloudy"], ["no", "no", "no", "yes"]
        >>> model = Classifier({"sky": Categorical(m=0)}).fit({"sky": sky}, rain)
        >>> model.sample("no", 5)
        {'sky': ['clear', 'clear', 'clear', 'clear', 'cloudy']}
        >>> rows, labels = model.sample(n=4, seed=1)
        >>> labels.tolist()
        ['no', 'yes', 'no', 'yes']
        """
        from likely.explain.sample import sample

        rows, labels = sample(self.fitted, c, n, seed, length)
        return (rows, labels) if c is None else rows

    def by_hand(self, row: Any, *, bag: bool = False) -> "HandComputation":
        """The prediction of one row computed by hand, with fractions of counts where possible.

        Print it: it is Bayes' rule, posterior = prior · likelihood / evidence. Under a Bernoulli
        model a word that the row lacks has a factor too, 1 − P. What is no ratio of counts, such as
        a density, is a decimal. Where floating-point numbers are too small for the product,
        logarithms are added. With `bag`, the likelihood is that of the bag of words, as in
        `log_joint`.

        >>> from likely import Classifier, Multinomial
        >>> texts, labels = ["buy now", "see you", "see it now"], ["spam", "ham", "ham"]
        >>> model = Classifier(Multinomial()).fit(texts, labels)
        >>> print(model.by_hand("see"))
        prior  · likelihood
        P(ham) · P(see | ham)
          = 2/3 · 3/10
          = 1/5 = 0.2
        <BLANKLINE>
        prior   · likelihood
        P(spam) · P(see | spam)
          = 1/3 · 1/7
          = 1/21 ≈ 0.0476
        <BLANKLINE>
        evidence
        P(row) = 0.2 + 0.0476 = 0.248
        <BLANKLINE>
        posterior = prior · likelihood / evidence
        P(ham | row) = 0.2 / 0.248 = 0.8077
        P(spam | row) = 0.0476 / 0.248 = 0.1923
        """
        from likely.explain.by_hand import by_hand

        return by_hand(self.fitted, row, bag=bag)

    def scores_by_view(self, x: Any) -> "list[tuple[ColumnView, Array]]":
        """The scores of rows by each view; they and the prior add up to those of the model."""
        from likely.explain.column_importance import scores_by_view

        return scores_by_view(self.fitted, Table.of(x), self.threads)

    def dependences(self, x: Any, y: Any = None, n: int = 10) -> "list[Dependence]":
        """How far columns (and words) depend on each other within the classes, strongest first.

        Naive Bayes assumes that they are independent there, and counts what two of them share
        twice. Of a file, the first batch is used; of a wide table, the first 1,000 numeric columns
        and the first 100 categorical ones.
        """
        from likely.explain.dependence import dependences

        fitted = self.fitted
        batch = next(fitted.batches(fitted.labeled(x, y)), None)
        return [] if batch is None else dependences(fitted.product, batch, n)

    def column_importance(
        self, x: Any, y: Any = None, *, left_out: bool = False
    ) -> "list[ColumnImportance]":
        """Column importance: how well rows are predicted without each column or view.

        With `left_out`, for training rows, each row is scored without itself, and by a stacked
        linear model that was formed without its fold; then each counts once. Of a file, the first
        batch is used. Rules are ignored. A multi-label row is correct if it is given all of its
        labels and no other.

        >>> from likely import Classifier
        >>> heights, teams = [1.6, 1.7, 1.8, 1.9] * 5, ["red", "blue"] * 10
        >>> x, y = {"height": heights, "team": teams}, ["a", "a", "b", "b"] * 5
        >>> model = Classifier().fit(x, y)
        >>> for kind in model.column_importance(x, y, left_out=True):
        ...     if not kind.is_part:
        ...         print(kind.columns[0], kind.accuracy)
        height 0.0
        team 1.0
        """
        from likely.explain.column_importance import column_importance

        fitted = self.fitted
        return column_importance(fitted, fitted.labeled(x, y), left_out, self.threads)

    def influence(self, row: Any, x: Any, y: Any = None, n: int = 10) -> "list[Influence]":
        """The training rows with the largest influence on a prediction, for or against it.

        Each is forgotten in turn, in closed form; tuned weights and stacked linear models stay as
        they are. `x` and `y` are training rows, all texts. The only row of a class has infinite
        influence.

        >>> from likely import Classifier, Multinomial
        >>> texts = ["buy now", "buy pills", "see you", "see it"]
        >>> labels = ["spam", "spam", "ham", "ham"]
        >>> model = Classifier(Multinomial()).fit(texts, labels)
        >>> for row, label, change in model.influence("buy it now", texts, labels, n=2):
        ...     print(row, label, round(change, 2))
        0 spam 0.51
        3 ham -0.16
        """
        from likely.explain.influence import influence

        fitted = self.fitted
        return influence(fitted, row, fitted.labeled(x, y), n, self.threads)

    @property
    def tuned_numbers(self) -> int:
        """How many weights, biases and thresholds were tuned on the learned rows."""
        from likely.explain import info as facts

        return facts.tuned_numbers(self.fitted)

    @property
    def optimism(self) -> str | None:
        """A warning beside leave-one-out figures if there were few rows per tuned number, or None.

        A row is left out of the counts, not of the tuning. Each tuned number makes the labels of
        its rows more probable than those of others by about 1/n (Akaike 1974), so with a hundred
        rows per number it is a hundredth at most.
        """
        from likely.explain import info as facts

        return facts.optimism(self.fitted)

    @property
    def info(self) -> "facts.Info":
        """A summary of the model, and what its user should know."""
        from likely.explain import info as facts

        return facts.describe(self.fitted)

    # Variants; the model itself stays as it is

    def with_prior(self, prior: Prior) -> Self:
        """The same model under another prior; nothing is learned again.

        >>> from likely import Classifier
        >>> model = Classifier().fit(["buy", "see you"], ["spam", "ham"])
        >>> model.with_prior({"spam": 0.02, "ham": 0.98}).predict(["buy"]).item()
        'ham'
        """
        return self._like(apply.with_prior(self.fitted, prior))

    def with_rules(self, rules: Rules | None) -> Self:
        """The same model under other rules, or none; nothing is learned again.

        >>> from likely import Classifier, Rule, Rules
        >>> model = Classifier().fit(["buy", "see you"], ["spam", "ham"])
        >>> rules = Rules([Rule("prize", "spam", words=["lottery"])])
        >>> model.with_rules(rules).predict(["see you at the lottery"]).item()
        'spam'
        """
        return self._like(apply.with_rules(self.fitted, rules))

    def with_neutral(self, terms: Iterable[str]) -> Self:
        """The same model, ignoring these words and phrases; its counts stay.

        Each is scored as a word that was never seen, so predictions do not depend on it.

        >>> from likely import Classifier
        >>> model = Classifier().fit(["Ann is late", "Bob is kind"], ["bad", "good"])
        >>> fair = model.with_neutral(["Ann", "Bob"])
        >>> ann, bob = fair.predict_proba(["Ann is here", "Bob is here"])
        >>> bool((ann == bob).all()), fair.digest == model.digest
        (True, True)
        """
        return self._like(apply.with_neutral(self.fitted, terms))

    def with_decision(self, *, thresholds: Any = None, costs: Any = None) -> Self:
        """The same model with the threshold of a class, or with costs, or neither, as given.

        They are as in `Classifier`, but a threshold is a number; nothing is learned again.

        >>> from likely import Classifier
        >>> model = Classifier().fit(["buy now", "see you"], ["spam", "ham"])
        >>> model.with_decision(costs={("ham", "spam"): 100}).predict(["buy"]).item()
        'ham'
        """
        return self._like(apply.with_decision(self.fitted, thresholds, costs))

    def with_group_thresholds(self, thresholds: GroupThresholds | None) -> Self:
        """The same model under other thresholds by group, or none; nothing is learned again.

        >>> from likely import Classifier
        >>> from likely.model.adjust.group_thresholds import GroupThresholds
        >>> model = Classifier().fit({"text": ["buy", "see you"], "y": ["spam", "ham"]}, "y")
        >>> strict = model.with_group_thresholds(GroupThresholds("list", "spam", {"friends": 0.95}))
        >>> strict.predict({"text": ["buy", "buy"], "list": ["friends", "others"]}).tolist()
        ['ham', 'spam']
        """
        return self._like(apply.with_group_thresholds(self.fitted, thresholds))

    def with_group_weights(
        self, group_weights: GroupWeights | None, x: Any = None, y: Any = None
    ) -> Self:
        """The same model, in whose estimates rows of some groups and labels count more than once.

        `x` and `y` are the rows that it has learned. Its tally stays, and counts each of them once;
        rows that are learned or forgotten later count as often as their group and label say.

        >>> from likely import Classifier, Multinomial
        >>> from likely.model.adjust.group_weights import GroupWeights
        >>> rows = {"text": ["good", "bad", "bad"], "who": ["a", "a", "b"], "y": [1, 0, 0]}
        >>> model = Classifier({"text": Multinomial()}).fit(rows, "y")
        >>> twice = model.with_group_weights(GroupWeights("who", {"a": {"1": 2}}), rows)
        >>> model.predict_proba(["well"])[0].round(3).tolist()
        [0.667, 0.333]
        >>> twice.predict_proba(["well"])[0].round(3).tolist(), twice.digest == model.digest
        ([0.5, 0.5], True)
        """
        return self._like(apply.with_group_weights(self.fitted, group_weights, x, y, self.threads))

    def plain(self) -> Self:
        """The same model without tuning: plain Naive Bayes of its tally.

        >>> from likely import Classifier
        >>> model = Classifier().fit(["good", "so good", "bad"], ["pos", "pos", "neg"])
        >>> model.tuning is None, model.plain().tuning is None
        (False, True)
        """
        return self._like(apply.plain(self.fitted))

    def compact(self) -> Self:
        """A smaller copy that predicts and explains the same, to the last bit, and learns no more.

        It has no ledger, and only the counts that its likelihoods read.

        >>> from likely import Classifier
        >>> model = Classifier().fit(["buy", "see you"], ["spam", "ham"])
        >>> copy = model.compact()
        >>> len(copy.to_bytes()) < len(model.to_bytes())
        True
        >>> bool((copy.predict_proba(["buy"]) == model.predict_proba(["buy"])).all())
        True
        """
        return self._like(apply.compact(self.fitted))

    def _repr_html_(self) -> str:
        from likely import render
        from likely.explain import info

        if (fitted := self._fitted) is None:
            return render.html([repr(self)[1:-1]])
        blocks = info.describe(fitted).blocks()
        if fitted.loo is not None:
            optimism = info.optimism(fitted)
            right = render.tenth(fitted.loo.accuracy)
            said = "" if optimism is None else f"; {optimism}"
            blocks.insert(1, f"leave-one-out accuracy {right}{said}")
        return render.html(blocks)
