"""What a server answers, and what it refuses."""

import io
import json

import numpy as np
import pytest

import likely
from likely.server.living import replayed
from tests.server.conftest import LABELS, TEXTS

ROW = {"text": "free lunch"}


def test_a_row_has_the_probabilities_that_the_model_gives_it(served, saved):
    ask, model = served(saved), likely.load(saved)
    answer = ask.post("/predict", {"rows": [ROW, {"text": "see you, cash"}]}).json
    expected = model.predict_proba([ROW, {"text": "see you, cash"}])
    for one, row in zip(answer["predictions"], expected, strict=True):
        assert one["probabilities"] == dict(zip(model.classes, row, strict=True))
    assert [one["label"] for one in answer["predictions"]] == ["spam", "ham"]
    assert answer["digest"] == model.digest


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (ROW, "application/json"),
        ("free lunch", "application/json; charset=utf-8"),
        ([ROW], "application/json"),
        (["free lunch"], "application/json"),
        ({"rows": ["free lunch"]}, "application/json"),
        (b"text\nfree lunch\n", "text/csv"),
        (b"id\ttext\n7\tfree lunch\n", "text/tab-separated-values"),
        (b'{"text": "free lunch"}\n', "application/x-ndjson"),
    ],
)
def test_rows_come_in_many_forms(served, saved, body, kind):
    asked = served(saved).post("/predict", body, content_type=kind)
    expected = likely.load(saved).predict_proba([ROW])[0].tolist()
    assert [list(one["probabilities"].values()) for one in asked.json["predictions"]] == [expected]


def test_rows_come_as_arrow(served, saved):
    pa = pytest.importorskip("pyarrow")
    table, written = pa.table({"text": ["free lunch", None]}), io.BytesIO()
    with pa.ipc.new_stream(written, table.schema) as stream:
        stream.write_table(table)
    ask = served(saved)
    kind = "application/vnd.apache.arrow.stream"
    answer = ask.post("/predict", written.getvalue(), content_type=kind).json
    assert answer["predictions"] == ask.post("/predict", [ROW, {"text": None}]).json["predictions"]
    refused = ask.post("/predict", b"no arrow", content_type=kind)
    assert (refused.status, refused.json["error"]["code"]) == (400, "wrong-body")


def test_many_rows_are_predicted_as_few_are(served, saved):
    ask = served(saved)
    texts = [f"{one} {other}" for one in TEXTS for other in TEXTS] * 8
    together = ask.post("/predict", texts).json["predictions"]
    assert together[:16] == [ask.post("/predict", [t]).json["predictions"][0] for t in texts[:16]]


def test_texts_learned_without_a_column_name_may_be_called_text(served, tmp_path):
    likely.Classifier(likely.Multinomial()).fit(TEXTS, LABELS).save(tmp_path / "x.likely")
    ask = served(tmp_path / "x.likely", learns=True)
    bodies = [[{"text": "free"}], [{"x": "free"}], ["free"]]
    answers = [ask.post("/predict", body).json["predictions"] for body in bodies]
    answers.append(
        ask.post("/predict", b"text\nfree\n", content_type="text/csv").json["predictions"]
    )
    assert answers == answers[:1] * 4
    assert ask.post("/learn", {"rows": [{"text": "new"}], "labels": ["ham"]}).json["rows"] == 5


@pytest.mark.parametrize(
    ("body", "kind", "status", "said"),
    [
        (b"{", "application/json", 400, "the body is not JSON"),
        (b'["a",\n"b"', "application/json", 400, "not JSON in line 2, column 4: Expecting"),
        (b'"a"\n\n{b', "application/x-ndjson", 400, "not JSON in line 3, column 2: Expecting"),
        (b"\xff", "application/json", 400, "the body is not UTF-8"),
        (b'[{"text": NaN}]', "application/json", 400, "NaN is no number in JSON"),
        (b"[" * 100_000, "application/json", 400, "the body is not JSON"),
        ([], "application/json", 400, "there are no rows"),
        (7, "application/json", 400, "rows are a list"),
        ([ROW, "text"], "application/json", 400, "row 2 is a text"),
        ([None], "application/json", 400, "row 1 is null"),
        ({"rows": [ROW], "lables": []}, "application/json", 400, "not `lables`"),
        ({"rows": [ROW], "labels": ["a", "b"]}, "application/json", 422, "1 rows but 2 labels"),
        ([{"txt": "free"}], "application/json", 422, "column `text` is missing"),
        ([{"text": [1]}], "application/json", 422, "text"),
        (b"", "text/csv", 422, ""),
        (b"words\nfree\n", "text/csv", 422, "column `text` is missing"),
        (b"a,text\n1,2,3\n", "text/csv", 422, "the row has 3 cells"),
        (b"<row/>", "text/xml", 415, "'text/xml' is not read here"),
    ],
)
def test_a_body_that_makes_no_sense_is_refused_with_a_sentence(
    served, saved, body, kind, status, said
):
    asked = served(saved).post("/predict", body, content_type=kind)
    assert (asked.status, asked.headers["content-type"]) == (status, "application/json")
    assert said in asked.json["error"]["message"]
    assert "Traceback" not in asked.body.decode()


