"""`land` into checkouts in every state: what a person has not committed is never touched."""

import os
from pathlib import Path

import pytest
from repositories import ME, MISSION, commit, git, look_at, repository

from topkick.git.landing.landing import CannotLand, Landing, land

pytestmark = pytest.mark.spec("GT-06")


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """On `main`; the mission has changed a.txt, added new.txt and a directory, taken old.txt."""
    at = tmp_path / "proj"
    repository(at)
    commit(at, "old.txt", "old\n")
    commit(at, "other.txt", "other\n")
    git(at, "checkout", "-q", "-b", MISSION)
    commit(at, "a.txt", "mission\n" + "one\n" * 19)
    commit(at, "deep/new.txt", "new\n")
    (at / "old.txt").unlink()
    commit(at, "tool.sh", "#!/bin/sh\n")
    (at / "tool.sh").chmod(0o755)
    (at / "link").symlink_to("a.txt")
    commit(at, "last.txt", "last\n")
    git(at, "checkout", "-q", "main")
    return at


def _looked(at: Path) -> Landing:
    found = look_at(at, MISSION)
    assert found is not None
    return found


def _status(at: Path) -> str:
    return git(at, "status", "--porcelain", "--untracked-files=all")


def _refused(at: Path, *named: str) -> str:
    """And nothing at all has changed."""
    before = _picture(at)
    with pytest.raises(CannotLand) as refused:
        land(_looked(at), ME)
    assert _picture(at) == before
    said = str(refused.value)
    assert "Nothing was changed" in said
    assert [name for name in named if f"  {name}" not in said] == []
    return said


def _picture(at: Path) -> tuple[object, ...]:
    files = {
        str(p.relative_to(at)): (p.lstat().st_mode, p.is_file() and p.read_bytes())
        for p in sorted(at.rglob("*"))
        if ".git" not in p.relative_to(at).parts
    }
    refs = git(at, "for-each-ref")
    return files, refs, (at / ".git" / "HEAD").read_bytes(), (at / ".git" / "index").read_bytes()


def _is_home(at: Path) -> None:
    assert (at / "a.txt").read_text().startswith("mission\n")
    assert (at / "deep" / "new.txt").read_text() == "new\n"
    assert not (at / "old.txt").exists()
    assert os.access(at / "tool.sh", os.X_OK)
    assert (at / "link").readlink() == Path("a.txt")


def test_forward(main: Path) -> None:
    found = _looked(main)
    assert (found.forward, found.into, found.commits, found.is_done) == (True, "main", 4, False)
    assert set(found.files) == {"a.txt", "deep/new.txt", "old.txt", "tool.sh", "link", "last.txt"}
    assert land(found, ME) == git(main, "rev-parse", MISSION) == git(main, "rev-parse", "main")
    _is_home(main)
    assert _status(main) == ""
    assert _looked(main).is_done
    assert git(main, "branch", "--show-current") == "main"


def test_merge(main: Path) -> None:
    commit(main, "a.txt", "one\n" * 19 + "mine\n")
    found = _looked(main)
    assert not found.forward
    made = land(found, ME)
    assert git(main, "rev-parse", "main^1", "main^2").split() == [found.head, found.tip]
    assert made == git(main, "rev-parse", "HEAD")
    _is_home(main)
    assert (main / "a.txt").read_text() == "mission\n" + "one\n" * 18 + "mine\n"
    assert _status(main) == ""
    assert _looked(main).is_done


def test_conflict(main: Path) -> None:
    commit(main, "a.txt", "mine\n" + "one\n" * 19)
    assert f"git merge {MISSION}" in _refused(main, "a.txt")


def test_nothing_there(main: Path) -> None:
    assert look_at(main, "topkick/none") is None


def test_uncommitted_files_elsewhere_stay(main: Path) -> None:
    (main / "other.txt").write_text("changed\n")
    (main / "mine.txt").write_text("untracked\n")
    before = _status(main)
    land(_looked(main), ME)
    _is_home(main)
    assert _status(main) == before
    assert (main / "other.txt").read_text() == "changed\n"


@pytest.mark.parametrize("diverged", [False, True])
@pytest.mark.parametrize(
    ("name", "text"),
    [("a.txt", "changed\n"), ("deep/new.txt", "mine\n"), ("old.txt", "changed\n")],
)
def test_an_uncommitted_file_in_the_way(main: Path, name: str, text: str, diverged: bool) -> None:
    if diverged:
        commit(main, "mine.txt", "mine\n")
    (main / name).parent.mkdir(exist_ok=True)
    (main / name).write_text(text)
    _refused(main, name)


