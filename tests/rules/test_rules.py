"""Rules: what makes them fire, what they read, and how they stand above a model."""

import pickle

import numpy as np
import polars as pl
import pytest

import likely
from likely import Rule, Rules
from likely.data.labels import labels as labels_of
from likely.errors import DataError, ModelError, OptionError
from likely.examples import path as bundled

MAIL = {
    "from": ["Bob <offers@example.com>", "ada@work.example", "x@example.net", None],
    "body": ["Lunch?", "You won the LOTTERY", "See http://www.bad.example/x", "win  $100 now"],
}
SPAM = Rules(
    [
        Rule("senders", "spam", column="from", senders=["offers@example.com", "@example.net"]),
        Rule("work", "ham", column="from", senders=["@work.example"]),
        Rule("words", "spam", words=["lottery", "wire transfer"]),
        Rule("links", "spam", domains=["bad.example"]),
        Rule("price", "spam", pattern=r"(?i)\bwin\s+\$\d+"),
    ]
)


def fires(text, **conditions):
    return bool(Rules([Rule("rule", "yes", **conditions)]).fired([text])[0])


# What makes a rule fire


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        ("lottery", "the LOTTERY!", True),
        ("lottery", "You won the lottery.Click here", True),
        ("lottery", "lotteries and lottery_tickets", False),
        ("wire transfer", "a wire\n  Transfer", True),
        ("wire transfer", "hardwire transfer", False),
        ("straße", "Die STRAßE.", True),
        ("ΟΔΟΣ", "μια οδος εδώ", True),
        ("ñandú", "ÑANDÚ", True),
        ("東京", "私は東京に住む", True),
        ("👍", "good👍🏽", True),
        ("c++", "C++11", True),
        ("$100", "US$100 today", True),
        ("$100", "$1000", False),
    ],
)
def test_words_are_whole_and_of_any_case(words, text, expected):
    assert fires(text, words=[words]) == expected


@pytest.mark.parametrize(
    ("sender", "text", "expected"),
    [
        ("ada@example.com", "Ada <ADA@Example.com>", True),
        ("ada@example.com", "write to ada@example.com.", True),
        ("ada@example.com", "not.ada@example.com", False),
        ("ada@example.com", "ada@example.com.org", False),
        ("@example.com", "anyone@example.com", True),
        ("@example.com", "anyone@mail.example.com", False),
        ("@example.com", "anyone@example.com-pany.org", False),
    ],
)
def test_senders_are_addresses_or_all_at_a_domain(sender, text, expected):
    assert fires(text, senders=[sender]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://example.com/path?query", True),
        ("HTTP://WWW.EXAMPLE.COM:8080", True),
        ("ada@mail.example.com", True),
        ("It is at example.com.", True),
        ("https://notexample.com", False),
        ("https://an-example.com", False),
        ("https://example.com.org", False),
        ("https://example.com@else.org", False),
    ],
)
def test_domains_are_found_in_links_and_addresses(text, expected):
    assert fires(text, domains=["example.com"]) == expected


def test_any_condition_suffices_and_the_first_rule_decides():
    assert SPAM.fired(MAIL) == [("senders",), ("work", "words"), ("senders", "links"), ("price",)]
    assert SPAM.predict(MAIL) == ["spam", "ham", "spam", "spam"]
    both = Rules([Rule("both", 1, words=["a"], pattern="b")])
    assert both.predict(["a", "b", "ab", "c"]) == [1, 1, 1, None]


def test_patterns_run_in_linear_time_since_nothing_else_is_accepted():
    """What a backtracking matcher could choke on is either an automaton here, or refused."""
    text = "a" * 200_000 + "!"
    assert not fires(text, pattern="(a+)+$")
    assert not fires(text, pattern="(a|aa)*b")
    for pattern, what in [
        (r"(a+)\1", "backreferences are not supported"),
        ("(?<=a)b", "look-around, including look-ahead and look-behind, is not supported"),
        ("((a{1,999}){1,999}){1,999}", "its repetitions make it too large"),
    ]:
        with pytest.raises(OptionError, match=f"makes no sense: {what}"):
            Rule("rule", "yes", pattern=pattern)