@pytest.mark.parametrize("host", ["localhost:80@evil", "[::1]evil", "evil:localhost", "a b", ""])
def test_a_host_that_only_looks_like_ours_is_refused(served, saved, host):
    assert served(saved).get("/model", host=host).status == 421


def test_a_header_that_is_there_twice_is_refused(served, saved):
    ask = served(saved)
    ask.more = [(b"host", b"evil.example")]
    assert ask.get("/model").json["error"]["code"] == "repeated-header"


def test_pages_of_other_sites_may_link_here_and_load_nothing_from_here(served, saved):
    ask = served(saved, cors=("http://friend.example",))
    here = {"sec_fetch_site": "cross-site"}
    assert ask.get("/model", **here, sec_fetch_mode="no-cors").status == 403
    assert ask.get("/model", **here, sec_fetch_mode="navigate").status == 200
    friend = {"origin": "http://friend.example", "sec_fetch_mode": "cors"}
    assert ask.get("/model", **here, **friend).status == 200
    assert "default-src 'none'" in ask.get("/model").headers["content-security-policy"]


def test_a_compressed_body_is_refused_by_its_header(served, saved):
    asked = served(saved).post("/predict", b"\x1f\x8b", content_encoding="gzip")
    assert (asked.status, asked.json["error"]["code"]) == (415, "wrong-content-type")


def test_infinite_cells_are_learned_replayed_and_forgotten(served, saved):
    ask = served(saved, learns=True)
    body = b'{"rows": [{"text": 1e999}, {"text": -1e999}], "labels": ["spam", "ham"]}'
    assert ask.post("/learn", body).json["learned"] == 2
    digest = ask.model.served.classifier.digest
    kept = ask.model.ask(lambda fitted: replayed(ask.model.journal, _saved(saved), 1).digest)
    assert kept == digest
    assert ask.post("/forget", body).json["rows_left"] == 4


def test_a_journal_that_cannot_be_written_is_not_described_to_strangers(served, saved, caplog):
    ask = served(saved, learns=True)
    ask.model.close()
    refused = ask.post("/learn", {"rows": [ROW], "labels": ["ham"]})
    assert (refused.status, refused.json["error"]["code"]) == (503, "journal")
    assert refused.headers["retry-after"] == "1"
    assert str(saved.parent) not in json.dumps(refused.json)
    assert str(saved.parent) in caplog.text


def _saved(path):
    return likely.load(path).fitted


def test_an_error_of_ours_is_logged_without_the_text_of_the_request(
    served, saved, monkeypatch, caplog
):
    def broken(*given):
        raise KeyError("".join(("sec", "ret")))

    monkeypatch.setattr("likely.server.service.predictions", broken)
    asked = served(saved).post("/predict", [ROW])
    assert (asked.status, asked.json["error"]["code"]) == (500, "internal")
    assert "KeyError" in caplog.text
    assert "service.py" in caplog.text
    assert "secret" not in caplog.text + asked.body.decode()


@pytest.mark.parametrize("key", ["", "x" * 256, "a b", "\xe9"])
def test_an_odd_idempotency_key_is_refused(served, saved, key):
    ask = served(saved, learns=True)
    asked = ask.post("/learn", {"rows": [ROW], "labels": ["ham"]}, idempotency_key=key)
    assert (asked.status, ask.get("/model").json["rows"]) == (400, 4)


def test_limits_are_kept(served, saved):
    ask = served(saved, max_body=100, max_rows=3, seconds=0.05)
    assert ask.post("/predict", ["a"] * 4).status == 413
    assert ask.post("/predict", ["a" * 200]).status == 413
    assert ask("POST", "/predict", pieces=[b"[" + b" " * 60, b" " * 60 + b"]"]).status == 413
    slow = ask("POST", "/predict", pieces=[b"[", b'"a"', b"]"])
    assert slow.status == 200


