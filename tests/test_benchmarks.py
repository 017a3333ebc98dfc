"""The benchmarks: one command, every table in quick form, and what they compute by themselves."""

import gc
import json
import re
import shutil
import threading
import time
import xml.etree.ElementTree as ElementTree
from contextlib import contextmanager, suppress
from socketserver import StreamRequestHandler, ThreadingTCPServer

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.stats import multivariate_normal, ttest_rel
from sklearn.dummy import DummyClassifier
from sklearn.metrics import log_loss, roc_auc_score

from benchmarks.__main__ import main
from benchmarks.catalogue import CATALOGUE
from benchmarks.claims import argmax, bias_variance, fragmentation, gaussians, lexicon_picture
from benchmarks.claims.correlated_features import with_copies
from benchmarks.claims.cost import times
from benchmarks.claims.dataset import of_columns, of_texts
from benchmarks.claims.intervals import mean, negated, percent, points
from benchmarks.claims.irrelevant_features import with_noise
from benchmarks.claims.knn_bags import without_repeated
from benchmarks.claims.ngrams import sparsity
from benchmarks.claims.smoothing_rare_words import answers, decided_by_rare
from benchmarks.claims.verdicts import side, verdict
from benchmarks.cluster.spark import has_java
from benchmarks.data import Corpus, Data, MissingError
from benchmarks.labeling import estimates
from benchmarks.labeling import picture as labeling_picture
from benchmarks.labeling.annotator import sessions
from benchmarks.made_up.folder import write_folder
from benchmarks.peers import searched_neighbors
from benchmarks.run import Run
from benchmarks.serve import load
from benchmarks.table import COMPARISON, Cell, Table, Target, comparison
from benchmarks.tables import folds, wins
from benchmarks.tables.accuracy import Answers, answered, paired
from benchmarks.text.ablation import mcnemar
from benchmarks.text.hostile import colliding_words, fnv1a
from likely import Classifier, Gaussian
from likely.evaluation.intervals import Figure
from likely.sklearn import MultinomialNB

# Without these, the table is skipped: a program to be built, and packages that are rarely there.
MAY_BE_SKIPPED = {"speed.word-counter", "speed.vowpal-wabbit"}
MAY_BE_SKIPPED |= {"serve.throughput", "serve.overload"}
if not has_java():
    MAY_BE_SKIPPED |= {name for name in CATALOGUE if "Java" in CATALOGUE[name].needs}

# What sums up another table, or several of which one will do.
SUMMARIES = {
    "accuracy.wins": "accuracy.texts",
    "tables.wins": "tables.accuracy",
    "labeling.estimates": "labeling.curves",
    "claims.verdicts": "claims.ngrams",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    # Every timing collects garbage first, which takes long among the objects of other tests.
    gc.freeze()
    yield Run(Data(write_folder(tmp_path_factory.mktemp("data"))), quick=True)
    gc.unfreeze()


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", CATALOGUE)
def test_every_table_is_measured_in_quick_form(name, run, monkeypatch):
    which = shutil.which
    # No cargo: building takes minutes.
    monkeypatch.setattr("shutil.which", lambda name: None if name == "cargo" else which(name))
    if name in SUMMARIES:
        _ = SUMMARIES[name] in run.tables or run.measure(SUMMARIES[name])
    table = run.measure(name)
    if table.status == "skipped" and name in MAY_BE_SKIPPED:
        assert table.reasons
        return
    assert table.status == "measured", table.reasons
    assert table.rows
    assert all(table.columns[0] in row for row in table.rows)
    if table.columns != COMPARISON:
        shown = {key for row in table.rows for key in row}
        assert shown >= set(table.columns) - {"NB, 5,000", "theirs"}
    assert table.to_text().startswith(f"## {name}: {CATALOGUE[name].title}")
    json.dumps(table.to_json(), default=lambda value: value.item())


def test_without_names_the_tables_are_listed(capsys):
    assert main([]) == 0
    listed = capsys.readouterr().out
    assert all(f"| {name} " in listed for name in CATALOGUE)
    assert all(entry.title in listed for entry in CATALOGUE.values())


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("life", "`speed.life`"),
        ("few", "`claims.few-rows`"),
        ("text.ablatoin", "`text.ablation`"),
        ("claims.few_rows", "`claims.few-rows`"),
        ("spead", "`speed`"),
    ],
)
def test_an_unknown_name_is_answered_with_near_ones(name, meant, capsys):
    assert main(["speed.imports", name]) == 2
    printed, complaint = capsys.readouterr()
    assert not printed
    assert re.fullmatch(f"there is no table `{name}`; did you mean .*\\?\n", complaint)
    assert meant in complaint


