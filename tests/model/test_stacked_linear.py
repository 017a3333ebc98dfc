"""A linear model of all columns, weighted with the counts."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likely
from likely import _kernel
from likely.classifier import from_bytes
from likely.data.label_sets import LabelSets, members
from likely.data.table import Table
from likely.errors import ModelError, OptionError
from likely.likelihoods.stacked_linear import FOLDS, assign_folds, form
from likely.model.leave_one_out import stacked_by_fold
from likely.model.tuning import TrainingRows
from likely.sklearn import LikelyClassifier
from likely.tally import container
from likely.tally.encoded import EncodedLabels, EncodedLabelSets, encoded
from tests.tuned import with_weights

MARKS = {"fire": "ember", "sea": "anchor", "wood": "acorn"}
CLASSES = sorted(MARKS)


def pictures(rows, seed=0):
    """A mark that is mostly right, and many words that all repeat something less certain.

    Naive Bayes counts the repeats as so many witnesses; to a linear model they are one.
    """
    random = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(rows):
        label = CLASSES[random.integers(3)]
        mark = label if random.random() < 0.85 else CLASSES[random.integers(3)]
        topic = label if random.random() < 0.5 else CLASSES[random.integers(3)]
        words = [f"{topic}{word}" for word in "abcdefgh" if random.random() < 0.8]
        words += [MARKS[mark], *(f"w{word}" for word in random.integers(0, 60, 3))]
        random.shuffle(words)
        texts.append(" ".join(words))
        labels.append(label)
    return texts, labels


def trained(rows=240, **options):
    return likely.Classifier(stack_linear=True, **options).fit(*pictures(rows))


@pytest.fixture(scope="module")
def model():
    return trained()


def opinion_of(model):
    return model.tuning.stacked


def test_it_is_heard_where_it_helps(model):
    assert opinion_of(model) is not None
    assert opinion_of(model).weight > 0
    alone = likely.Classifier().fit(*pictures(240))
    assert model.tuning.log_likelihood > alone.tuning.log_likelihood
    assert "stacked linear model  " in str(model.info)


def test_neither_order_nor_threads_show(model):
    texts, labels = pictures(240)
    order = np.random.default_rng(1).permutation(len(texts))
    other = likely.Classifier(stack_linear=True, threads=3)
    other.fit([texts[row] for row in order], [labels[row] for row in order])
    assert other.to_bytes() == model.to_bytes()
    assert (other.loo.scores == model.loo.scores[order]).all()


def test_what_is_read_back_says_the_same(model):
    texts, _ = pictures(40, seed=1)
    for other in (
        from_bytes(model.to_bytes()),
        pickle.loads(pickle.dumps(model)),
        model.compact(),
        from_bytes(model.compact().to_bytes()),
    ):
        assert (other.predict_proba(texts) == model.predict_proba(texts)).all()
    unlearned = pickle.loads(pickle.dumps(likely.Classifier(stack_linear=True)))
    assert unlearned.fit(*pictures(240)).to_bytes() == model.to_bytes()


@pytest.mark.parametrize(
    "name", ["weights", "classes", "cells", "0/documents", "0/words/bytes", "0/2-grams/lasts"]
)
def test_an_opinion_that_makes_no_sense_is_refused(model, name):
    metadata, arrays = container.unpack(model.to_bytes())
    for damage in (lambda a: a * 0, lambda a: a[1:], lambda a: a + 1, lambda a: a[::-1]):
        broken = {
            **arrays,
            f"stacked/{name}": np.ascontiguousarray(damage(arrays[f"stacked/{name}"])),
        }
        if np.array_equal(broken[f"stacked/{name}"], arrays[f"stacked/{name}"]):
            continue
        try:
            back = from_bytes(container.pack(metadata, broken))
        except ModelError:
            continue
        # What is another opinion, and a sound one, is read as it stands.
        assert name in ("weights", "0/documents", "0/words/bytes", "0/2-grams/lasts")
        assert back.to_bytes() == container.pack(metadata, broken)
    missing = {n: array for n, array in arrays.items() if n != f"stacked/{name}"}
    with pytest.raises(ModelError):
        from_bytes(container.pack(metadata, missing))


def test_explanations_add_up(model):
    for text in [*pictures(10, seed=2)[0], "", "never seen", "anchor"]:
        why = model.explain(text)
        scores = sum(term.scores for term in why.contributions)
        expected = np.log(model.predict_proba([text])[0])
        assert scores - scores.max() == pytest.approx(expected - expected.max(), abs=1e-9)
    kinds = [term.kind for term in model.explain("anchor seaa").contributions]
    assert kinds.count("intercept") == 1
    assert "char n-gram" not in kinds[1:2]


def test_kinds_of_evidence_add_up(model):
    texts, labels = pictures(20, seed=4)
    kinds = model.scores_by_view(texts)
    assert [kind.spelled for kind, _ in kinds].count("stacked linear model") == 1
    total = sum(scores for _, scores in kinds) + model.fitted.log_prior
    expected = np.log(model.predict_proba(texts))
    shift = (total - expected)[:, :1]
    assert total - shift == pytest.approx(expected, abs=1e-9)
    fitted, parts = model.fitted, (_kernel.Texts(texts[:1]),)
    (terms,) = fitted.stacked.contributions(fitted.product, fitted.classes, parts)
    said = fitted.stacked.intercept(fitted.classes).scores + sum(term.scores for term in terms)
    assert said == pytest.approx(kinds[-1][1][0], abs=1e-9)
    spelled = [kind.view for kind in model.column_importance(texts, labels)]
    assert "stacked linear model" in spelled


def test_left_out_it_contributes_what_it_said_of_rows_it_had_not_learned(model):
    texts, labels = pictures(240)
    alone, said = likely.Classifier(stack_linear=True).fit(texts, labels), {}
    for kind in alone.column_importance(texts, labels, left_out=True):
        said[kind.view] = kind.log_loss
    truth = np.searchsorted(CLASSES, labels)
    learned = model.labeled(texts, labels)
    others = model.loo.scores - stacked_by_fold(model.fitted, learned, 1)
    logs = others - np.logaddexp.reduce(others, axis=1, keepdims=True)
    expected = -logs[np.arange(len(truth)), truth].mean()
    assert said["stacked linear model"] == pytest.approx(expected, abs=1e-9)
    assert said["stacked linear model"] > -model.tuning.log_likelihood


def test_neutral_terms_are_neutral_to_it_too(model):
    fair = model.with_neutral(["anchor", "acorn"])
    a, b = fair.predict_proba(["anchor seaa w1", "acorn seaa w1"])
    assert (a == b).all()
    assert (model.predict_proba(["anchor seaa w1"]) != model.predict_proba(["acorn seaa w1"])).any()


def test_a_class_that_came_later_is_not_this(model):
    other = from_bytes(model.to_bytes())
    other.update(["clouds and wind"] * 3, ["air"] * 3)
    assert other.is_stale
    why = other.explain("anchor clouds")
    scores = sum(term.scores for term in why.contributions)
    expected = np.log(other.predict_proba(["anchor clouds"])[0])
    assert scores - scores.max() == pytest.approx(expected - expected.max(), abs=1e-9)
    (start,) = [term for term in why.contributions if term.kind == "intercept"]
    assert start.scores[other.classes.index("air")] == -opinion_of(other).weight


def test_it_remembers_what_was_forgotten_until_it_is_formed_anew(model):
    texts, labels = pictures(240)
    other = from_bytes(model.to_bytes())
    receipt = other.forget(texts[:5], labels[:5])
    assert any("stacked linear model" in line and "remembers" in line for line in receipt.inexact)
    assert any("stacked linear model" in note for note in other.info.notes)
    other.tune(texts[5:], labels[5:])
    assert not other.is_stale
    assert not any("stacked linear model" in note for note in other.info.notes)
    scratch = likely.Classifier(stack_linear=True).fit(texts[5:], labels[5:])
    assert other.tally == scratch.tally
    assert (other.predict_proba(texts) == scratch.predict_proba(texts)).all()


def test_learned_and_forgotten_again_leaves_nothing(model):
    other = from_bytes(model.to_bytes())
    other.update(["anchor acorn"], ["sea"])
    assert other.forget(["anchor acorn"], ["sea"]).inexact == ()
    assert other.to_bytes() == model.to_bytes()


def test_of_two_models_that_are_added_the_better_founded_opinion_is_kept():
    texts, labels = pictures(300)
    a = likely.Classifier(stack_linear=True).fit(texts[:200], labels[:200])
    b = likely.Classifier(stack_linear=True).fit(texts[200:], labels[200:])
    total = a + b
    assert total.is_stale
    assert opinion_of(total).weight == opinion_of(a).weight
    assert (b + a).to_bytes() == total.to_bytes()
    total.tune(texts, labels)
    whole = likely.Classifier(stack_linear=True).fit(texts, labels)
    assert (total.predict_proba(texts) == whole.predict_proba(texts)).all()


def formed(counted, texts, truth):
    """The linear model of counted texts, in folds by their places."""
    hashes = np.arange(len(texts), dtype=np.uint64)
    fitted, parts = counted.fitted, [(_kernel.Texts(texts),)]
    given = fitted.product, fitted.tally.statistics, fitted.classes, parts
    return form(*given, EncodedLabels(truth), hashes, hashes, 2)


def test_rows_are_scored_by_those_who_have_not_seen_them():
    """Labels without meaning are learned by heart, and still not told of a row left out."""
    random = np.random.default_rng(3)
    texts = [" ".join(f"w{word}" for word in random.integers(0, 400, 12)) for _ in range(300)]
    truth = random.integers(0, 2, 300).astype(np.uint32)
    plain = likely.Classifier(likely.Multinomial()).fit(texts, truth.tolist())
    found, scores = formed(plain, texts, truth)
    fitted = plain.fitted
    found = replace(found, weight=1.0)
    seen = found.score(fitted.product, fitted.classes, (_kernel.Texts(texts),), 1)
    assert (seen.argmax(axis=1) == truth).mean() > 0.85
    assert (scores.argmax(axis=1) == truth).mean() < 0.6


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2)), min_size=1, max_size=60))
@settings(max_examples=50)
def test_folds_keep_copies_together_and_know_no_order(rows):
    hashes = np.array([text for text, _ in rows], dtype=np.uint64)
    truth = np.array([label for _, label in rows], dtype=np.uint32)
    folds = assign_folds(truth, hashes)
    assert all(len({*folds[hashes == text]}) == 1 for text in hashes)
    assert (assign_folds(truth[::-1].copy(), hashes[::-1].copy())[::-1] == folds).all()
    texts = np.unique(hashes, return_index=True)[1]
    sizes = np.bincount(folds[texts], minlength=FOLDS)
    assert sizes.max() - sizes.min() <= 1


def multilabel_rows(rows, seed=0):
    """Texts of one picture, of two, or of none."""
    random = np.random.default_rng(seed)
    (first, a), (second, b) = pictures(rows, seed), pictures(rows, seed + 1)
    kinds = random.integers(0, 4, rows)
    texts = [
        {0: f"w{row % 60}", 1: f"{one} {two}"}.get(kind, one)
        for row, (kind, one, two) in enumerate(zip(kinds, first, second, strict=True))
    ]
    labels = [
        {0: [], 1: sorted({one, two})}.get(kind, [one])
        for kind, one, two in zip(kinds, a, b, strict=True)
    ]
    return texts, labels


@pytest.fixture(scope="module")
def of_labels():
    return likely.Classifier(stack_linear=True).fit(*multilabel_rows(300))


@pytest.mark.parametrize("names", [CLASSES, CLASSES[:2], CLASSES[:1]])
def test_of_several_labels_each_is_learned_as_if_alone(names):
    texts, labels = multilabel_rows(200)
    labels = [[label for label in row if label in names] for row in labels]
    together = likely.Classifier(likely.Multinomial()).fit(texts, labels)
    truth = encoded(together.fitted.classes, LabelSets.of(members(labels)))
    folds = (np.arange(200) % FOLDS).astype(np.uint32)
    order = np.arange(200, dtype=np.uint32)

    def learned(model, is_multilabel, sets):
        every, rows = model.fitted.classes.every or (None, 200)
        features = _kernel.LinearText(model.tally.statistics[0], rows, every)
        learner, read = _kernel.LinearLearner([features]), features.read(_kernel.Texts(texts), 1)
        learner.read([read])
        opinion, scores = learner.learn(len(model.classes), is_multilabel, sets, folds, order, 2)
        return opinion.score([read], 1), scores

    found, left_out = learned(together, True, truth.sets)
    for place, name in enumerate(names):
        has = np.array([name in row for row in labels])
        alone = likely.Classifier(likely.Multinomial()).fit(texts, has)
        said, without = learned(alone, False, EncodedLabels(has.astype(np.uint32)).sets)
        # The same, less what is usual, which the prior knows.
        usual = round(128 * without[:, 1].mean()) / 128
        assert found[:, place] == pytest.approx(said[:, 1] - usual, abs=1e-9)
        assert left_out[:, place] == pytest.approx(without[:, 1] - usual, abs=1e-9)
        assert abs(left_out[:, place].mean()) <= 0.5 / 128 + 1e-9


def test_of_several_labels_it_is_heard_stored_and_made_again(of_labels):
    texts, labels = multilabel_rows(300)
    assert opinion_of(of_labels).weight > 0
    alone = likely.Classifier().fit(texts, labels)
    assert of_labels.tuning.log_likelihood > alone.tuning.log_likelihood
    back = from_bytes(of_labels.to_bytes())
    assert (back.predict_proba(texts) == of_labels.predict_proba(texts)).all()
    again = back.leave_one_out(texts, labels)
    assert again.scores == pytest.approx(of_labels.loo.scores, abs=1e-9)
    assert again.predictions == of_labels.loo.predictions
    mixed = np.random.default_rng(1).permutation(len(texts))
    other = likely.Classifier(stack_linear=True, threads=3)
    other.fit([texts[row] for row in mixed], [labels[row] for row in mixed])
    assert other.to_bytes() == of_labels.to_bytes()


def test_of_several_labels_explanations_add_up(of_labels):
    for text in [*multilabel_rows(10, seed=2)[0], "", "never seen", "anchor"]:
        why = of_labels.explain(text)
        odds = sum(term.scores for term in why.contributions)
        assert 1 / (1 + np.exp(-odds)) == pytest.approx(of_labels.predict_proba([text])[0])


def test_of_several_labels_kinds_of_evidence_add_up(of_labels):
    texts, labels = multilabel_rows(10, seed=2)
    kinds = of_labels.scores_by_view(texts)
    assert [kind.spelled for kind, _ in kinds].count("stacked linear model") == 1
    evidence = sum(scores for _, scores in kinds) + of_labels.fitted.log_prior
    found = of_labels.fitted.posterior(evidence, 1)
    assert found == pytest.approx(of_labels.predict_proba(texts), abs=1e-9)
    assert "stacked linear model" in [
        kind.view for kind in of_labels.column_importance(texts, labels)
    ]


def test_of_several_labels_it_remembers_until_it_is_formed_anew(of_labels):
    texts, labels = multilabel_rows(300)
    other = from_bytes(of_labels.to_bytes())
    receipt = other.forget(texts[:5], labels[:5])
    assert any("stacked linear model" in line and "remembers" in line for line in receipt.inexact)
    other.tune(texts[5:], labels[5:])
    scratch = likely.Classifier(stack_linear=True).fit(texts[5:], labels[5:])
    assert (other.predict_proba(texts) == scratch.predict_proba(texts)).all()


def test_multilabel_rows_are_stratified_by_the_rarest():
    sets = LabelSets.of(members([["a", "b"], ["a"], [], ["a", "b"], ["a"], ["c", "b"]]))
    found = EncodedLabelSets(sets.slots, 3)
    assert found.strata.tolist() == [1, 0, 3, 1, 0, 2]
    assert [found.ranks[row] == found.ranks[0] for row in range(6)] == [1, 0, 0, 1, 0, 0]
    assert len(set(found.ranks.tolist())) == 4


def test_leaving_out_is_made_again_from_the_rows(model):
    again = from_bytes(model.to_bytes()).leave_one_out(*pictures(240))
    assert again.scores == pytest.approx(model.loo.scores, abs=1e-9)


def mixed_table(rows, seed=0):
    """Two texts, a category, numbers with gaps: what counts is a sum that no column tells alone."""
    random = np.random.default_rng(seed)
    texts, _ = pictures(rows, seed)
    kinds = random.integers(0, 3, rows)
    a, b = random.normal(size=(2, rows)).round(2)
    total = a - b + 0.8 * (kinds == 1) + 0.8 * np.array(["anchor" in text for text in texts])
    labels = np.where(total + random.normal(size=rows) / 2 > 0.5, "high", "low").tolist()
    a = [
        None if gone else float(value)
        for gone, value in zip(random.random(rows) < 0.1, a, strict=True)
    ]
    cells = [None if kind == 2 and random.random() < 0.3 else "uvw"[kind] for kind in kinds]
    mirrored = [text[::-1] for text in texts]
    return {"s": texts, "t": mirrored, "c": cells, "a": a, "b": b.tolist(), "y": labels}


ROLES = {"s": "text", "t": "text", "c": "categorical"}


@pytest.fixture(scope="module")
def mixed():
    return likely.Classifier(columns=ROLES, stack_linear=True).fit(mixed_table(300), "y")


def without_labels(table):
    return {name: cells for name, cells in table.items() if name != "y"}


def test_one_linear_model_reads_all_columns(mixed):
    rows = without_labels(mixed_table(60, seed=5))
    opinion = opinion_of(mixed)
    assert len(opinion.features) == 5
    assert sorted(opinion.columns(mixed.fitted.product)) == ["a", "b", "c", "s", "t"]
    plain = likely.Classifier(columns=ROLES).fit(mixed_table(300), "y")
    assert mixed.tuning.log_likelihood > plain.tuning.log_likelihood
    back = from_bytes(mixed.to_bytes())
    assert (back.predict_proba(rows) == mixed.predict_proba(rows)).all()
    assert (mixed.compact().predict_proba(rows) == mixed.predict_proba(rows)).all()
    again = back.leave_one_out(mixed_table(300), "y")
    assert again.scores == pytest.approx(mixed.loo.scores, abs=1e-9)


def test_of_no_rows_nothing_is_said(mixed, model):
    nothing = {name: [] for name in ("s", "t", "c", "a", "b")}
    assert mixed.predict_proba(nothing).shape == (0, 2)
    assert model.predict_proba([]).shape == (0, 3)


def test_a_text_without_a_view_is_left_to_the_linear_model(model, of_labels):
    for stacked, texts in ((model, pictures(5)[0]), (of_labels, multilabel_rows(5)[0])):
        alone = with_weights(stacked, ())
        tuning = replace(alone.fitted.tuning, stacked=stacked.tuning.stacked)
        alone = likely.Classifier.of(alone.spec, replace(alone.fitted, tuning=tuning), 1)
        fitted = alone.fitted
        said = fitted.stacked.score(fitted.product, fitted.classes, (_kernel.Texts(texts),), 1)
        assert alone.fitted.scores_of(texts, 1) == pytest.approx(said + fitted.log_prior)
        back = from_bytes(alone.to_bytes())
        assert (back.predict_proba(texts) == alone.predict_proba(texts)).all()
        assert len(alone.explain(texts[0]).contributions) > 1


def test_few_rows_at_once_say_the_same_as_many(mixed, monkeypatch):
    rows = without_labels(mixed_table(60, seed=5))
    together = mixed.predict_proba(rows)
    monkeypatch.setattr("likely.likelihoods.stacked_linear._AT_ONCE", 7)
    assert (mixed.predict_proba(rows) == together).all()
    again = likely.Classifier(columns=ROLES, stack_linear=True).fit(mixed_table(300), "y")
    assert again.to_bytes() == mixed.to_bytes()


def test_neither_order_nor_threads_show_in_a_table(mixed):
    table = mixed_table(300)
    order = np.random.default_rng(1).permutation(300)
    other = likely.Classifier(columns=ROLES, stack_linear=True, threads=3)
    other.fit({name: [cells[row] for row in order] for name, cells in table.items()}, "y")
    assert other.to_bytes() == mixed.to_bytes()
    assert (other.loo.scores == mixed.loo.scores[order]).all()


def test_explanations_of_tables_add_up_by_column_and_word(mixed):
    table = without_labels(mixed_table(20, seed=3))
    plain = mixed.fitted.product.contributions
    for row in range(20):
        one = {name: cells[row] for name, cells in table.items()}
        why = mixed.explain(one)
        scores = sum(term.scores for term in why.contributions)
        (expected,) = np.log(mixed.predict_proba({name: [cell] for name, cell in one.items()}))
        assert scores - scores.max() == pytest.approx(expected - expected.max(), abs=1e-9)
        assert [term.kind for term in why.contributions].count("intercept") == 1
        # What it says of a column is added to what the counts say of it.
        columns = [term.columns for term in why.contributions if len(term.columns) == 1]
        assert len(columns) == len(set(columns))
        parts = mixed.fitted.read(Table.of({name: [cell] for name, cell in one.items()}))
        counted = [term for terms in plain(mixed.fitted.weights, parts) for term in terms]
        assert len(why.contributions) > len(counted)


def test_views_of_tables_add_up(mixed):
    table = mixed_table(30, seed=4)
    kinds = mixed.scores_by_view(without_labels(table))
    (stacked,) = [kind for kind, _ in kinds if kind.spelled == "stacked linear model"]
    assert sorted(stacked.columns) == ["a", "b", "c", "s", "t"]
    total = sum(scores for _, scores in kinds) + mixed.fitted.log_prior
    expected = np.log(mixed.predict_proba(without_labels(table)))
    assert total - total[:, :1] == pytest.approx(expected - expected[:, :1], abs=1e-9)
    without = {kind.view: kind for kind in mixed.column_importance(table, "y")}
    assert not without["stacked linear model"].is_part


@pytest.mark.parametrize("name", ["3/standard", "3/cuts", "2/value/bytes", "4/cuts"])
def test_features_of_tables_that_make_no_sense_are_refused(mixed, name):
    metadata, arrays = container.unpack(mixed.to_bytes())
    known = f"stacked/{name}"
    if known not in arrays:
        known = next(n for n in arrays if n.startswith("stacked/2/") and n.endswith("/bytes"))
    array = arrays[known]
    for damaged in (array[:-1], array[::-1], array * 0, None):
        broken = {n: a for n, a in arrays.items() if n != known}
        if damaged is not None:
            broken[known] = np.ascontiguousarray(damaged)
        if damaged is not None and name.endswith("standard") and damaged.any():
            # Another mean, another deviation: as good as any, if it is none below zero.
            continue
        if name.endswith("standard") and damaged is not None and len(damaged) == 2:
            assert from_bytes(container.pack(metadata, broken)).to_bytes()
            continue
        with pytest.raises(ModelError):
            from_bytes(container.pack(metadata, broken))


def test_a_table_is_separated_as_by_liblinear():
    """The same features and the same penalty, found by another program."""
    from sklearn.svm import LinearSVC

    made = mixed_table(400)
    table = {name: made[name] for name in ("a", "b", "c", "y")}
    counted = likely.Classifier(columns={"c": "categorical"}).fit(table, "y")
    fitted = counted.fitted
    truth = np.array([fitted.labels.index(label) for label in table["y"]], dtype=np.uint32)
    parts = fitted.read(Table.of(without_labels(table)))
    hashes = np.arange(400, dtype=np.uint64)
    given = fitted.plan.product, fitted.tally.statistics, fitted.classes, [parts]
    found, _ = form(*given, EncodedLabels(truth), hashes, hashes, 1)
    arrays = found.arrays()
    folded = arrays["weights"].astype(np.int64)
    ours = np.zeros(sum(one.width for one in found.features))
    ours[arrays["cells"] == 1] = (folded >> 1 ^ -(folded & 1)) / 128
    matrix = by_hand(table, found)
    side = np.where(truth == 1, 1.0, -1.0)
    svm = LinearSVC(C=1.0, tol=1e-6, max_iter=100_000).fit(matrix, side)
    best = objective(matrix, side, svm.coef_[0], svm.intercept_[0])
    reached = objective(matrix, side, ours, found.model.intercepts[1])
    assert best <= reached + 1e-6
    assert reached <= 1.03 * best
    scores = replace(found, weight=1.0).score(fitted.product, fitted.classes, parts, 1)
    assert scores[:, 1] == pytest.approx(matrix @ ours + found.model.intercepts[1], abs=1e-5)


def by_hand(table, found):
    """The features of the table, in plain Python, over the root of the number of columns."""
    rows = [[] for _ in table["y"]]
    *numbers, _ = found.features
    for name, features in zip("ab", numbers, strict=True):
        there = [value for value in table[name] if value is not None]
        mean, deviation = np.mean(there), np.std(there)
        cuts = features.spread.cuts
        assert len(cuts) == round(len(there) ** (1 / 3)) - 1
        for row, value in zip(rows, table[name], strict=True):
            place = None if value is None else int((cuts <= value).sum())
            standard = 0.0 if value is None else min(max((value - mean) / deviation, -3), 3)
            row += [standard, float(value is None)]
            row += [float(place == each) for each in range(len(cuts) + 1)]
    values = sorted({cell for cell in table["c"] if cell})
    for row, cell in zip(rows, table["c"], strict=True):
        row += [float(cell == value) for value in values] + [float(cell is None)]
    return np.array(rows) / np.sqrt(3)


def test_rows_of_the_same_texts_are_left_out_together():
    texts, labels = pictures(60)
    table = {
        "s": [text for text in texts for _ in range(2)],
        "n": [row % 7 + row % 2 / 2 for row in range(120)],
    }
    table["y"] = [label for label in labels for _ in range(2)]
    model = likely.Classifier(columns={"s": "text"}, stack_linear=True).fit(table, "y")
    known = TrainingRows.of(
        model.fitted.product,
        model.fitted.classes,
        lambda: model.fitted.batches(model.labeled(table, "y")),
    )
    folds = assign_folds(known.truth.strata, known.groups)
    assert (folds[::2] == folds[1::2]).all()
    assert len(np.unique(known.hashes)) == 120


def test_without_tuning_there_is_none():
    with pytest.raises(OptionError, match="tune=True"):
        likely.Classifier(likely.Multinomial(), stack_linear=True)


def test_few_rows_are_enough_to_go_on():
    texts, labels = ["good", "so good", "bad", "so bad", "bad"], ["p", "p", "n", "n", "n"]
    model = likely.Classifier(stack_linear=True).fit(texts, labels)
    assert (
        from_bytes(model.to_bytes()).predict(["good"]).tolist() == model.predict(["good"]).tolist()
    )


def test_it_goes_by_scikit_learns_interface(model):
    texts, labels = pictures(240)
    theirs = LikelyClassifier(stack_linear=True).fit(texts, labels)
    assert (theirs.predict_proba(texts) == model.predict_proba(texts)).all()


def test_the_border_is_liblinears():
    """Of one tally, the same features and the same penalty, found by another program."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import LinearSVC

    texts, labels = pictures(400)
    truth = np.array([CLASSES.index(label) for label in labels], dtype=np.uint32)
    counted = likely.Classifier(likely.Multinomial(text=likely.Text((1, 2)))).fit(texts, labels)
    found, _ = formed(counted, texts, truth)
    ours = weights_of(found, 3)
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2, token_pattern=r"\w+")
    matrix = words.fit_transform(texts)
    names = words.get_feature_names_out()
    assert sorted(ours) == sorted(names)
    for place in range(3):
        side = np.where(truth == place, 1.0, -1.0)
        sums = np.array([1 + matrix[side == s].sum(axis=0).A1 for s in (1, -1)])
        ease = abs(np.log(sums[0] / sums[0].sum()) - np.log(sums[1] / sums[1].sum()))
        eased = matrix.multiply(np.sqrt(ease)).tocsr()
        svm = LinearSVC(C=1.0, tol=1e-6, max_iter=100_000).fit(eased, side)

        best = objective(eased, side, svm.coef_[0], svm.intercept_[0])
        mine = np.array([ours[name][place] for name in names]) / np.sqrt(ease)
        reached = objective(eased, side, mine, found.model.intercepts[place])
        assert best <= reached + 1e-6
        assert reached <= 1.03 * best


def objective(matrix, side, weights, intercept):
    loss = np.maximum(0, 1 - side * (matrix @ weights + intercept)) ** 2
    return (weights @ weights + intercept**2) / 2 + loss.sum()


def weights_of(opinion, classes):
    """The weights of each feature, by its name, out of the arrays of the file."""
    arrays = {name.removeprefix("0/"): array for name, array in opinion.arrays().items()}
    ends = np.cumsum(arrays["words/lengths"])
    spelled = arrays["words/bytes"].tobytes()
    words = [
        spelled[end - n : end].decode()
        for end, n in zip(ends, arrays["words/lengths"], strict=True)
    ]
    plain_views = np.repeat(words, arrays["2-grams/children"])
    lasts = [words[place] for place in arrays["2-grams/lasts"]]
    bigrams = [f"{first} {last}" for first, last in zip(plain_views, lasts, strict=True)]
    cell, found = 0, {}
    for name, cells in zip([*words, *bigrams], arrays["cells"], strict=True):
        weights = np.zeros(classes)
        folded = arrays["weights"][cell : cell + cells].astype(np.int64)
        weights[arrays["classes"][cell : cell + cells]] = (folded >> 1 ^ -(folded & 1)) / 128
        cell += cells
        found[name] = weights
    return found