def test_long_lists_are_one_pass():
    domains = [f"host-{number}.example" for number in range(20_000)]
    rules = Rules([Rule("all", "bad", domains=domains), Rule("one", "bad", domains=domains[:1])])
    assert rules.fired(
        ["see host-19999.example", "see www.host-0.example", "host-20000.example"]
    ) == [
        ("all",),
        ("all", "one"),
        (),
    ]


# What they read


def test_tables_of_every_kind(tmp_path):
    names = [["senders"], ["work", "words"], ["senders", "links"], ["price"]]
    expected = [tuple(found) for found in names]
    rows = [{"from": a, "body": b} for a, b in zip(MAIL["from"], MAIL["body"], strict=True)]
    assert SPAM.fired(pl.DataFrame(MAIL)) == SPAM.fired(rows) == expected
    pl.DataFrame(MAIL).write_csv(tmp_path / "mail.csv")
    assert SPAM.fired(tmp_path / "mail.csv") == expected
    assert SPAM.fired(likely.open_table(tmp_path / "mail.csv")) == expected
    assert Rules([Rule("bytes", 1, words=["b"])]).predict([b"a b", b"\xff b"]) == [1, 1]
    assert SPAM.predict({"from": [], "body": []}) == []


def test_a_rule_without_a_column_reads_the_text():
    rules = Rules([Rule("words", "yes", words=["a"])])
    assert rules.predict({"anything": ["a"]}) == ["yes"]
    assert rules.predict({"id": ["a"], "Body": ["b"]}) == [None]
    with pytest.raises(DataError) as error:
        rules.predict({"id": ["a"], "note": ["b"]})
    assert str(error.value) == (
        "rule `words` names no column, and there are `id`, `note`\n"
        'hint: `column = "…"` in the rule says which it reads'
    )


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(DataError, match="rule `senders` reads column `from`, which is not there"):
        SPAM.predict(["a list of texts"])


# Reading a file

HEAD = '[[rule]]\nname = "a"\nlabel = "spam"\n'


def read(tmp_path, source):
    path = tmp_path / "rules.toml"
    path.write_bytes(source if isinstance(source, bytes) else source.encode())
    return Rules.read(path)


