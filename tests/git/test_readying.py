"""A unit's tree made ready, from repositories that others have written to."""

import os
from pathlib import Path

import pytest
from repositories import (
    IDENTITY,
    ME,
    catch_up,
    commit,
    git,
    integrate,
    isolation_of,
    made_clone,
    recorded,
    repository,
)

from topkick.checks.request import Ours
from topkick.engine.errors import TopkickError
from topkick.engine.settings import TreeSetup
from topkick.git.clone.clone import NoClone, make_clone
from topkick.git.clone.places import laid_out
from topkick.git.clone.unit_tree import Trees
from topkick.git.isolation import Tip
from topkick.git.landing.fetch_commits import gather
from topkick.git.landing.merge import WISH, InTheWay, lend_mission
from topkick.git.read.repository import read_tree

pytestmark = pytest.mark.spec("GT-06")
ALLOW = ("-c", "protocol.file.allow=always")


@pytest.fixture
def main(tmp_path: Path) -> Path:
    repository(tmp_path / "proj")
    return tmp_path / "proj"


def _trees(main: Path) -> Trees:
    isolation = isolation_of(main, git(main, "rev-parse", "HEAD"))
    return Trees(Ours(str(main), "U1", isolation, ME.name, ME.email))


def _never(command: str) -> str:
    raise AssertionError(command)


def _ready(main: Path, *own: str, **setup: tuple[str, ...]) -> Path:
    trees = _trees(main)
    trees.make_ready(TreeSetup(**setup), own, _never)
    return trees.root


def test_own_files_come_as_they_are_and_are_not_committed_by_accident(main: Path) -> None:
    (main / "PLAN.md").write_text("uncommitted\n")
    (main / "b").mkdir()
    (main / "b" / "PROGRESS.md").write_text("so far\n")
    root = _ready(main, "PLAN.md", "b/PROGRESS.md", "c/PROGRESS.md")
    assert (root / "PLAN.md").read_text() == "uncommitted\n"
    assert (root / "b" / "PROGRESS.md").read_text() == "so far\n"
    assert git(root, "status", "--porcelain", "-uall") == "?? b/PROGRESS.md"


def test_progress_in_a_repository_beside_the_project_comes_along(main: Path) -> None:
    other = main.parent / "other"
    bases = {main: git(main, "rev-parse", "HEAD"), other: repository(other)}
    (other / "PROGRESS.md").write_text("so far\n")
    isolation = laid_out(main, bases, "topkick/op", main.parent / "trees" / "op")
    trees = Trees(Ours(str(main), "U1", isolation, ME.name, ME.email))
    trees.make_ready(TreeSetup(), ("../other/PROGRESS.md", "../../away/PROGRESS.md"), _never)
    assert (trees.root.parent / "other" / "PROGRESS.md").read_text() == "so far\n"


def test_copies_and_links(main: Path) -> None:
    (main / ".env").write_text("X=1\n")
    (main / "cache").mkdir()
    (main / "cache" / "file").write_text("file\n")
    root = _ready(main, copy=(".env", "a.txt"), link=("cache",))
    assert (root / ".env").read_text() == "X=1\n"
    assert (root / "cache").readlink() == main / "cache"
    assert not (root / "a.txt").is_symlink()


def test_own_files_are_not_written_through_links_that_are_committed(
    main: Path, tmp_path: Path
) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "PROGRESS.md").write_text("precious\n")
    (main / "b").mkdir()
    (main / "b" / "PROGRESS.md").symlink_to(precious / "PROGRESS.md")
    (main / "c").symlink_to(precious)
    git(main, "add", "-A")
    git(main, "commit", "-qm", "links")
    (main / "b" / "PROGRESS.md").unlink()
    (main / "b" / "PROGRESS.md").write_text("mine\n")
    (main / "c").unlink()
    (main / "c").mkdir()
    for name in ("PROGRESS.md", "copied", "linked"):
        (main / "c" / name).write_text("mine\n")
    own = ("b/PROGRESS.md", "c/PROGRESS.md")
    root = _ready(main, *own, copy=("c/copied",), link=("c/linked",))
    assert (root / "b" / "PROGRESS.md").read_text() == "mine\n"
    assert [(p.name, p.read_text()) for p in precious.iterdir()] == [("PROGRESS.md", "precious\n")]