def test_a_deleted_file_in_the_way(main: Path) -> None:
    (main / "a.txt").unlink()
    _refused(main, "a.txt")


def test_an_ignored_file_in_the_way(main: Path) -> None:
    (main / ".git" / "info" / "exclude").write_text("last.txt\n")
    (main / "last.txt").write_text("precious\n")
    _refused(main, "last.txt")


def test_a_file_where_a_directory_is_needed(main: Path) -> None:
    (main / "deep").write_text("mine\n")
    _refused(main, "deep")


def test_a_link_where_a_directory_is_needed(main: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (main / "deep").symlink_to(tmp_path / "elsewhere")
    _refused(main, "deep")
    assert not any((tmp_path / "elsewhere").iterdir())


def test_a_directory_where_a_file_is_needed(main: Path) -> None:
    (main / "last.txt").mkdir()
    (main / "last.txt" / "mine").write_text("mine\n")
    _refused(main, "last.txt")


def test_a_pipe_where_a_file_is_needed(main: Path) -> None:
    os.mkfifo(main / "last.txt")
    _refused(main, "last.txt")


def test_what_lies_there_already_is_not_in_the_way(main: Path) -> None:
    """As after a landing that was cut off between the files and the branch."""
    (main / "last.txt").write_text("last\n")
    (main / "a.txt").write_text("mission\n" + "one\n" * 19)
    (main / "old.txt").unlink()
    land(_looked(main), ME)
    _is_home(main)
    assert _status(main) == ""


def test_a_file_becomes_a_directory_and_the_other_way_round(main: Path) -> None:
    git(main, "checkout", "-q", MISSION)
    (main / "other.txt").unlink()
    commit(main, "other.txt/inside", "inside\n")
    (main / "deep" / "new.txt").unlink()
    (main / "deep").rmdir()
    commit(main, "deep", "a file\n")
    git(main, "checkout", "-q", "main")
    land(_looked(main), ME)
    assert (main / "other.txt" / "inside").read_text() == "inside\n"
    assert (main / "deep").read_text() == "a file\n"
    assert _status(main) == ""


@pytest.mark.parametrize("gone", [False, True])
def test_a_directory_becomes_a_file_but_not_over_what_is_untracked(main: Path, gone: bool) -> None:
    land(_looked(main), ME)
    git(main, "checkout", "-q", MISSION)
    git(main, "rm", "-q", "-r", "deep")
    commit(main, "deep", "a file\n")
    git(main, "checkout", "-q", "main")
    (main / "deep" / "mine.txt").write_text("mine\n")
    _refused(main, "deep")
    (main / "deep" / "mine.txt").unlink()
    if gone:  # as after a landing that was cut off
        (main / "deep" / "new.txt").unlink()
        (main / "deep").rmdir()
    land(_looked(main), ME)
    assert (main / "deep").read_text() == "a file\n"
    assert _status(main) == ""


def test_staged_files_stay_staged_when_it_moves_forward(main: Path) -> None:
    (main / "mine.txt").write_text("staged\n")
    git(main, "add", "mine.txt")
    land(_looked(main), ME)
    _is_home(main)
    assert _status(main) == "A  mine.txt"


def test_staged_files_stop_a_merge(main: Path) -> None:
    commit(main, "mine.txt", "mine\n")
    (main / "more.txt").write_text("staged\n")
    git(main, "add", "more.txt")
    assert "staged" in _refused(main, "more.txt")


def test_a_staged_version_is_in_the_way_though_the_file_is_not(main: Path) -> None:
    (main / "a.txt").write_text("staged\n")
    git(main, "add", "a.txt")
    (main / "a.txt").write_text("mission\n" + "one\n" * 19)
    _refused(main, "a.txt")


def test_a_bare_head_is_moved_and_no_branch(main: Path) -> None:
    git(main, "checkout", "-q", "--detach")
    at = git(main, "rev-parse", "main")
    found = _looked(main)
    assert found.into == ""
    land(found, ME)
    assert git(main, "rev-parse", "HEAD") == found.tip
    assert git(main, "rev-parse", "main") == at
    assert git(main, "branch", "--show-current") == ""
    _is_home(main)
    assert _status(main) == ""


def test_not_while_standing_on_the_missions_branch(main: Path) -> None:
    git(main, "checkout", "-q", MISSION)
    with pytest.raises(CannotLand, match="git switch"):
        land(_looked(main), ME)


def test_a_branch_without_a_commit_gets_its_first(main: Path) -> None:
    git(main, "checkout", "-q", "--orphan", "fresh")
    git(main, "rm", "-q", "-r", "-f", ".")
    (main / "mine.txt").write_text("untracked\n")
    found = _looked(main)
    assert (found.into, found.forward, found.commits) == ("fresh", True, 7)
    land(found, ME)
    _is_home(main)
    assert git(main, "rev-parse", "fresh") == found.tip
    assert _status(main) == "?? mine.txt"


def test_a_branch_without_a_commit_and_a_file_in_the_way(main: Path) -> None:
    git(main, "checkout", "-q", "--orphan", "fresh")
    git(main, "rm", "-q", "-r", "-f", ".")
    (main / "a.txt").write_text("mine\n")
    _refused(main, "a.txt")


def test_lines_that_end_as_on_another_system_are_no_change(main: Path) -> None:
    git(main, "config", "core.autocrlf", "true")
    (main / "other.txt").unlink()
    (main / "a.txt").unlink()
    git(main, "checkout", "-q", "--", ".")
    assert (main / "a.txt").read_bytes().startswith(b"one\r\n")
    land(_looked(main), ME)
    assert (main / "a.txt").read_bytes().startswith(b"mission\r\n")
    assert _status(main) == ""


def test_odd_names(main: Path) -> None:
    odd = os.fsdecode(b"new\nline-\xff.txt")
    git(main, "checkout", "-q", MISSION)
    commit(main, odd, "mission\n")
    git(main, "checkout", "-q", "main")
    (main / odd).write_text("mine\n")
    _refused(main)
    (main / odd).unlink()
    land(_looked(main), ME)
    assert (main / odd).read_text() == "mission\n"


def test_names_that_look_like_patterns_are_names(main: Path) -> None:
    git(main, "checkout", "-q", MISSION)
    commit(main, "*.txt", "a star\n")
    git(main, "checkout", "-q", "main")
    (main / "mine.txt").write_text("untracked\n")
    (main / "other.txt").write_text("changed\n")
    land(_looked(main), ME)
    assert (main / "*.txt").read_text() == "a star\n"
    assert (main / "other.txt").read_text() == "changed\n"
    assert (main / "mine.txt").read_text() == "untracked\n"


@pytest.fixture
def with_library(tmp_path: Path) -> Path:
    repository(tmp_path / "library")
    main = tmp_path / "proj"
    repository(main)
    allow = ("-c", "protocol.file.allow=always")
    git(main, *allow, "submodule", "--quiet", "add", str(tmp_path / "library"), "lib")
    commit(main, "deep/file", "file\n")
    (main / "lib" / "untracked.txt").write_text("mine\n")
    return main


def _mission(main: Path, without: tuple[str, ...], *lines: str) -> None:
    """Commit to the mission's branch with these entries in place of others."""
    kept = [
        line
        for line in git(main, "ls-tree", "HEAD").splitlines()
        if line.partition("\t")[2] not in without
    ]
    tree = git(main, "mktree", feed="\n".join([*kept, *lines]) + "\n")
    made = git(main, "commit-tree", "-p", "HEAD", "-m", "mission", tree)
    git(main, "update-ref", f"refs/heads/{MISSION}", made)


def test_a_submodule_that_moved_keeps_what_is_in_its_checkout(with_library: Path) -> None:
    main = with_library
    library = commit(main.parent / "library", "more.txt", "more\n")
    file = git(main, "ls-tree", "HEAD", "a.txt").replace("\ta.txt", "\tdeep")
    _mission(main, ("lib", "deep"), f"160000 commit {library}\tlib", file)
    land(_looked(main), ME)
    assert (main / "lib" / "untracked.txt").read_text() == "mine\n"
    assert (main / "lib" / "a.txt").exists()
    assert (main / "deep").read_text() == (main / "a.txt").read_text()
    assert git(main, "ls-files", "-s", "lib").split()[1] == library


def test_a_submodule_that_goes_leaves_its_checkout(with_library: Path) -> None:
    main = with_library
    _mission(main, ("lib", ".gitmodules"))
    land(_looked(main), ME)
    assert (main / "lib" / "untracked.txt").read_text() == "mine\n"
    assert _status(main).splitlines() == ["?? lib/"]


def test_a_file_in_the_place_of_a_submodule(with_library: Path) -> None:
    main = with_library
    file = git(main, "ls-tree", "HEAD", "a.txt").replace("\ta.txt", "\tlib")
    _mission(main, ("lib", ".gitmodules"), file)
    _refused(main, "lib")
