"""A server in a process of its own, asked by clients of others, and by clients that are slow."""

import os
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path

import pytest

import likely
from likely.server.descriptors import with_room
from likely.server.options import ServerOptions

pytest.importorskip("uvicorn", reason="uvicorn serves")
HERE = Path(__file__).parent


def asked(port, method="GET", path="/healthz", body=None, **headers):
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_schemathesis_finds_nothing(running):
    pytest.importorskip("schemathesis", reason="schemathesis reads the description of the server")
    port = running("--learn")
    found = subprocess.run(
        [
            sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()",
            "run", f"http://127.0.0.1:{port}/openapi.json", "--checks", "all",
            "--phases", "coverage,fuzzing", "--max-examples", "3", "--seed", "1",
        ],
        env={**os.environ, "SCHEMATHESIS_HOOKS": "described", "PYTHONPATH": os.pathsep.join(
            [str(HERE), *filter(None, sys.path)])},
        cwd=HERE, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout[-4000:]
    assert "17 selected / 17 total" in found.stdout


def test_a_client_of_the_open_inference_protocol_is_understood(running, saved):
    triton = pytest.importorskip("tritonclient.http", reason="tritonclient asks by the protocol")
    np = pytest.importorskip("numpy")
    client = triton.InferenceServerClient(f"127.0.0.1:{running()}")
    try:
        assert client.is_server_live()
        assert client.is_server_ready()
        assert client.is_model_ready("m")
        assert client.get_server_metadata()["name"] == "likely"
        (given,) = client.get_model_metadata("m")["inputs"]
        texts = np.array(["free lunch", "see you", "été à midi"], dtype=object)
        tensor = triton.InferInput(given["name"], [3], given["datatype"])
        tensor.set_data_from_numpy(texts, binary_data=False)
        found = client.infer("m", [tensor])
        model = likely.load(saved)
        rows = [{"text": text} for text in texts]
        assert found.as_numpy("label").tolist() == list(model.predict(rows))
        assert found.as_numpy("probabilities").tolist() == model.predict_proba(rows).tolist()
        wanted = triton.InferRequestedOutput("label", binary_data=False)
        only = client.infer("m", [tensor], outputs=[wanted], request_id="7")
        assert only.get_response()["id"] == "7"
        assert only.as_numpy("probabilities") is None
        with pytest.raises(Exception, match="nothing at"):
            client.get_model_metadata("other")
        tensor.set_data_from_numpy(texts, binary_data=True)
        with pytest.raises(Exception, match="the body is not"):
            client.infer("m", [tensor])
    finally:
        client.close()


def test_a_head_without_end_is_cut_off_and_others_are_answered(running):
    port = running()
    with socket.create_connection(("127.0.0.1", port), timeout=30) as endless:
        endless.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
        said = b""
        try:
            for _ in range(1000):
                endless.sendall(b"x-more: " + b"a" * 8000 + b"\r\n")
            said = endless.recv(100)
        except OSError:
            pass
        assert said == b"" or said.startswith(b"HTTP/1.1 431 ")
    assert asked(port)[0] == 200


def test_clients_that_send_a_byte_now_and_then_do_not_keep_their_connections(running):
    port = running(command=(str(HERE / "impatient.py"),))
    heads = [
        b"POST /predict HTTP/1.1\r\nHost: localhost\r\n",
        b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n[",
        b"POST /none HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n[",
    ]
    slow = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(60)]
    try:
        for n, each in enumerate(slow):
            each.sendall(heads[n % 3])
        until = time.monotonic() + 20
        left = slow
        while left and time.monotonic() < until:
            left = [each for each in left if _is_open(each)]
            assert asked(port)[0] == 200
            time.sleep(0.2)
        assert left == []
    finally:
        for each in slow:
            each.close()


def test_more_connections_than_descriptors_do_not_keep_others_out(running, saved):
    pytest.importorskip("resource", reason="there is no limit to set on open files")
    few = "import resource, runpy; _, most = resource.getrlimit(resource.RLIMIT_NOFILE); "
    few += "resource.setrlimit(resource.RLIMIT_NOFILE, (128, most)); "
    few += "runpy.run_module('likely', run_name='__main__')"
    port = running(command=("-c", few, "serve"))
    idle = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(300)]
    try:
        assert asked(port)[0] == 200
        assert "Too many open files" not in saved.with_name("log").read_text()
    finally:
        for each in idle:
            each.close()


def test_few_descriptors_are_room_for_few_connections(monkeypatch):
    resource = pytest.importorskip("resource", reason="there is no limit to set on open files")
    given = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 1024))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: given.append(limits))
    assert with_room(ServerOptions()).connections == 384
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, resource.RLIM_INFINITY))
    assert with_room(ServerOptions()).connections == 1000
    assert given == [(1024, 1024), (4304, resource.RLIM_INFINITY)]


def _is_open(connection):
    """Whether one more byte is taken, and no end has come."""
    connection.setblocking(False)
    try:
        connection.send(b"x")
        while connection.recv(9999):
            pass
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


def _workers(process):
    """The processes that a process has started."""
    found = Path(f"/proc/{process}/task/{process}/children")
    if not found.exists():
        pytest.skip("this system does not list the children of a process")
    return [int(one) for one in found.read_text().split()]


def _until(holds):
    until = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_workers_outlive_a_lost_file_and_are_started_again_and_end_with_their_supervisor(
    running, saved
):
    port = running("--workers", "2")
    supervisor = running.process
    assert asked(port)[0] == 200
    saved.rename(saved.with_name("away"))
    supervisor.send_signal(signal.SIGHUP)
    _until(lambda: "No such file" in saved.with_name("log").read_text())
    assert asked(port)[0] == 200
    before = _workers(supervisor.pid)
    os.kill(before[0], signal.SIGKILL)
    _until(lambda: len(set(_workers(supervisor.pid)) - set(before)) == 1)
    assert asked(port)[0] == 200
    left = _workers(supervisor.pid)
    supervisor.kill()
    supervisor.wait()
    _until(lambda: not any(Path(f"/proc/{one}").exists() for one in left))


def test_a_server_that_learns_goes_on_after_sighup(running, saved):
    port = running("--learn")
    assert asked(port)[0] == 200
    running.process.send_signal(signal.SIGHUP)
    _until(lambda: "is not read again on SIGHUP" in saved.with_name("log").read_text())
    assert asked(port)[0] == 200


def test_a_lost_file_does_not_end_the_watch_for_new_ones(running, saved):
    port = running()
    assert asked(port)[0] == 200
    saved.rename(saved.with_name("away"))
    running.process.send_signal(signal.SIGHUP)
    _until(lambda: "No such file" in saved.with_name("log").read_text())
    likely.Classifier().fit({"text": ["x", "y"], "label": ["p", "q"]}, "label").save(saved)
    _until(lambda: b'"p"' in asked(port, path="/model")[1])