def test_submodules_in_submodules(main: Path, tmp_path: Path) -> None:
    for name in ("inner", "outer"):
        repository(tmp_path / name)
    git(tmp_path / "outer", *ALLOW, "submodule", "--quiet", "add", str(tmp_path / "inner"), "in")
    git(tmp_path / "outer", "commit", "-qm", "inner")
    git(main, *ALLOW, "submodule", "--quiet", "add", str(tmp_path / "outer"), "libs/out")
    git(main, *ALLOW, "submodule", "--quiet", "update", "--init", "--recursive")
    git(main, "commit", "-qm", "outer")
    root = _ready(main)
    assert (root / "libs" / "out" / "in" / "a.txt").exists()
    assert git(root, "status", "--porcelain") == ""
    said = git(root, "submodule", "status", "--recursive").splitlines()
    assert [line.split()[1] for line in said] == ["libs/out", "libs/out/in"]
    assert not any(line.startswith(("-", "+")) for line in said)


@pytest.mark.parametrize("name", ["OUTSIDE/stolen", "../../../stolen", "x/../../../stolen"])
def test_a_submodule_whose_name_leads_out_leads_nowhere(
    main: Path, tmp_path: Path, name: str
) -> None:
    repository(tmp_path / "library")
    git(main, *ALLOW, "submodule", "--quiet", "add", str(tmp_path / "library"), "lib")
    name = name.replace("OUTSIDE", str(tmp_path / "outside"))
    text = (main / ".gitmodules").read_text().replace('"lib"', f'"{name}"')
    commit(main, ".gitmodules", text)
    before = sorted(tmp_path.iterdir())
    _ready(main)
    assert sorted(tmp_path.iterdir()) == sorted([*before, tmp_path / "trees"])
    assert not list((tmp_path / "trees").rglob("stolen"))


def test_a_repository_in_the_place_of_an_unknown_submodule(main: Path) -> None:
    """A directory without files that git makes at a checkout is no clone."""
    repository(main / "nested")
    git(main, "add", "nested")
    git(main, "commit", "-qm", "a link to a commit without .gitmodules")
    clone = made_clone(main, git(main, "rev-parse", "HEAD"))
    assert (clone.at / "nested").is_dir()
    inside = made_clone(main / "nested", git(main / "nested", "rev-parse", "HEAD"))
    inside.at.rename(clone.at.parent / "aside")
    inside.at.mkdir(parents=True)
    make_clone(inside, IDENTITY)
    assert (inside.at / ".git").is_dir()


def test_a_clone_that_lost_its_git_is_not_made_anew_over_its_files(main: Path) -> None:
    clone = made_clone(main, git(main, "rev-parse", "HEAD"))
    (clone.at / "work.txt").write_text("work\n")
    (clone.at / ".git").rename(main.parent / "kept.git")
    with pytest.raises(NoClone, match=r"has no \.git any more"):
        make_clone(clone, IDENTITY)
    assert (clone.at / "work.txt").read_text() == "work\n"


def test_catching_up_does_not_write_over_what_is_uncommitted(main: Path) -> None:
    base = git(main, "rev-parse", "HEAD")
    one, two = (made_clone(main, base, unit) for unit in ("U1", "U2"))
    made = commit(two.at, "new.txt", "by the other\n")
    gather(two, made)
    integrate(two, made, ME, "Merge")
    (one.at / "new.txt").write_text("mine, uncommitted\n")
    with pytest.raises(InTheWay, match="topkick resume"):
        catch_up(one, ME, "Catch up")
    assert (one.at / "new.txt").read_text() == "mine, uncommitted\n"
    assert git(one.at, "rev-parse", "HEAD") == base
    (one.at / "new.txt").unlink()
    (one.at / "elsewhere.txt").write_text("mine\n")
    assert catch_up(one, ME, "Catch up").commit == made
    assert git(one.at, "status", "--porcelain") == "?? elsewhere.txt"


