"""`clean`: a tree goes only if all that is in it is at home."""

import os
from pathlib import Path

import pytest
from repositories import (
    ME,
    MISSION,
    commit,
    git,
    integrate,
    isolation_of,
    look_at,
    made_clone,
    repository,
)

from topkick.git.clone import cleanup
from topkick.git.clone.clone import make_clone
from topkick.git.clone.places import Clone, clones, laid_out
from topkick.git.landing.fetch_commits import gather
from topkick.git.landing.landing import land

pytestmark = pytest.mark.spec("GT-06", "N4")


@pytest.fixture
def one(tmp_path: Path) -> Clone:
    """A unit whose work has landed."""
    main = tmp_path / "proj"
    base = repository(main)
    clone = made_clone(main, base)
    cleanup.write_about(main, isolation_of(main, base))
    _bring_home(clone, commit(clone.at, "work.txt", "work\n"))
    return clone


def _bring_home(clone: Clone, made: str) -> None:
    gather(clone, made)
    assert not integrate(clone, made, ME, "Merge").conflicts
    found = look_at(clone.main, MISSION)
    assert found is not None
    land(found, ME)


def _trees(one: Clone) -> Path:
    return one.main.parent / "trees"


def _around(one: Clone, in_use: str = "") -> dict[str, str]:
    return {s.unit: s.why_not for s in cleanup.look_around(_trees(one), in_use)}


def _clear_all(one: Clone) -> None:
    for standing in list(cleanup.look_around(_trees(one), "")):
        cleanup.clear(standing)


def test_what_has_landed_goes_and_nothing_is_left(one: Clone) -> None:
    (standing,) = cleanup.look_around(_trees(one), "")
    assert (standing.unit, standing.mission, standing.why_not) == ("u1", "op", "")
    assert standing.bytes > 0
    cleanup.clear(standing)
    assert not any(_trees(one).iterdir())
    assert (one.main / "work.txt").exists()


@pytest.mark.parametrize("how", ["changed", "staged", "untracked", "deleted", "renamed"])
def test_a_dirty_one_stays(one: Clone, how: str) -> None:
    match how:
        case "changed":
            (one.at / "a.txt").write_text("changed\n")
        case "staged":
            (one.at / "staged.txt").write_text("staged\n")
            git(one.at, "add", "staged.txt")
        case "untracked":
            (one.at / "new.txt").write_text("new\n")
        case "deleted":
            (one.at / "a.txt").unlink()
        case "renamed":
            git(one.at, "mv", "a.txt", "b.txt")
    assert "not committed" in _around(one)["u1"]


def test_ignored_files_keep_nothing(one: Clone) -> None:
    (one.at / ".git" / "info" / "exclude").write_text("*.log\n")
    (one.at / "some.log").write_text("log\n")
    assert _around(one) == {"u1": ""}


def test_work_that_only_the_mission_has_stays(one: Clone) -> None:
    made = commit(one.at, "more.txt", "more\n")
    assert "not landed" in _around(one)["u1"]
    gather(one, made)
    integrate(one, made, ME, "Merge")
    assert "not landed" in _around(one)["u1"]
    _bring_home(one, made)
    assert _around(one) == {"u1": ""}


def test_work_on_another_branch_of_the_clone_stays(one: Clone) -> None:
    git(one.at, "checkout", "-q", "-b", "aside")
    commit(one.at, "aside.txt", "aside\n")
    git(one.at, "checkout", "-q", one.branch)
    assert "refs/heads/aside" in _around(one)["u1"]


def test_a_stash_in_the_clone_stays(one: Clone) -> None:
    (one.at / "a.txt").write_text("changed\n")
    git(one.at, "stash", "-q")
    assert "refs/stash" in _around(one)["u1"]


def test_work_at_a_bare_head_stays(one: Clone) -> None:
    git(one.at, "checkout", "-q", "--detach")
    commit(one.at, "detached.txt", "detached\n")
    assert "not landed" in _around(one)["u1"]


def test_landed_on_a_bare_head_is_landed(one: Clone) -> None:
    git(one.main, "checkout", "-q", "--detach")
    _bring_home(one, commit(one.at, "more.txt", "more\n"))
    assert _around(one) == {"u1": ""}


def test_files_beside_the_clone_stay(one: Clone) -> None:
    (one.at.parent / "notes.txt").write_text("notes\n")
    assert "notes.txt" in _around(one)["u1"]


def test_the_trees_of_a_run_at_work_stay(one: Clone) -> None:
    assert "its run has not ended" in _around(one, in_use=MISSION)["u1"]
    assert _around(one, in_use="topkick/another") == {"u1": ""}


def test_what_nobody_told_of_stays(one: Clone) -> None:
    (_trees(one) / "op" / cleanup.ABOUT).unlink()
    assert "does not know" in _around(one)["u1"]


def test_a_damaged_note_tells_nothing(one: Clone) -> None:
    (_trees(one) / "op" / cleanup.ABOUT).write_text("{")
    assert "does not know" in _around(one)["u1"]


