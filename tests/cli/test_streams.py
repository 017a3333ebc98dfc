"""Standard streams that are full, closed, cut short, or read only in part."""

import os
import subprocess
import sys

import pytest

from likely.cli import COMMANDS

ROWS = "text,label\n" + "good fun,pos\nbad and dull,neg\nso good,pos\nso bad,neg\n" * 3
# Each prints something; long ones print more than a buffer holds.
PRINTING = {
    "version": "--version",
    "help": "--help",
    "help of a command": "train --help",
    "predict": "predict m.likely d.csv",
    "predict, long": "predict m.likely long.csv",
    "predict, JSON": "predict m.likely long.csv --json",
    "mixture": "mixture d.csv -k 2 --text text --drop-column label",
    "mixture, long": "mixture long.csv -k 1 --text text",
    "select": "select --target d.csv --from long.csv --keep 50%",
    "evaluate": "evaluate m.likely d.csv",
    "info": "info m.likely",
}
needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")


@pytest.fixture
def place(run, tmp_path):
    (tmp_path / "d.csv").write_text(ROWS)
    (tmp_path / "long.csv").write_text("text\n" + "good and bad and so dull\n" * 3000)
    run("train", "d.csv", "-o", "m.likely", "--plain")
    return tmp_path


def shell(command, place, **environment):
    """Run `likely` as a shell does, with its redirections."""
    command = command.replace("likely ", f"{sys.executable} -m likely ", 1)
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        cwd=place,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        errors="replace",
    )


@needs_full
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("what", PRINTING)
def test_a_full_disk_is_said_whatever_is_printed(place, what, unbuffered):
    done = shell(f"likely {PRINTING[what]} > /dev/full", place, PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == 3
    assert done.stderr.endswith("likely: standard output: No space left on device\n")
    assert "Traceback" not in done.stderr
    assert "ignored" not in done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("what", ["predict, long", "predict, JSON", "mixture, long"])
def test_a_file_that_is_cut_short_is_said(place, what, unbuffered):
    command = f"ulimit -f 8; likely {PRINTING[what]} > cut"
    done = shell(command, place, PYTHONUNBUFFERED=unbuffered)
    assert (place / "cut").stat().st_size <= 8 * 1024
    assert done.returncode == 3
    assert "likely: standard output: File too large" in done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("what", PRINTING)
def test_a_reader_may_leave_early(place, what, unbuffered):
    done = shell(f"likely {PRINTING[what]} | true", place, PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "Broken pipe" not in done.stderr
    assert "ignored" not in done.stderr


def test_a_gate_is_closed_whether_or_not_its_figures_are_read(place):
    done = shell("likely evaluate m.likely d.csv --max log_loss=0 | true", place)
    assert done.returncode == 1
    assert "above 0" in done.stderr


@pytest.mark.parametrize("command", [*COMMANDS, "--version", "--help", "train --help"])
def test_closed_standard_output_is_no_failed_gate(place, command):
    done = shell(f"likely {command} >&-", place)
    assert done.returncode == 3
    assert done.stderr == "likely: standard output is closed, so no result can be printed\n"


def test_no_model_is_written_if_nothing_can_be_said_of_it(place):
    assert shell("likely train d.csv -o n.likely >&-", place).returncode == 3
    assert not (place / "n.likely").exists()


@pytest.mark.parametrize(
    "command",
    [
        "predict m.likely",
        "predict m.likely -",
        "train - -o n.likely",
        "evaluate m.likely -",
        "mixture - -k 2",
        "update m.likely - -o n.likely",
        "select --target d.csv --from - --keep 1",
    ],
)
def test_closed_standard_input_is_said_where_it_is_read(place, command):
    done = shell(f"likely {command} <&-", place)
    assert done.returncode == 3
    said = "likely: standard input is closed, and it is to be read\nhint: name a file\n"
    assert done.stderr.endswith(said)


@pytest.mark.parametrize("how", ["<&-", "2>&-", "<&- 2>&-", "2> /dev/full", "2>&1 >m.txt | true"])
def test_streams_that_are_not_needed_may_be_closed_or_full(place, how):
    if "/dev/full" in how and not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    for command in (
        "--version",
        "predict m.likely d.csv",
        "info m.likely",
        "train d.csv -o n.likely --force --plain",
    ):
        done = shell(f"likely {command} {how}", place)
        assert done.returncode == 0, (command, done.stderr)
    assert (place / "n.likely").read_bytes() == (place / "m.likely").read_bytes()
    assert shell(f"likely predict none.likely d.csv {how}", place).returncode == 4
    assert shell(f"likely evaluate m.likely d.csv --max log_loss=0 {how}", place).returncode == 1
    assert shell(f"likely {how}", place).returncode == 2


@pytest.mark.parametrize(
    "command",
    [
        "train d.csv -o n.likely --force",
        "report m.likely d.csv -o n.html",
        "forget m.likely d.csv -o n.likely --receipt n.json",
        "compact m.likely -o n.likely",
    ],
)
def test_a_file_is_written_whole_or_not_at_all(place, command):
    before = sorted(place.iterdir())
    done = shell(f"ulimit -f 0; likely {command} | cat", place)
    assert done.returncode == 3
    assert ": File too large\n" in done.stderr
    assert sorted(place.iterdir()) == before


def test_a_pipe_that_does_not_fit_into_the_temporary_folder_is_said(place):
    done = shell("cat long.csv | (ulimit -f 8; likely mixture - -k 2) | cat", place)
    assert done.returncode == 3
    assert "likely: the temporary file " in done.stderr
    assert ": File too large\n" in done.stderr


def test_a_sign_that_the_terminal_does_not_have_is_spelled(place):
    done = shell("likely train d.csv -o n.likely", place, PYTHONIOENCODING="latin-1")
    assert done.returncode == 0
    assert "\\u2026" in done.stdout


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no such device")
@pytest.mark.parametrize(
    "command",
    [
        ["info", "/dev/zero"],
        ["predict", "/dev/zero", "t.csv"],
        ["train", "t.csv", "-o", "m.likely", "--rules", "/dev/zero"],
        ["train", "t.csv", "-o", "m.likely", "--lexicon", "/dev/zero"],
        ["train", "t.csv", "-o", "m.likely", "--thresholds", "costs:/dev/zero"],
        ["audit", "m.likely", "t.csv", "--swap", "/dev/zero"],
    ],
)
def test_a_device_that_never_ends_is_read_for_nothing(run, tmp_path, command):
    (tmp_path / "t.csv").write_text("text,label\ngood,a\nbad,b\n" * 3)
    _, err = run(*command, code=3)
    assert err == "likely: /dev/zero: it is a device, which has nothing to read\n"