def test_catching_up_takes_long_histories_and_deep_trees(main: Path) -> None:
    base = git(main, "rev-parse", "HEAD")
    one, two = (made_clone(main, base, unit) for unit in ("U1", "U2"))
    for number in range(5):
        made = commit(two.at, f"x/y/z{number}/file", f"{number}\n")
    gather(two, made)
    integrate(two, made, ME, "Merge")
    mine = commit(one.at, "mine.txt", "mine\n")
    caught = catch_up(one, ME, "Catch up")
    assert git(one.at, "rev-parse", "HEAD^1", "HEAD^2").split() == [mine, made]
    assert caught.commit == git(one.at, "rev-parse", "HEAD")
    assert (one.at / "x" / "y" / "z4" / "file").read_text() == "4\n"
    git(one.at, "fsck", "--full", "--strict")


def test_a_plan_that_is_committed_and_edited_is_the_users_to_commit(main: Path) -> None:
    commit(main, "PLAN.md", "committed\n")
    (main / "PLAN.md").write_text("edited\n")
    root = _ready(main, "PLAN.md")
    assert (root / "PLAN.md").read_text() == "edited\n"
    tree = read_tree(root, None)
    assert tree is not None
    assert tree.uncommitted == ()
    made = commit(root, "work.txt", "work\n")
    assert git(root, "show", f"{made}:PLAN.md") == "committed"


@pytest.mark.parametrize("how", ["head", "wish", "index"])
def test_a_clone_that_cannot_be_read_is_told_of(main: Path, how: str) -> None:
    root = _ready(main)
    commit(main, "more.txt", "more\n")
    git(main, "branch", "topkick/op")
    match how:
        case "head":
            (root / ".git" / "HEAD").write_text("damaged\n")
        case "wish":
            blob = git(root, "hash-object", "-w", "--stdin", feed="x")
            git(root, "update-ref", "refs/topkick/standing", blob)
        case "index":
            (root / ".git" / "index").write_bytes(b"damaged")
    isolation = isolation_of(main, git(main, "rev-parse", "HEAD~1"))
    isolation = isolation.with_tips([Tip("proj", git(main, "rev-parse", "HEAD"))])
    trees = Trees(Ours(str(main), "U1", isolation, ME.name, ME.email))
    with pytest.raises(TopkickError, match="topkick resume"):
        trees.catch_up()


def test_catching_up_that_was_cut_off_goes_on_with_names_that_are_no_text(main: Path) -> None:
    base = git(main, "rev-parse", "HEAD")
    one, two = (made_clone(main, base, unit) for unit in ("U1", "U2"))
    odd = os.fsdecode(b"new\nline \xff")
    made = commit(two.at, odd, "odd\n")
    gather(two, made)
    integrate(two, made, ME, "Merge")
    lend_mission(recorded(one))
    git(one.at, "update-ref", WISH, made)
    assert catch_up(one, ME, "Catch up").commit == made
    assert (one.at / odd).read_text() == "odd\n"
    assert git(one.at, "status", "--porcelain") == ""


def test_commits_in_a_submodule_come_home_and_to_other_units(main: Path, tmp_path: Path) -> None:
    repository(tmp_path / "library")
    git(main, *ALLOW, "submodule", "--quiet", "add", str(tmp_path / "library"), "lib")
    git(main, "commit", "-qm", "library")
    base = git(main, "rev-parse", "HEAD")
    one, early = made_clone(main, base), made_clone(main, base, "U3")
    fixed = commit(one.at / "lib", "fix.txt", "fix\n")
    made = commit(one.at, "work.txt", "work\n")
    before = git(main / "lib", "rev-parse", "HEAD")
    gather(one, made)
    integrate(one, made, ME, "Merge")
    assert git(main / "lib", "rev-parse", "HEAD", one.gathered).split() == [before, fixed]
    two = made_clone(main, base, "U2", tip=made)
    assert (two.at / "lib" / "fix.txt").read_text() == "fix\n"
    assert git(two.at, "status", "--porcelain") == ""
    (early.at / "lib" / "mine.txt").write_text("uncommitted\n")
    catch_up(early, ME, "Catch up")
    assert git(early.at / "lib", "rev-parse", "HEAD") == before
    (early.at / "lib" / "mine.txt").unlink()
    catch_up(early, ME, "Catch up")
    assert (early.at / "lib" / "fix.txt").read_text() == "fix\n"
    assert git(early.at, "status", "--porcelain") == ""
    git(main, "merge", "-q", "topkick/op")
    git(main, "submodule", "--quiet", "update")
    assert (main / "lib" / "fix.txt").read_text() == "fix\n"
    assert git(main, "status", "--porcelain") == ""