def test_a_users_repository_that_is_gone_keeps_the_tree(one: Clone) -> None:
    one.main.rename(one.main.with_name("moved"))
    assert "not landed" in _around(one)["u1"]


def test_a_user_directory_without_git_keeps_the_tree(one: Clone) -> None:
    (one.main / ".git").rename(one.main.parent / "kept.git")
    assert "not landed" in _around(one)["u1"]


def test_a_damaged_clone_stays(one: Clone) -> None:
    (one.at / ".git" / "HEAD").write_text("damaged\n")
    assert _around(one)["u1"]


def test_a_clone_without_git_stays(one: Clone) -> None:
    (one.at / ".git").rename(one.main.parent / "kept.git")
    assert _around(one)["u1"]


def test_what_was_left_of_a_clearing_that_was_cut_off_goes(one: Clone) -> None:
    going = one.at.parent.with_name(f".topkick-going-{one.at.parent.name}")
    one.at.parent.rename(going)
    (going / "half").mkdir()
    (standing,) = cleanup.look_around(_trees(one), "")
    assert standing.why_not == ""
    cleanup.clear(standing)
    assert not any(_trees(one).iterdir())


def test_a_unit_that_never_came_to_be_goes(one: Clone) -> None:
    (_trees(one) / "op" / "u9").mkdir()
    assert _around(one) == {"u1": "", "u9": ""}
    _clear_all(one)
    assert not any(_trees(one).iterdir())


def test_others_of_the_mission_stay_when_one_goes(one: Clone) -> None:
    two = made_clone(one.main, one.base, "U2")
    (two.at / "new.txt").write_text("new\n")
    found = {s.unit: s for s in cleanup.look_around(_trees(one), "")}
    cleanup.clear(found["u1"])
    assert list(_around(one)) == ["u2"]
    assert (two.at / "new.txt").exists()


def test_directories_without_write_permission_go(one: Clone) -> None:
    (one.at / ".git" / "info" / "exclude").write_text("cache/\n")
    cache = one.at / "cache" / "module"
    cache.mkdir(parents=True)
    (cache / "file").write_text("x\n")
    cache.chmod(0o555)
    cache.parent.chmod(0o555)
    _clear_all(one)
    assert not any(_trees(one).iterdir())


def test_a_link_out_of_a_tree_is_removed_and_not_followed(one: Clone, tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir(mode=0o755)
    (tmp_path / "precious" / "file").write_text("x\n")
    (one.at / ".git" / "info" / "exclude").write_text("away\n")
    (one.at / "away").symlink_to(tmp_path / "precious")
    _clear_all(one)
    assert (tmp_path / "precious" / "file").read_text() == "x\n"
    assert (tmp_path / "precious").stat().st_mode & 0o777 == 0o755


def test_links_among_the_trees_are_not_looked_at(one: Clone, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (_trees(one) / "link").symlink_to(tmp_path / "elsewhere")
    (_trees(one) / "op" / "link").symlink_to(tmp_path / "elsewhere")
    assert list(_around(one)) == ["u1"]


def test_no_trees_at_all(tmp_path: Path) -> None:
    assert list(cleanup.look_around(tmp_path / "none", "")) == []


def test_commits_in_a_submodule_that_are_nowhere_else_stay(tmp_path: Path) -> None:
    repository(tmp_path / "library")
    main = tmp_path / "proj"
    repository(main)
    allow = ("-c", "protocol.file.allow=always")
    git(main, *allow, "submodule", "--quiet", "add", str(tmp_path / "library"), "lib")
    git(main, "commit", "-qm", "library")
    base = git(main, "rev-parse", "HEAD")
    clone = made_clone(main, base)
    cleanup.write_about(main, isolation_of(main, base))
    assert _around(clone) == {"u1": ""}
    commit(clone.at / "lib", "fix.txt", "fix\n")
    commit(clone.at, "work.txt", "work\n")
    fixed = commit(clone.at / "lib", "more.txt", "more\n")
    git(clone.at / "lib", "checkout", "-q", "--detach", "HEAD~1")
    git(clone.at / "lib", "branch", "aside", fixed)
    _bring_home(clone, git(clone.at, "rev-parse", "HEAD"))
    assert "submodule lib" in _around(clone)["u1"]
    git(main / "lib", "fetch", "-q", str(clone.at / "lib"), "aside")
    assert _around(clone) == {"u1": ""}


def test_several_repositories_of_a_unit(tmp_path: Path) -> None:
    tops = {tmp_path / name: repository(tmp_path / name) for name in ("core", "other")}
    isolation = laid_out(tmp_path / "core", tops, MISSION, tmp_path / "trees" / "op")
    core, other = clones(tmp_path / "core", isolation, "U1")
    for clone in (core, other):
        make_clone(clone, {})
    cleanup.write_about(tmp_path / "core", isolation)
    assert _around(core) == {"u1": ""}
    (other.at / "new.txt").write_text("new\n")
    assert "not committed" in _around(core)["u1"]
    os.unlink(other.at / "new.txt")
    (other.at.parent / "stray").mkdir()
    assert "stray" in _around(core)["u1"]