def test_a_failed_and_a_skipped_table_do_not_stop_the_others(capsys, monkeypatch):
    def fails(run):
        yield {"bits": 1}
        raise ValueError("no luck")

    monkeypatch.setattr(fragmentation, "rows", fails)
    names = ["claims.fragmentation", "accuracy.wins", "claims.ngrams"]
    assert main([*names, "--quick"]) == 1
    printed, progress = capsys.readouterr()
    assert "| rt_polarity | 1 |" in printed
    assert printed.index("## claims.ngrams") < printed.index("failed: claims.fragmentation")
    assert "failed: claims.fragmentation: ValueError: no luck\n" in printed
    assert "skipped: accuracy.wins: it sums up `accuracy.texts`" in printed
    assert "[3/3] claims.ngrams" in progress


def test_json_is_one_document_with_machine_versions_and_targets(capsys):
    assert main(["speed.scikit-learn", "--quick", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["quick"] is True
    assert report["machine"]
    assert report["versions"]["numpy"] == np.__version__
    (table,) = report["tables"]
    assert table["name"] == "speed.scikit-learn"
    assert set(table["columns"]) <= {key for row in table["rows"] for key in row}
    assert table["targets"][0]["row"] == "train, words"
    assert table["targets"][0]["target"] == "≥ 20, aim 30"


def test_a_table_is_as_wide_as_its_cells():
    rows = [{"a": 1234, "b": Cell(0.5, "half")}, {"a": 0.25, "b": True, "c": 3}]
    table = Table("t.t", "Title", ("a", "b"), "Notes.", rows)
    lines = ["| a      | b    |", "| ------ | ---- |", "| 1,234  | half |", "| 0.2500 | yes  |"]
    assert table.to_text() == "\n\n".join(["## t.t: Title", "Notes.", "\n".join(lines)])
    assert table.to_json()["rows"] == [{"a": 1234, "b": 0.5}, {"a": 0.25, "b": True, "c": 3}]


def test_a_target_is_for_the_ratio_or_without_a_peer_for_the_figure():
    assert comparison("x", 6.0, "s", 2.0, "y", Target(3))["met"]
    assert not comparison("x", 6.0, "s", 2.0, "y", Target(2, at_most=True))["met"]
    assert comparison("x", 6.0, "s", target=Target(6, at_most=True))["target"] == "≤ 6"


def test_missing_data_is_noted_and_made_up_text_takes_its_place(tmp_path):
    data = Data(tmp_path)
    (tmp_path / "cr").mkdir()
    assert list(data.present("cr", "imdb")) == ["cr"]
    assert data.missing == [f"imdb: there is no `{tmp_path / 'imdb'}`"]
    with pytest.raises(MissingError, match="there is no"):
        data.texts("imdb", "train")
    corpus = data.reviews("train", 0.01)
    assert corpus.name == "made-up text"
    assert 0.01 <= corpus.megabytes < 0.05


def test_a_set_without_a_test_file_is_split_in_the_same_way_each_time(tmp_path):
    data = Data(write_folder(tmp_path))
    train, test = data.split("cr")
    assert (len(train.texts), len(test.texts)) == (640, 160)
    assert sorted([*train.texts, *test.texts]) == sorted(data.texts("cr", "all").texts)
    assert data.split("cr")[1].texts == test.texts


def test_a_table_loses_its_names_and_keeps_its_official_split(tmp_path):
    data = Data(write_folder(tmp_path))
    table = folds.read(data, "adult")
    assert list(table.x) == ["number 0", "number 1", "color 0", "color 1"]
    assert list(table.x["color 0"].cat.categories) == ["blue", "red"]
    assert table.x["color 0"].isna().any()
    ((train, test),) = table.folds
    assert (train == range(800)).all()
    assert (test == range(800, 1600)).all()
    learned = data.columns("adult", "train", "income")[1]
    assert (table.y[train] == learned).all()
    assert len(folds.read(data, "titanic").folds) == 5


def test_every_row_of_a_table_is_predicted_by_a_model_that_did_not_learn_it(tmp_path):
    table = folds.read(Data(write_folder(tmp_path)), "titanic")
    found = answered(DummyClassifier, table)
    predicted = np.concatenate([test for _, test in table.folds])
    assert sorted(predicted) == list(range(800))
    shares = [np.mean(table.y[train] == "yes") for train, test in table.folds for _ in test]
    assert found.proba[:, 1] == pytest.approx(shares)
    assert (found.truth == (table.y[predicted] == "yes")).all()


def test_the_figures_of_a_table_are_scikit_learns():
    draw = np.random.default_rng(0)
    proba, truth = draw.dirichlet([1, 1, 1], 60), draw.integers(3, size=60)
    proba[0] = np.eye(3)[(truth[0] + 1) % 3]
    found = Answers(truth, proba, 0.0)
    assert found.losses.mean() == pytest.approx(log_loss(truth, proba))
    assert found.auc == pytest.approx(roc_auc_score(truth, proba, multi_class="ovr"))
    other = draw.random(60)
    difference, error = paired(found.losses - other)
    assert difference / error == pytest.approx(ttest_rel(found.losses, other).statistic)


def test_wins_on_tables_are_counted_by_log_loss_and_standard_error(tmp_path):
    run = Run(Data(tmp_path), quick=True)
    losses = {"a": (0.2, 0.3, 0.1), "b": (0.2, 0.25, 0.15), "c": (0.2, 0.1, 0.15)}
    rows = []
    for table, values in losses.items():
        for system, loss in zip(("Classifier()", "x", "y"), values, strict=True):
            row = {"table": table, "system": system, "log-loss": Cell(loss, "")}
            row |= {"difference": Cell(loss - 0.2, ""), "SE": Cell(0.07, "")}
            rows.append(row)
    run.tables["tables.accuracy"] = Table("tables.accuracy", "", (), rows=rows)
    default, x, y = wins.rows(run)
    assert default == {"system": "Classifier()", "tables": 3, "mean rank": (7 / 3, "2.33")}
    assert x["mean rank"] == (7 / 3, "2.33")
    assert (x["ahead"], x["ahead by 1 SE"], x["behind by 1 SE"]) == (2, 1, 1)
    assert (y["ahead"], y["ahead by 1 SE"], y["behind by 1 SE"]) == (0, 0, 1)


def test_only_the_systems_asked_for_are_compared_with_the_default(capsys):
    arguments = ["tables.accuracy", "--quick", "--json", "--systems"]
    assert main([*arguments, "LogisticRegression"]) == 0
    (table,) = json.loads(capsys.readouterr().out)["tables"]
    assert {row["system"] for row in table["rows"]} == {"Classifier()", "LogisticRegression"}
    assert main([*arguments, "LogisticRegression,logit"]) == 0
    (table,) = json.loads(capsys.readouterr().out)["tables"]
    assert table["status"] == "skipped"
    assert table["reasons"][0].startswith("there is no system `logit`; there are Classifier(), ")


def test_an_even_split_is_no_evidence_and_a_clean_sweep_is():
    assert mcnemar(0, 0) == mcnemar(3, 3) == 1
    assert mcnemar(8, 0) == mcnemar(0, 8) == pytest.approx(2 / 2**8)
    assert mcnemar(9, 1) == pytest.approx(2 * (1 + 10) / 2**10)


def test_fnv1a_is_the_published_one():
    assert fnv1a("") == 0x811C9DC5
    assert fnv1a("foobar") == 0xBF9CF968


def test_words_made_to_collide_are_different_and_collide():
    words = colliding_words(3)
    assert len(set(words)) == 8
    assert len({fnv1a(word) for word in words}) == 1


def test_an_interval_takes_a_side_if_all_of_it_is_on_one_side():
    assert side(Figure(0.02, 0.01, 0.03)) == "for"
    assert side(Figure(0.02, -0.01, 0.05)) == "open"
    assert side(Figure(-0.02, -0.03, -0.01)) == "against"
    assert side(Figure(-0.005, -0.009, -0.001), above=-0.01) == "for"


def test_a_verdict_follows_from_what_side():
    assert verdict(["for", "for", "open"]) == "holds"
    assert verdict(["for", "open"]) == "holds in part"
    assert verdict(["for", "for", "for", "against"]) == "holds in part"
    assert verdict(["for", "against", "against"]) == "does not hold here"
    assert verdict(["open", "open"]) == "does not hold here"


def test_the_interval_of_a_mean_is_students():
    figure = mean([1.0, 2.0, 3.0])
    assert figure == 2
    assert figure.high - 2 == 2 - figure.low == pytest.approx(4.3027 / np.sqrt(3), abs=1e-4)


def test_figures_are_printed_in_percent_and_points():
    figure = Figure(0.012, 0.008, 0.016)
    assert percent(figure).value == (0.012, 0.008, 0.016)
    assert percent(figure).text == "1.2 ± 0.4"
    assert points(figure).text == "+1.2 [+0.8, +1.6]"
    assert points(negated(figure)).text == "-1.2 [-1.6, -0.8]"


def test_a_ratio_is_a_geometric_mean():
    assert times(np.array([1.0, 2.0]), np.array([4.0, 32.0])) == pytest.approx(8)


def test_sparsity_counts_what_is_seen_once_and_what_is_new():
    learned, asked = csr_matrix([[2, 1, 0], [0, 0, 0]]), csr_matrix([[3, 0, 1]])
    assert sparsity(learned, asked) == (2, 0.5, 0.25)


def test_the_true_posterior_is_bayes_rule():
    x, y, posterior = argmax.draw(False, 0.6, 4000, np.random.default_rng(0))
    assert np.mean((posterior > 0.5) == y) > 0.8
    # Where the posterior says 30 %, about 30 % are of class 1.
    near = abs(posterior - 0.3) < 0.15
    assert y[near].mean() == pytest.approx(posterior[near].mean(), abs=0.06)
    centres = [x[y == c].mean(axis=0) for c in (0, 1)]
    within = np.cov(np.vstack([x[y == c] - centres[c] for c in (0, 1)]).T)
    density = [multivariate_normal(centres[c], within).logpdf(x) for c in (0, 1)]
    assert np.mean((density[1] > density[0]) == (posterior > 0.5)) > 0.95


def test_bits_tell_less_the_more_there_are():
    for n_bits in (1, 25, 125):
        x, y = fragmentation.draw(n_bits, 4000, 0)
        assert np.mean((x.sum(axis=1) > n_bits / 2) == y) == pytest.approx(0.9, abs=0.02)


def test_noise_columns_hold_the_cells_of_others_and_copies_their_own():
    column = np.arange(50.0)
    contest = of_columns("rows", {"a": column}, np.array(["x", "y"] * 25))
    noisy, copied = with_noise(contest, 2, 0).cells, with_copies(contest, 3, 0).cells
    assert len(noisy) == len(copied) == 3
    assert all(sorted(cells) == column.tolist() for cells in noisy.values())
    assert sum((cells == column).all() for cells in noisy.values()) == 1
    assert all((cells == column).all() for cells in copied.values())


def test_noise_words_are_as_many_and_none_is_known():
    contest = of_texts(Corpus("texts", ["good fun", "dull"], ["pos", "neg"]))
    good, dull = with_noise(contest, 3, 0).cells
    assert good.startswith("good fun ")
    assert len(good.split()) == 8
    assert len(dull.split()) == 4
    assert all(word.startswith("noise") for word in [*good.split()[2:], *dull.split()[1:]])


@pytest.mark.parametrize("kind", ["correlated", "shared", "independent"])
def test_made_up_gaussians_are_what_their_kind_says(kind):
    dataset, posterior = gaussians.draw(kind, 3, 20_000, np.random.default_rng(0))
    x, y = np.column_stack(list(dataset.cells.values())), dataset.labels
    covariances = [np.cov(x[y == c].T) for c in (0, 1)]
    alike = np.allclose(*covariances, atol=0.1)
    is_diagonal = all(np.allclose(own, np.diag(np.diag(own)), atol=0.05) for own in covariances)
    assert (alike, is_diagonal) == (kind == "shared", kind == "independent")
    scores = [multivariate_normal(x[y == c].mean(axis=0), covariances[c]).logpdf(x) for c in (0, 1)]
    assert 1 / (1 + np.exp(scores[0] - scores[1])) == pytest.approx(posterior[:, 1], abs=0.1)


def test_the_squared_error_of_probabilities_is_bias_and_variance():
    chance = np.random.default_rng(0)
    probable, truth = chance.dirichlet([1, 2, 3], (7, 50)), chance.dirichlet([1, 1, 1], 50)
    bias, variance = bias_variance.decomposed(probable, truth)
    assert bias + variance == pytest.approx(((probable - truth) ** 2).sum(axis=2).mean())
    assert bias_variance.decomposed(np.stack([truth] * 7), truth) == pytest.approx((0, 0))
    # Models that are right on average have no bias, however far apart they are.
    noisy = truth + chance.normal(0, 0.1, (5000, 50, 3))
    assert bias_variance.decomposed(noisy, truth) == pytest.approx((0, 0.03), abs=0.0005)


def test_parameters_are_counted_as_a_model_counts_them():
    chance = np.random.default_rng(0)
    x, y = chance.normal(size=(60, 5)), np.arange(60) % 3
    assert bias_variance.parameters(5, 3) == {
        who: Classifier(Gaussian(covariance)).fit(x, y).parameters.likelihood
        for who, covariance in gaussians.COVARIANCES.items()
    }


def test_a_repeated_text_is_kept_once_where_it_first_stood():
    corpus = Corpus("texts", ["b", "a", "b", "c"], ["1", "2", "3", "4"])
    assert list(without_repeated(corpus).pairs) == [("b", "1"), ("a", "2"), ("c", "4")]


def test_neighbors_go_by_angle_or_by_distance():
    learned, y = csr_matrix([[1, 0], [0, 9]] * 5), ["near", "far"] * 5
    asked = csr_matrix([[0, 1]])
    assert searched_neighbors(10).fit(learned, y).predict(asked) == ["near"]
    by_angle = searched_neighbors(10, tfidf=True).fit(learned, y)
    assert by_angle.predict(asked) == ["far"]
    assert by_angle[-1].param_grid == {"n_neighbors": [1, 3, 5]}


def test_rare_words_make_texts_impossible_or_decide_them():
    learned, y = csr_matrix([[9, 0, 6, 0], [0, 1, 3, 3]]), np.array(["a", "b"])
    asked = csr_matrix([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 0, 0]])
    without = csr_matrix([[1, 0, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]])
    split = {
        alpha: answers(
            MultinomialNB(alpha=alpha).fit(learned, y), asked, without, np.array(["b"] * 3)
        )
        for alpha in (0, 1)
    }
    assert split[0].impossible.tolist() == [True, False, False]
    assert split[0].losses == pytest.approx([np.log(2), 0, np.inf])
    # With α = 1 the classes have 15 + 4 and 7 + 4 words, and the odds of `a` are
    odds = [10 * 1 / 19**2 / (1 * 2 / 11**2), 1 * 7 / 19**2 / (2 * 4 / 11**2), 10 / 19 / (1 / 11)]
    assert split[1].losses == pytest.approx(np.log1p(odds))
    assert not split[1].impossible.any()
    assert split[1].right.tolist() == [False, True, False]
    # Without the second word, 7/19 is more than 4/11.
    assert not split[1].right_without.any()
    assert decided_by_rare(split).tolist() == [False, True, False]


def test_learning_curves_are_drawn_where_their_figures_are(run):
    table = run.measure("claims.lexicon-few-labels").to_json()
    picture = ElementTree.fromstring(lexicon_picture.drawing(table["rows"]))
    svg = "{http://www.w3.org/2000/svg}"
    panels = {one.findtext(f"{svg}title"): one for one in picture.findall(f"{svg}g")[1:]}
    assert list(panels) == ["rt_polarity", "cr", "sst2", "imdb"]
    heights, figures = [], []
    for row in table["rows"]:
        if row["labels"] == 30:
            marks = panels[row["set"]].findall(f"{svg}path[@class='point s0']")
            heights.append(float(re.findall(r"[\d.]+", marks[1].get("transform"))[1]))
            figures.append(row["words"][0])
    assert np.corrcoef(heights, figures)[0, 1] == pytest.approx(-1, abs=1e-4)


@pytest.mark.parametrize("queue", ["random", "mixed", "uncertain"])
def test_an_annotator_answers_the_truth_as_a_queue_asks(queue, run):
    corpus = run.data.whole("sms_spam")
    found = []
    for _ in range(2):
        drawn = sessions(corpus, queue, 3, (5, 24))
        assert len(next(drawn).seen.agreed) == 5
        session = next(drawn)
        found.append({item: said for item, (said,) in session.seen.agreed.items()})
        checked = set(session.check_rows.tolist()) & found[-1].keys()
        assert next(drawn, None) is None
    assert found[0] == found[1]
    assert len(found[0]) == 24
    assert all(corpus.labels[item] == said for item, said in found[0].items())
    # Ten random rows first, then every fourth.
    assert len(checked) == {"random": 24, "mixed": 13, "uncertain": 0}[queue]


def test_a_set_is_whole_with_the_rows_of_both_its_files(tmp_path):
    data = Data(write_folder(tmp_path))
    train, test = data.split("r8")
    assert data.whole("r8").texts == train.texts + test.texts
    assert data.whole("r8").labels == train.labels + test.labels
    assert data.whole("cr").texts == data.texts("cr", "all").texts


def test_what_a_page_says_is_judged_by_what_is_true(tmp_path):
    def session(said, true, forecast=None):
        accuracy = {"value": said, "low": said - 0.1, "high": said + 0.1}
        label = {"left": 30, "low": 20, "high": 35, "true": 40}
        unseen = {"rare": label, "frequent": {**label, "true": 60}}
        page = {"accuracy": accuracy, "unseen": unseen, "left": 100, "forecast": forecast}
        return {"true": true, **page}

    run = Run(Data(tmp_path), quick=True)
    with pytest.raises(MissingError, match=r"`labeling.curves`"):
        list(estimates.rows(run))
    early = [session(0.6, 0.5, 0.65), session(0.8, 0.5, 0.75), session(0.55, 0.5)]
    late = [session(0.6, 0.7), session(0.6, 0.7), session(0.6, 0.7)]
    rows = [
        {"set": "a", "answers": n, "sessions": {"random": own, "mixed": own}}
        for n, own in ((50, early), (100, late))
    ]
    run.tables["labeling.curves"] = Table("labeling.curves", "", (), rows=rows)
    found = {(r["figure"], r["queue"], r["answers"]): r for r in estimates.rows(run)}
    early_accuracy = found["accuracy", "random", 50]
    assert early_accuracy["page − true"].value[0] == pytest.approx((0.1 + 0.3 + 0.05) / 3)
    assert (early_accuracy["n"], early_accuracy["held"]) == (3, 2)
    unseen = found["unseen", "mixed", 50]
    assert unseen["page − true"].value[0] == pytest.approx(-0.1)
    assert (unseen["n"], unseen["held"]) == (3, 0)
    twice = found["twice", "mixed", 50]
    assert twice["page − true"].value[0] == pytest.approx(0)
    assert twice["n"] == 2
    assert ("twice", "mixed", 100) not in found


def test_curves_of_queues_are_drawn_beside_each_other(run):
    table = run.tables.get("labeling.curves") or run.measure("labeling.curves")
    rows = table.to_json()["rows"]
    picture = ElementTree.fromstring(labeling_picture.drawing(rows))
    svg = "{http://www.w3.org/2000/svg}"
    panels = {one.findtext(f"{svg}title"): one for one in picture.findall(f"{svg}g")[1:]}
    assert list(panels) == ["sms_spam", "r8", "trec_qc", "rt_polarity"]
    for name, panel in panels.items():
        points, figures = [], []
        for code, queue in enumerate(("random", "mixed", "uncertain")):
            marks = panel.findall(f"{svg}path[@class='point s{code}']")
            points += [re.findall(r"[\d.]+", mark.get("transform")) for mark in marks]
            figures += [row[queue][0] for row in rows if row["set"] == name]
        x, y = np.array(points)[:, :2].astype(float).T
        assert np.corrcoef(y, figures)[0, 1] == pytest.approx(-1, abs=1e-4)
        assert len(set(x)) == 6
        ticks = [text.text for text in panel.iter(f"{svg}text") if text.get("text-anchor") == "end"]
        assert len(ticks) >= 3


class _Answering(StreamRequestHandler):
    """Answers each request on a connection with what the server holds."""

    def handle(self):
        with suppress(ConnectionError):
            while line := self.rfile.readline():
                if line.startswith(b"Content-Length: "):
                    size = int(line[16:])
                if line == b"\r\n":
                    self.rfile.read(size)
                    with self.server.turn:
                        time.sleep(self.server.seconds)
                    self.wfile.write(self.server.answer)


@contextmanager
def answering(status, headers, body, seconds=0.0):
    """The port of a server that takes so long for each request, one after the other."""
    with ThreadingTCPServer(("127.0.0.1", 0), _Answering) as server:
        head = f"HTTP/1.1 {status} x\r\ncontent-length: {len(body)}\r\n{headers}\r\n"
        server.answer, server.seconds = (head + body).encode(), seconds
        server.turn, server.daemon_threads = threading.Lock(), True
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


BUSY = '{"error":{"code":"busy"}}'


@pytest.mark.parametrize(
    ("status", "headers", "body", "counted"),
    [
        (200, "", "x" * 300_000, "200"),
        (200, "connection: close\r\n", "{}", "200"),
        (503, "retry-after: 1\r\n", BUSY, "503"),
        (503, "", BUSY, "0"),
        (503, "retry-after: 1\r\n", "busy", "0"),
    ],
)
def test_a_client_counts_answers_and_clear_refusals(tmp_path, status, headers, body, counted):
    asked = str(load.write(tmp_path / "asked", [load.post("/predict", {"rows": ["é" * 200_000]})]))
    with answering(status, headers, body) as port:
        for found in (
            load.closed(port, asked, 2, 0.0, 0.2),
            load.opened(port, asked, 50, 0.0, 0.2, 5.0),
        ):
            assert list(found["statuses"]) == [counted]
            assert found["asked"] > 0
            assert found["good"] == found["answered"] == found["asked"] * (counted == "200")
            assert found["refused"] == found["asked"] * (counted == "503")


def test_the_clock_of_a_request_runs_from_when_it_was_due(tmp_path):
    asked = str(load.write(tmp_path / "asked", [load.post("/predict", {"rows": ["x"]})]))
    with answering(200, "", "{}", 0.05) as port:
        # Each connection of a closed loop waits for the other; those of an open loop pile up.
        closed = load.closed(port, asked, 2, 0.0, 1.0)
        opened = load.opened(port, asked, 100, 0.0, 1.5, 0.2)
    assert closed["p50 200"] < opened["p99 200"] / 2
    assert opened["p99 200"] > 500
    assert opened["good"] < opened["answered"] / 2