def test_nothing_else_is_there(served, saved):
    ask = served(saved)
    assert ask.get("/etc/passwd").status == 404
    assert ask.get("/predict").headers["allow"] == "POST"
    assert ask.post("/learn", {"rows": [ROW], "labels": ["ham"]}).status == 404


def test_the_model_says_what_it_is(served, saved):
    ask = served(saved, learns=True)
    found = ask.get("/model").json
    assert (found["rows"], found["classes"], found["stale"]) == (4, ["ham", "spam"], False)
    ask.post("/learn", {"rows": [ROW], "labels": ["ham"]})
    full = ask.get("/model?digest=full").json
    assert full["full_digest"] == ask.model.served.classifier.digest != full["digest"]


def test_explanations_are_those_of_the_model(served, saved):
    (found,) = served(saved).post("/explain", [ROW]).json["explanations"]
    assert found == likely.load(saved).explain(ROW).to_json()


def test_learning_and_forgetting_is_that_of_the_model(served, saved):
    ask, model = served(saved, learns=True), likely.load(saved)
    new = {"rows": [{"text": "cheap pills"}, {"text": "see me"}], "labels": ["spam", "news"]}
    learned = ask.post("/learn", new).json
    model.update(new["rows"], new["labels"])
    assert (learned["learned"], learned["rows"], learned["classes_new"]) == (2, 6, ["news"])
    assert ask.get("/model?digest=full").json["full_digest"] == model.digest
    receipt = ask.post("/forget", {"rows": new["rows"][1:], "labels": ["news"]}).json
    own = model.forget(new["rows"][1:], ["news"])
    assert (receipt["forgotten"], receipt["rows_left"]) == (own.rows, own.rows_left)
    assert receipt["classes_gone"] == list(own.classes_gone)
    assert ask.model.served.classifier.digest == model.digest
    body = b"text,label\ncheap pills,spam\n"
    assert ask.post("/forget", body, content_type="text/csv").json["forgotten"] == 1


def test_rows_that_were_never_learned_are_not_forgotten(served, saved):
    ask = served(saved, learns=True)
    before = ask.model.served.classifier.digest
    refused = ask.post("/forget", {"rows": [ROW], "labels": ["spam"]})
    assert (refused.status, refused.json["error"]["code"]) == (409, "not-learned")
    assert ask.model.served.classifier.digest == before


def test_a_repeated_request_has_the_answer_of_the_first(served, saved):
    ask = served(saved, learns=True)
    body = {"rows": [ROW], "labels": ["spam"]}
    first = ask.post("/learn", body, idempotency_key="k")
    assert ask.post("/learn", body, idempotency_key="k").json == first.json
    assert ask.get("/model").json["rows"] == 5
    other = ask.post("/learn", {**body, "labels": ["ham"]}, idempotency_key="k")
    assert (other.status, other.json["error"]["code"]) == (409, "repeated-key")
    assert ask.post("/forget", body, idempotency_key="k").status == 409
    assert ask.post("/learn", body, idempotency_key="k" * 256).status == 400
    ask.model.close()
    again = served(saved, learns=True)
    assert again.post("/learn", body, idempotency_key="k").json == first.json


def test_strangers_are_refused(served, saved):
    ask = served(saved, token="secret", cors=("https://ours.example",), hosts=("ml.example",))
    ours = {"authorization": "Bearer secret"}
    assert ask.get("/model").status == 401
    assert ask.get("/model", authorization="Bearer wrong").status == 401
    assert ask.get("/healthz").status == ask.get("/model", **ours).status == 200
    assert ask.get("/model", host="evil.example", **ours).status == 421
    assert ask.get("/model", host="ml.example:8000", **ours).status == 200
    assert ask.get("/model", host="[::1]:8000", **ours).status == 200
    assert ask.get("/model", host="", **ours).status == 421
    assert ask.get("/model", origin="https://evil.example", **ours).status == 403
    assert ask.get("/model", origin="null", **ours).status == 403
    allowed = ask.get("/model", origin="https://ours.example", **ours)
    assert allowed.headers["access-control-allow-origin"] == "https://ours.example"
    assert ask("OPTIONS", "/predict", origin="https://ours.example").status == 204
    assert ask("OPTIONS", "/predict", origin="https://evil.example").status == 403


def test_less_probable_predictions_can_be_rejected(served, saved):
    ask = served(saved, reject_below=0.99)
    assert ask.post("/predict", [ROW]).json["predictions"][0]["label"] is None
    assert "likely_rejected_total 1" in ask.get("/metrics").body.decode()


