"""The parameters of the estimator, and how they are stored."""

import json

import pytest

import likely
from likely import Classifier, Gaussian, Multinomial
from likely.errors import ModelError, OptionError
from tests.spark.tables import CASES, digest, framed, mixed

LEXICON = likely.Lexicon({"ferry": "positive", "bus": "negative"})
RULES = likely.Rules([likely.Rule("ferries", "sea", words=["ferry"], column="text")])
TEXT = likely.Text((1, 2), (2, 3), negation=likely.Negation(negators=["not"]), lexicon=LEXICON)
PLAN = Classifier(tune=False).plan(mixed(), "label")

VALUES = [
    likely.Multinomial(alpha=0.5, text=TEXT),
    likely.BinaryMultinomial(),
    likely.Bernoulli(alpha=2),
    likely.Complement(),
    likely.TextViews(text=TEXT),
    likely.ShortText(),
    likely.Polarity(LEXICON),
    likely.RuleFeatures(RULES),
    likely.Gaussian("full"),
    likely.NumberViews(),
    likely.Binned(bits=3),
    likely.Categorical(alpha=0.1),
    likely.JointTable(),
    likely.Dates(day_first=True),
    likely.Vectors(),
    PLAN,
    {("a", "b"): likely.Gaussian("full"), "c": [likely.Categorical(), likely.Multinomial()]},
    {("spam", "ham"): 5.0},
    RULES,
    ("a", ["b", None]),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_are_stored_as_json(value):
    from likely.spark.params import from_json, to_json

    assert from_json(json.loads(json.dumps(to_json(value)))) == value


def test_every_public_likelihood_is_among_these():
    from likely.likelihoods import Likelihood

    public = {getattr(likely, name) for name in dir(likely) if name[0].isupper()}
    kinds = {one for one in public if isinstance(one, type) and issubclass(one, Likelihood)}
    assert kinds <= {type(value) for value in VALUES}


@pytest.mark.parametrize("value", [b"secret", object()], ids=["secret", "object"])
def test_what_cannot_be_stored_is_refused(value):
    from likely.spark.params import to_json

    with pytest.raises(OptionError, match="cannot be stored with the parameters"):
        to_json(value)


def test_parameters_are_set_copied_and_explained(spark):
    from likely.spark import LikelyClassifier

    one = LikelyClassifier(labelCol="kind", likelihood=Multinomial(), ledger=None)
    other = one.copy({one.tune: True, one.predictionCol: "said"})
    assert not one.isSet(one.ledger)
    assert not one.isSet(one.tune)
    assert other.getOrDefault("tune") is True
    assert other.getOrDefault(other.likelihood) == Multinomial()
    assert other.uid == one.uid
    explained = one.explainParams()
    for param in one.params:
        assert f"{param.name}: {param.doc}" in explained
    assert "labelCol: the column of the labels" in explained
    one.set(one.labelCol, "label")
    assert one.getOrDefault("labelCol") == "label"
    assert one.setParams(predictionCol="x").getOrDefault("predictionCol") == "x"


def test_every_option_of_a_classifier_is_a_parameter():
    import inspect

    from likely.spark import LikelyClassifier
    from likely.spark.params import OPTIONS

    options = set(inspect.signature(Classifier).parameters) - {"threads"}
    assert options == {"likelihood", *OPTIONS.values()}
    assert all(LikelyClassifier().hasParam(name) for name in OPTIONS)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"lableCol": "x"}, "there is no parameter `lableCol`"),
        ({"featureCols": "text"}, "featureCols"),
        ({"labelCol": 3}, "labelCol"),
    ],
)
def test_wrong_parameters_are_refused(spark, options, why):
    from likely.spark import LikelyClassifier

    with pytest.raises(TypeError, match=why):
        LikelyClassifier(**options)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"prior": "flat"}, "flat"),
        ({"likelihood": 3}, "likelihood"),
        ({"likelihood": Multinomial(), "stackLinear": True}, "tune"),
    ],
)
def test_wrong_options_are_refused_before_rows_are_read(spark, options, why):
    from likely.errors import LikelyError
    from likely.spark import LikelyClassifier

    frame = spark.createDataFrame([("a", "b")], "text string, label string")
    with pytest.raises(LikelyError, match=why):
        LikelyClassifier(**options).fit(frame)


def test_an_estimator_is_stored_with_all_its_parameters(spark, tmp_path):
    from likely.spark import LikelyClassifier

    given = {
        "labelCol": "label",
        "featureCols": ["text", "size"],
        "likelihood": {"text": Multinomial(0.5, text=TEXT), "size": Gaussian()},
        "missing": ["-"],
        "prior": "uniform",
        "classes": ["sea", "town", "park", "hill"],
        "rules": RULES,
        "tune": False,
        "costs": {("sea", "town"): 2.0},
        "ledger": False,
        "probabilityCol": "",
    }
    one = LikelyClassifier(**given)
    one.write().overwrite().save(f"{tmp_path}/one")
    with pytest.raises(Exception, match="already exists"):
        one.save(f"{tmp_path}/one")
    other = LikelyClassifier.load(f"{tmp_path}/one")
    assert other.uid == one.uid
    assert {param.name: value for param, value in other._paramMap.items()} == given
    frame = framed(spark, mixed(), 2)
    assert digest(other.fit(frame).toLocal()) == digest(one.fit(frame).toLocal())


def test_a_folder_of_something_else_is_refused(spark, tmp_path):
    from likely.spark import LikelyClassifier, LikelyModel

    LikelyClassifier().save(f"{tmp_path}/one")
    with pytest.raises(ModelError, match=r"holds a .*LikelyClassifier, not a .*LikelyModel"):
        LikelyModel.load(f"{tmp_path}/one")


def test_a_model_is_stored_as_its_file(spark, tmp_path):
    from likely.spark import LikelyModel

    local = CASES["plain"].local()
    model = LikelyModel.fromLocal(local, predictionCol="said", probabilityCol="")
    model.save(f"{tmp_path}/model")
    (row,) = spark.read.parquet(f"{tmp_path}/model/model").collect()
    assert bytes(row["model"]) == local.to_bytes()
    again = LikelyModel.load(f"{tmp_path}/model")
    assert digest(again.toLocal()) == digest(local)
    assert (again.digest, again.classes, again.isStale) == (local.digest, local.classes, False)
    frame = framed(spark, CASES["plain"].rows(), 1)
    assert again.transform(frame).columns == ["text", "label", "said", "rawPrediction"]


def test_a_model_that_has_learned_nothing_says_so(spark):
    from likely.errors import NotFittedError
    from likely.spark import LikelyModel

    with pytest.raises(NotFittedError, match="the model has learned nothing yet"):
        LikelyModel().toLocal()
