"""Files that are the truth: read whole, written only over what was read, never outside."""

import os
from pathlib import Path

import pytest

from topkick.engine import messages as h
from topkick.engine.codec.texts import Text
from topkick.engine.effects import Edit, Glance, Seen
from topkick.engine.io import crash_points
from topkick.engine.io.file_executor import LONGEST_BYTES, FileBench


def bench(root: Path) -> FileBench:
    return FileBench(root, lambda text: text.body or "", lambda _: ("absent", 0))


def read(root: Path, *paths: str) -> tuple[Seen, ...]:
    made = bench(root)
    made.ensure(h.ReadFiles("look-1", 1, Glance(paths)))
    (fact,) = made.poll()
    assert isinstance(fact, h.FilesObserved)
    return fact.files


def edit(root: Path, *edits: Edit) -> h.FilesEdited:
    made = bench(root)
    made.ensure(h.EditFiles("edit-1", 1, edits))
    (fact,) = made.poll()
    assert isinstance(fact, h.FilesEdited)
    return fact


def test_a_file_is_read_whole_and_one_that_is_not_there_is_told(tmp_path: Path):
    (tmp_path / "board.md").write_bytes(b"a\r\nb \xff\n")
    there, gone = read(tmp_path, "board.md", "tasks/none.md")
    assert there.text.encode("utf-8", "surrogateescape") == b"a\r\nb \xff\n"
    assert (gone.content, gone.trouble, gone.sha256) == (None, "", "")


def test_what_is_no_plain_file_inside_the_project_is_not_read(tmp_path: Path):
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "secret").write_text("s")
    (root / "link").symlink_to(tmp_path / "secret")
    (root / "up").symlink_to(tmp_path)
    os.mkfifo(root / "pipe")
    (root / "large").write_bytes(b"x" * (LONGEST_BYTES + 1))
    paths = ("../secret", "link", "up/secret", "pipe", "large", str(tmp_path / "secret"), "..")
    for seen in read(root, *paths):
        assert seen.content is None, seen.path
        assert seen.trouble, seen.path


@pytest.mark.spec("EP-03")
def test_an_edit_is_made_only_over_what_was_read(tmp_path: Path):
    path = tmp_path / "body.md"
    path.write_text("old")
    path.chmod(0o640)
    (seen,) = read(tmp_path, "body.md")
    path.write_text("a person was here")
    assert edit(tmp_path, Edit("body.md", seen.sha256, Text.of("new"))).changed == "body.md"
    assert path.read_text() == "a person was here"
    (seen,) = read(tmp_path, "body.md")
    assert edit(tmp_path, Edit("body.md", seen.sha256, Text.of("new"))) == h.FilesEdited(1)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o640)


@pytest.mark.spec("EP-03")
@pytest.mark.parametrize("moment", ["files.before-edit", "files.before-rename"])
def test_what_a_person_writes_while_the_draft_is_made_is_kept(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "body.md"
    path.write_text("old")
    (seen,) = read(tmp_path, "body.md")

    def person(name: str) -> None:
        if name == moment:
            path.write_text("a person was here")

    monkeypatch.setattr(crash_points, "here", person)
    assert edit(tmp_path, Edit("body.md", seen.sha256, Text.of("new"))).changed == "body.md"
    assert path.read_text() == "a person was here"
    assert [x.name for x in tmp_path.iterdir()] == ["body.md"], "the draft is thrown away"


@pytest.mark.spec("EP-03")
def test_done_again_after_a_crash_an_edit_finds_itself_in_place(tmp_path: Path):
    first = Edit("1.md", "", Text.of("one"))
    second = Edit("2.md", "", Text.of("two"))
    assert edit(tmp_path, first) == h.FilesEdited(1)  # and then it dies
    assert edit(tmp_path, first, second) == h.FilesEdited(1)
    assert (tmp_path / "2.md").read_text() == "two"
    (tmp_path / "1.md").write_text("mine")
    third = Edit("3.md", "", Text.of("three"))
    assert edit(tmp_path, first, third).changed == "1.md"
    assert not (tmp_path / "3.md").exists()


def test_nothing_is_written_outside_the_project(tmp_path: Path):
    root = tmp_path / "project"
    root.mkdir()
    assert edit(root, Edit("../out.md", "", Text.of("x"))).trouble
    assert not (tmp_path / "out.md").exists()


def test_an_order_is_carried_out_once(tmp_path: Path):
    made = bench(tmp_path)
    order = h.ReadFiles("look-1", 1, Glance(("a",)))
    made.ensure(order)
    made.ensure(order)
    assert len(made.poll()) == 1
    assert not made.poll()
