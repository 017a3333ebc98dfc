"""Several files are one table, and a message about a row says of which file it is."""

import pytest

from likely import Classifier, Gaussian, open_table
from likely.data.parts import Parts
from likely.errors import LikelyError


@pytest.fixture
def files(tmp_path):
    for name, text in (("a", "x,y,z\n1,p,\n2,q,\n"), ("b", "x,y\n"), ("c", "y,x\np,3\nq,4\np,5\n")):
        (tmp_path / f"{name}.csv").write_text(text)
    return [open_table(tmp_path / f"{name}.csv") for name in "abc"]


def test_rows_of_all_files_come_in_their_order(files):
    parts = Parts(files)
    assert parts.columns == ("x", "y")
    assert [table.columns["x"].tolist() for table in parts.batches()] == [
        ["1", "2"],
        ["3", "4", "5"],
    ]
    assert [table.columns["y"].tolist() for table in parts.batches(["y"])][1] == ["p", "q", "p"]


def test_the_name_is_that_of_the_file_being_read(files):
    parts = Parts(files)
    assert parts.name == f"{files[0].name} and 2 more"
    assert [parts.name for _ in parts.batches()] == [files[0].name, files[2].name]
    assert parts.name == f"{files[0].name} and 2 more"
    assert Parts(files[:1]).name == files[0].name


def test_progress_begins_once_and_ends_with_the_last_byte(files):
    seen = []
    parts = Parts(files)
    for _ in parts.batches(progress=seen.append):
        pass
    assert seen == sorted(seen)
    assert (seen.count(0), seen[-1]) == (1, parts.size)


def test_a_model_learns_them_as_one_table(files, tmp_path):
    (tmp_path / "all.csv").write_text("x,y\n1,p\n2,q\n3,p\n4,q\n5,p\n")
    whole = Classifier({"x": Gaussian()}).fit(open_table(tmp_path / "all.csv"), "y")
    assert Classifier({"x": Gaussian()}).fit(Parts(files), "y").to_bytes() == whole.to_bytes()


def test_an_empty_label_is_one_of_its_file(files, tmp_path):
    (tmp_path / "c.csv").write_text("y,x\np,3\n,4\n")
    with pytest.raises(LikelyError) as caught:
        Classifier({"x": Gaussian()}).fit(Parts(files), "y")
    assert str(caught.value) == f"{files[2].name}, row 2: the label in `y` is empty"