def test_a_decision_is_logged_without_its_text(served, saved, tmp_path):
    ask = served(saved, decision_log=str(tmp_path / "log"))
    ask.post("/predict", [ROW, {"text": "see you"}])
    first, second = map(json.loads, (tmp_path / "log").read_text().splitlines())
    assert (first["label"], second["label"]) == ("spam", "ham")
    assert first["digest"] == likely.load(saved).digest
    assert first["input"] != second["input"]
    assert "lunch" not in (tmp_path / "log").read_text()


def test_what_happened_is_counted(served, saved):
    ask = served(saved)
    for _ in range(3):
        ask.post("/predict", [ROW, "x"][:1])
    ask.get("/nothing")
    said = ask.get("/metrics").body.decode()
    assert 'likely_requests_total{path="/predict",status="200"} 3' in said
    assert 'likely_requests_total{path="other",status="404"} 1' in said
    assert 'likely_predictions_total{label="spam"} 3' in said
    assert 'likely_request_seconds_count{path="/predict"} 3' in said
    assert 'likely_words_total{state="known"} 2' in said


def test_other_clients_ask_by_the_open_inference_protocol(served, saved):
    ask, model = served(saved), likely.load(saved)
    about = ask.get("/v2/models/m").json
    assert about["inputs"] == [{"name": "text", "datatype": "BYTES", "shape": [-1]}]
    tensor = {"name": "text", "shape": [2, 1], "datatype": "BYTES", "data": ["free", "lunch"]}
    answer = ask.post("/v2/models/m/infer", {"id": "7", "inputs": [tensor]}).json
    labels, probabilities = answer["outputs"]
    assert (answer["id"], labels["data"]) == ("7", ["spam", "ham"])
    expected = model.predict_proba([{"text": "free"}, {"text": "lunch"}])
    assert np.array(probabilities["data"]).reshape(2, 2).tolist() == expected.tolist()
    (only,) = ask.post(
        "/v2/models/m/infer", {"inputs": [tensor], "outputs": [{"name": "label"}]}
    ).json["outputs"]
    assert only == labels
    wrongs = [{**tensor, "shape": [3]}, {"name": "text"}, 7]
    wrongs += [{**tensor, "datatype": kind} for kind in ("X", [], {})]
    bodies = [{}, {"inputs": []}, *({"inputs": [one]} for one in wrongs)]
    bodies += [{"inputs": [tensor], "outputs": which} for which in ({}, [7], [{"name": "x"}])]
    for wrong in bodies:
        refused = ask.post("/v2/models/m/infer", wrong)
        assert refused.status in (400, 422)
        assert isinstance(refused.json["error"], str)
    said = ask.get("/metrics").body.decode()
    assert 'likely_predictions_total{label="spam"} 2' in said


def test_a_changed_file_is_taken_and_a_damaged_one_is_not(served, saved):
    ask = served(saved)
    likely.Classifier().fit({"text": ["a", "b"], "label": ["x", "y"]}, "label").save(saved)
    assert ask.model.has_changed
    ask.model.reload()
    assert ask.get("/model").json["classes"] == ["x", "y"]
    saved.write_bytes(b"damaged")
    with pytest.raises(likely.errors.LikelyError):
        ask.model.reload()
    assert ask.get("/model").json["classes"] == ["x", "y"]
    assert not ask.model.has_changed


def test_prometheus_reads_the_metrics_whatever_classes_are_called(served, tmp_path):
    parser = pytest.importorskip("prometheus_client.parser", reason="it reads metrics")
    odd = ['"quoted"\\', "two\nlines", 'a="b",c', "\u2028\r{}"]
    path = tmp_path / "odd.likely"
    likely.Classifier(likely.Multinomial()).fit({"text": TEXTS, "y": odd}, "y").save(path)
    ask = served(path, reject_below=0.3)
    for text in TEXTS:
        assert ask.post("/predict", [{"text": text}]).status == 200
    found = {}
    for family in parser.text_string_to_metric_families(ask.get("/metrics").body.decode()):
        for sample in family.samples:
            found[sample.name, *sorted(sample.labels.items())] = sample.value
    assert {name for name, *_ in found} == {
        "likely_requests_total", "likely_request_seconds_bucket", "likely_request_seconds_sum",
        "likely_request_seconds_count", "likely_predictions_total", "likely_words_total",
        "likely_rows", "likely_sequence", "likely_waiting", "likely_model",
    }  # fmt: skip
    assert [found["likely_predictions_total", ("label", name)] for name in odd] == [1, 1, 1, 1]
    assert found["likely_model", ("digest", likely.load(path).digest)] == 1