def test_a_file_of_rules(tmp_path):
    source = HEAD + 'words = ["x"]\n[[rule]]\nname = "b"\nlabel = "ham"\npattern = \'\\by\\b\'\n'
    expected = Rules([Rule("a", "spam", words=["x"]), Rule("b", "ham", pattern=r"\by\b")])
    assert read(tmp_path, source) == expected
    assert len(Rules.read(bundled("gullpoint-rules.toml"))) == 4


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("", ": there are no rules; one begins with [[rule]]"),
        ("[rule]\n", ", line 1: a rule begins with [[rule]], in two pairs of brackets"),
        ("# ours\n[[rules]]\n", ", line 2: `rules` is not known here; rules begin with [[rule]]"),
        ("[[rule]]\nlabel = 1\n", ", line 1: a rule has no `name`"),
        ("[[rule]]\nname = ' '\n", ", line 2: the `name` of a rule is a text on one line, not ' '"),
        ("\n[[rule]]\nname = 'a'\n", ", line 2: rule `a` has no `label`"),
        (
            "[[rule]]\nname = 'a'\nlabel = []\n",
            ", line 3: the `label` of rule `a` is a text or a number, not []",
        ),
        (
            HEAD,
            ", line 1: rule `a` has no condition: `senders`, `domains`, `words` or `pattern`",
        ),
        (HEAD + "column = 3\n", ", line 4: the `column` of rule `a` is a name, not 3"),
        (
            HEAD + "word = ['x']\n",
            ", line 4: `word` of rule `a` is not known here; there are `name`, `label`, `column`, "
            "`senders`, `domains`, `words`, `pattern`\nhint: did you mean `words`?",
        ),
        (
            HEAD + "words = 'x'\n",
            ", line 4: `words` of rule `a` is a list in brackets, not 'x'",
        ),
        (HEAD + "words = []\n", ", line 4: `words` of rule `a` is an empty list"),
        (
            HEAD + "words = ['x', '']\n",
            ", line 4: `words` of rule `a` has '', which is not like `lottery` or `wire transfer`",
        ),
        (
            HEAD + "senders = ['Ada']\n",
            ", line 4: `senders` of rule `a` has 'Ada', which is not like `ada@example.com` "
            "or `@example.com`",
        ),
        (
            HEAD + "domains = ['https://example.com']\n",
            ", line 4: `domains` of rule `a` has 'https://example.com', which is not like "
            "`example.com`",
        ),
        (HEAD + "pattern = ''\n", ", line 4: the `pattern` of rule `a` is a text, not ''"),
        (
            HEAD + "pattern = '(a'\n",
            ", line 4: the `pattern` of rule `a` makes no sense: unclosed group",
        ),
        (
            HEAD + 'pattern = "\\bwin"\n',
            ", line 4: the `pattern` of rule `a` has a backspace in it\n"
            "hint: write it in single quotes, '\\b…'",
        ),
        (
            HEAD + "words = ['x']\n" + HEAD + "words = ['y']\n",
            ", line 6: two rules are called `a`",
        ),
        (
            HEAD + "words = ['x']\n[[rule]]\nlabel = 1\nname = 'b'\nwords = ['y']\n",
            ", line 6: labels are of one kind, but 'spam' is text and 1 is int",
        ),
        # Strings and comments that look like rules do not count as lines of them.
        (
            HEAD + "pattern = '''\n[[rule]]\nwords = 1''' # words =\nwords = 2\n",
            ", line 7: `words` of rule `a` is a list in brackets, not 2",
        ),
        ("rule = [{name = 'a'}]\n", ", line 1: rule `a` has no `label`"),
        (b"[[rule]]\nname = '\xff'\n", ", line 2: it is not UTF-8"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence_with_its_line(tmp_path, source, sentence):
    with pytest.raises(DataError) as error:
        read(tmp_path, source)
    assert str(error.value) == f"{tmp_path / 'rules.toml'}{sentence}"


def test_what_toml_itself_refuses_has_its_line(tmp_path):
    with pytest.raises(DataError, match=r"rules\.toml, line 2: "):
        read(tmp_path, "[[rule]]\nname\n")
    with pytest.raises(
        DataError, match=r"line 4: unescaped .*\nhint: patterns go in single quotes"
    ):
        read(tmp_path, HEAD + 'pattern = "\\d"\n')
    with pytest.raises(DataError, match=r"rules\.toml, at its end: "):
        read(tmp_path, '[[rule]]\nname = """a')
    with pytest.raises(FileNotFoundError):
        Rules.read(tmp_path / "nothing.toml")


def test_rules_in_python_are_checked_alike():
    with pytest.raises(OptionError, match="rule `a` has no condition"):
        Rule("a", "spam")
    with pytest.raises(OptionError, match="two rules are called `a`"):
        Rules([Rule("a", 1, words=["x"]), Rule("a", 1, words=["y"])])
    with pytest.raises(OptionError, match="there are no rules"):
        Rules([])
    with pytest.raises(OptionError, match="but 'a' is none"):
        Rules(["a"])
    with pytest.raises(OptionError, match="is a text on one line, not"):
        Rule("\ud800", 1, words=["x"])


# Above a model

TEXTS = ["cheap pills now", "buy pills", "lunch at noon", "see you at lunch"]
LABELS = ["spam", "spam", "ham", "ham"]
PRIZE = Rules([Rule("prize", "spam", words=["lottery"]), Rule("boss", "ham", pattern="^Boss:")])


def test_the_first_rule_that_fires_overrules_the_counts():
    rows = ["lunch at the lottery", "Boss: buy pills", "buy pills"]
    plain = likely.Classifier(likely.Multinomial()).fit(TEXTS, LABELS)
    model = likely.Classifier(likely.Multinomial(), rules=PRIZE).fit(TEXTS, LABELS)
    assert plain.predict(rows).tolist() == ["ham", "spam", "spam"]
    assert model.predict(rows).tolist() == ["spam", "ham", "spam"]
    assert model.predict_proba(rows)[:2].tolist() == [[0, 1], [1, 0]]
    assert model.predict_proba(rows)[2].tolist() == plain.predict_proba(rows)[2].tolist()
    assert [rule and rule.name for rule in model.ruled(rows)] == ["prize", "boss", None]
    assert plain.ruled(rows) == [None, None, None]
    assert (model.log_joint(rows) == plain.log_joint(rows)).all()
    assert model.digest == plain.digest


def test_the_explanation_says_which_rule_decided_and_what_the_counts_say():
    model = likely.Classifier(likely.Multinomial(), rules=PRIZE).fit(TEXTS, LABELS)
    why = model.explain("lunch at the lottery")
    assert (why.prediction, why.counted, why.rule) == ("spam", "ham", PRIZE.rules[0])
    first, second = str(why).splitlines()[:2]
    assert first == "spam   by rule `prize`; the counts alone say:"
    assert second.startswith("ham  ")
    assert str(why).partition("\n")[2] == str(
        model.with_rules(None).explain("lunch at the lottery")
    )
    assert model.explain("buy pills").rule is None
    assert "overruled by prize, boss" in str(model.info)


def test_leave_one_out_is_overruled_too():
    texts, labels = ["lottery", *TEXTS], ["ham", *LABELS]
    model = likely.Classifier(likely.Multinomial(), rules=PRIZE).fit(texts, labels, loo=True)
    assert model.loo.predictions[0] == "spam"
    assert model.loo.probabilities[0].tolist() == [0, 1]
    plain = likely.Classifier(likely.Multinomial()).fit(texts, labels, loo=True)
    assert (model.loo.scores == plain.loo.scores).all()
    assert (model.loo.probabilities[1:] == plain.loo.probabilities[1:]).all()
    assert (model.leave_one_out(texts, labels).probabilities == model.loo.probabilities).all()


def test_rules_may_read_columns_that_the_model_does_not(tmp_path):
    table = {**MAIL, "day": ["mon", "tue", "mon", "tue"]}
    labels = ["spam", "ham", "spam", "ham"]
    model = likely.Classifier({"body": likely.Multinomial()}, rules=SPAM).fit(table, labels)
    assert model.columns == ("body", "from")
    assert model.predict(table).tolist() == ["spam", "ham", "spam", "spam"]
    pl.DataFrame(table).write_csv(tmp_path / "mail.csv")
    assert model.predict(tmp_path / "mail.csv").tolist() == ["spam", "ham", "spam", "spam"]
    assert model.predict([["Lunch?", "x@example.net"]]).tolist() == ["spam"]
    with pytest.raises(DataError, match="rule `senders` reads column `from`, which is not there"):
        model.predict({"body": ["Lunch?"]})
    with pytest.raises(DataError, match="there is 1 column, but `body`, `from` are needed"):
        model.predict(["Lunch?"])


def test_a_file_is_learned_and_left_out_with_its_rules(tmp_path):
    table = {**MAIL, "label": ["spam", "ham", "spam", "ham"]}
    pl.DataFrame(table).write_csv(tmp_path / "mail.csv")
    model = likely.Classifier({"body": likely.Multinomial()}, rules=SPAM)
    model.fit(tmp_path / "mail.csv", loo=True)
    assert model.loo.predictions.tolist() == ["spam", "ham", "spam", "spam"]


@pytest.mark.parametrize("threads", [1, 3])
def test_the_threads_do_not_matter(threads):
    rows = [f"{'Boss: ' * (n % 3 == 0)}row {n} {'lottery' * (n % 7 == 0)}" for n in range(50)]
    model = likely.Classifier(likely.Multinomial(), rules=PRIZE, threads=threads).fit(TEXTS, LABELS)
    expected = ["prize" if n % 7 == 0 else "boss" if n % 3 == 0 else None for n in range(50)]
    assert [rule and rule.name for rule in model.ruled(rows)] == expected


def test_rules_that_do_not_fit_the_model_are_refused():
    with pytest.raises(OptionError, match="rule `prize` says 'spam', which is no class of the"):
        likely.Classifier(likely.Multinomial(), rules=PRIZE).fit(
            TEXTS, ["junk", "junk", "ham", "ham"]
        )
    numbers = Rules([Rule("one", 1, words=["a"])])
    with pytest.raises(OptionError, match="`one` says 1, which is no class of the model"):
        likely.Classifier(likely.Multinomial(), rules=numbers).fit(TEXTS, ["x", "x", "0", "0"])
    with pytest.raises(DataError, match="rule `senders` reads column `from`, which is not there"):
        likely.Classifier(likely.Multinomial(), rules=SPAM).fit(TEXTS, LABELS)
    with pytest.raises(OptionError, match="`rules` are, for example"):
        likely.Classifier(likely.Multinomial(), rules="rules.toml")
    known = likely.Classifier(likely.Multinomial(), rules=PRIZE, classes=["spam"])
    known.fit(TEXTS, ["junk", "junk", "ham", "ham"])
    assert known.predict(["lottery"]).tolist() == ["spam"]


def test_models_with_rules_are_stored_pickled_and_added(tmp_path):
    model = likely.Classifier(likely.Multinomial(), rules=PRIZE).fit(TEXTS, LABELS)
    model.save(tmp_path / "m.likely")
    for back in (likely.load(tmp_path / "m.likely"), pickle.loads(pickle.dumps(model))):
        assert back.rules == PRIZE
        assert back.to_bytes() == model.to_bytes()
        assert back.predict(["lottery lunch"]).tolist() == ["spam"]
    unlearned = pickle.loads(pickle.dumps(likely.Classifier(likely.Multinomial(), rules=PRIZE)))
    assert unlearned.rules == PRIZE
    other = likely.Classifier(likely.Multinomial(), rules=PRIZE).fit(
        ["more pills", "a lunch"], ["spam", "ham"]
    )
    assert (model + other).rules == PRIZE
    with pytest.raises(ModelError, match="the two differ in their rules"):
        model + other.with_rules(None)
    assert model.with_prior("uniform").rules == PRIZE
    without = model.with_rules(None)
    assert (
        without.to_bytes() == likely.Classifier(likely.Multinomial()).fit(TEXTS, LABELS).to_bytes()
    )


# As evidence


def test_evidence_is_the_bernoulli_estimate_by_hand():
    rules = Rules([Rule("a", "x", words=["a"]), Rule("b", "x", words=["b"])])
    x, y = ["a", "a b", "c", "b"], ["x", "x", "x", "y"]
    model = likely.Classifier(likely.RuleFeatures(rules)).fit(x, y)
    # a fires on 2 of 3 rows of x and on none of the 1 of y; b on 1 of 3 and 1 of 1.
    a, b = np.array([3 / 5, 1 / 3]), np.array([2 / 5, 2 / 3])
    prior = np.array([3 / 4, 1 / 4])
    expected = np.log([a * (1 - b) * prior, (1 - a) * (1 - b) * prior])
    np.testing.assert_allclose(model.log_joint(["an a", "neither"]), expected, rtol=1e-12)
    form = model.linear_form()
    assert form.features == ("rule=a", "rule=b")
    np.testing.assert_allclose(form.scores(x), model.log_joint(x), rtol=1e-12)
    assert [name for name, _ in model.top_features()["x"]] == ["rule=a"]
    why = model.explain("an a")
    assert [term.name for term in why.contributions] == ["prior", "rules, baseline", "rule=a"]
    np.testing.assert_allclose(why.scores, model.log_joint(["an a"])[0], rtol=1e-12)
    assert model.parameters.likelihood == 4


def test_evidence_stands_beside_the_likelihood_of_its_columns():
    given = {"body": likely.Multinomial(), ("body", "from"): likely.RuleFeatures(SPAM)}
    labels = ["spam", "ham", "spam", "ham"]
    model = likely.Classifier(given).fit(MAIL, labels)
    assert model.columns == ("body", "from")
    text = likely.Classifier({"body": likely.Multinomial()}).fit(MAIL, labels)
    rules = likely.Classifier({("body", "from"): likely.RuleFeatures(SPAM)}).fit(MAIL, labels)
    prior = np.log([0.5, 0.5])
    np.testing.assert_allclose(
        model.log_joint(MAIL), text.log_joint(MAIL) + rules.log_joint(MAIL) - prior, rtol=1e-12
    )
    model.dependences(MAIL, labels)
    before = model.to_bytes()
    again = likely.classifier.from_bytes(before)
    assert again.to_bytes() == before
    assert again.update(MAIL, labels).forget(MAIL, labels).rows == 4
    assert again.to_bytes() == before
    with pytest.raises(OptionError, match="column `body` has more than one likelihood"):
        likely.Classifier({"body": likely.Multinomial(), ("body",): likely.BinaryMultinomial()})


def test_a_rule_that_never_fired_says_nothing():
    rules = Rules([Rule("a", "x", words=["a"]), Rule("never", "y", words=["zzz"])])
    model = likely.Classifier(likely.RuleFeatures(rules)).fit(["a", "b"], ["x", "y"])
    assert (model.log_joint(["a"]) == model.log_joint(["a zzz"])).all()


@pytest.mark.parametrize(
    ("rows", "what"),
    [(["0 7"], "it counts a rule that it does not have"), (["0 0"], "a rule fires twice on a row")],
)
def test_counts_that_rules_cannot_give_are_refused(rows, what):
    evidence = likely.RuleFeatures(PRIZE)
    counts = likely.Bernoulli().observe(likely._kernel.Texts(rows), labels_of(["spam"]), 1)
    with pytest.raises(ModelError, match=what):
        evidence.from_arrays(counts.arrays(), np.array([1], dtype=np.uint64), False, ("x",))


def test_evidence_under_other_rules_is_not_added():
    labels = ["x", "y"]
    one = likely.Classifier(likely.RuleFeatures(PRIZE)).fit(["a", "b"], labels)
    two = likely.Classifier(likely.RuleFeatures(Rules(PRIZE.rules[:1]))).fit(["a", "b"], labels)
    with pytest.raises(ModelError):
        one + two
    with pytest.raises(OptionError, match="rules are, for example"):
        likely.RuleFeatures("rules.toml")


def test_a_column_that_is_not_there_is_named_with_its_rule():
    model = likely.Classifier({"body": likely.Multinomial()})
    model.fit({"from": ["a", "b"], "body": ["hi", "win"]}, ["ham", "spam"])
    ruled = model.with_rules(Rules([Rule("r", "spam", column="form", words=["x"])]))
    with pytest.raises(DataError, match=r"(?s)rule `r` reads column `form`.*did you mean `from`"):
        ruled.predict({"from": ["a"], "body": ["hi"]})


@pytest.mark.parametrize("given", [None, 5, Rule("a", "b", words=["x"])])
def test_rules_are_a_list(given):
    with pytest.raises(OptionError, match="rules are a list of `Rule`, not "):
        Rules(given)


def test_all_rules_that_fire_are_shown_also_those_that_never_did_in_training():
    rules = Rules([Rule(name, "x", words=[name]) for name in ("a", "b", "z")])
    x, y = ["a", "a b", "c", "b"], ["x", "x", "x", "y"]
    within = likely.Classifier(likely.RuleFeatures(rules)).fit(x, y)
    why = within.explain("a z b")
    assert why.fired == ("a", "b", "z")
    assert why.rule is None
    assert [t.name for t in why.contributions if t.kind == "rule"] == ["rule=a", "rule=b", "rule=z"]
    np.testing.assert_allclose(why.scores, within.log_joint(["a z b"])[0], rtol=1e-12)
    assert "no rule" not in str(why)
    assert within.explain("c").fired == ()
    assert "nothing in this row counts" in str(within.explain("z"))
    above = likely.Classifier(likely.Multinomial(), rules=rules).fit(x, y)
    why = above.explain("z b a")
    assert (why.rule.name, why.fired) == ("a", ("a", "b", "z"))
    assert "x   by rule `a`; `b`, `z` fire too; the counts alone say:" in str(why)
    assert "x   by rule `a`; the counts alone say:" in str(above.explain("a"))
    unmet = Rules([Rule("z", "x", words=["z"])])
    why = likely.Classifier(likely.RuleFeatures(unmet)).fit(x, y).explain("z")
    assert (why.fired, why.scores.shape) == (("z",), (2,))


def test_a_weighed_model_with_rules_beside_its_texts_is_read_again(tmp_path):
    given = {"body": likely.Multinomial(), ("body", "from"): likely.RuleFeatures(SPAM)}
    many = {name: cells * 5 for name, cells in MAIL.items()}
    model = likely.Classifier(given, tune=True).fit(many, ["spam", "ham", "spam", "ham"] * 5)
    model.save(tmp_path / "m.likely")
    again = likely.load(tmp_path / "m.likely")
    np.testing.assert_array_equal(again.predict_proba(MAIL), model.predict_proba(MAIL))
