"""The catalogue of error messages, by code: a wording is changed here, and nowhere else."""

MESSAGES = {
    "missing-column": "column `{column}` is missing; the table has {known}",
    "missing-column-of-file": "{file}: column `{column}` is missing; there are {known}",
    "no-columns": "the table has no columns",
    "one-string": (
        "one string was given where rows were expected; put it in a list, or if it names a file, "
        "give `likely.open_table(path)`"
    ),
    "wrong-shape": "a table has rows and columns, not the shape {shape}",
    "rows-of-another-type": "rows are a list, an array or a table, not {type}",
    "unequal-columns": "`{first}` has {rows:,} rows but `{column}` has {length:,}",
    "repeated-column": "two columns are called `{column}`",
    "too-few-columns": "there {found}, but {needed} needed",
    "unequal-rows": "row 1 has {width} cells but row {row} has {length}",
    "not-unicode": "row {row} of `{column}` is not valid Unicode",
    "number-of-another-type": "row {row} of `{column}` is {type}, not a number",
    "repeated-column-of-file": "{file}: two columns are called `{column}`",
    "damaged-arrow-file": "{file}: it is no {kind} file, or damaged ({reason})",
    "file-is-a-model": (
        "{file}: it is a Likely model, not a table\n"
        "hint: commands take the model first, then the data; `likely train` takes data alone"
    ),
    "unknown-column": "there is no column `{column}`; {known}",
    "wrong-role": (
        "a column is text, short text, numeric, categorical, date, day-first date, vector "
        "or drop, not {role!r}"
    ),
    "label-count": "there are {rows:,} rows but {labels:,} labels",
    "label-empty": "{where} {row}: the label in `{target}` is empty",
    "no-feature-column": "{file} has no column beside its labels",
    "no-rows-in-file": "{file} has no rows, so there is nothing to learn from",
    "label-missing-value": "label {row} is missing ({label!r}); every row needs one",
    "label-missing": "label {row} is missing; every row needs one",
    "label-of-another-type": "label {row} is {type}, not text or a number",
    "mixed-labels": (
        "labels are of one kind, but {one!r} is {one_type} and {other!r} is {other_type}"
    ),
    "labels-not-a-list": "labels are a list with one label per row, not {type}",
    "not-fitted": "the model has learned nothing yet; `fit(x, y)` comes first",
    "one-class-learned": "the model has learned only `{label}`; it takes two classes to choose",
    "compact-copy": (
        "the model is a compact copy, which predicts and explains, and learns no more\n"
        "hint: the model it was made of learns and forgets; then make a copy of that"
    ),
    "unknown-class": "`{label}` is no class of the model; {known}",
    "single-label-only": "`{what}` is for single-label rows, and these are multi-label",
    "not-joint": (
        "{likelihood} scores{how} are no joint probability, so there is no `{what}`; "
        "`predict_proba` has what it does give"
    ),
    "not-one-vs-rest": (
        "`{what}` compares classes with each other, and a one-vs-rest model compares each with the "
        "rest\n"
        "hint: the model without `one_vs_rest` has it"
    ),
    "not-drawn": (
        "`{column}` cannot be drawn: {likelihood} gives no P(x | class)\n"
        "hint: Multinomial, BinaryMultinomial, Bernoulli, Gaussian, Binned, Categorical, Dates and "
        "JointTable do"
    ),
    "tuned-not-drawn": (
        "no rows can be drawn from a tuned model: its weighted scores are no P(row | class)\n"
        "hint: `model.plain()`, or `likely train --plain`, has one"
    ),
    "not-all-rows": "the model has learned {learned:,} rows, and {given:,} were given; {what}",
    "rows-repeated": "some rows were given more often than they were learned; {what}",
    "not-a-model-column": "the model has no column `{column}`; {known}",
    "no-rows": "there is nothing to learn from: no rows were given",
    "no-labels": "no row has a label; there is nothing to tell rows apart by",
    "one-class": "every row is `{label}`; a classifier needs at least two classes",
    "models-differ": "the two differ in their {what}: {one!r} and {other!r}",
    "no-column-to-learn-from": "there is no column to learn from ({reasons})",
    "class-not-learned": "no row of `{label}` was learned",
    "rows-not-learned": "some of these rows were never learned",
    "schemas-differ": (
        "the two count differently: {difference}\n"
        "hint: what is counted by one plan adds up; `likely plan`, in Python `Classifier.plan`, "
        "makes one"
    ),
    "soft-and-whole-rows": (
        "soft assignments from EM and whole rows cannot be added; fit all rows again"
    ),
    "not-a-model": (
        "it is no Likely model\n"
        "hint: `likely train` writes them; commands take the model first, then the data"
    ),
    "damaged": "it is cut off or damaged: its checksum does not fit its content",
    "cut-off": "it is cut off or damaged",
    "ledger-secret-needed": (
        "the ledger of this model is kept under a secret\n"
        "hint: `likely.load(path, secret=…)`, or `Plan.from_bytes(data, secret)`, lets it learn "
        "and forget"
    ),
    "ledger-secret-wrong": "its ledger was made under another secret",
}
