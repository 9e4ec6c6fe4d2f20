"""The mission's branch, moved by another program than topkick."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from story_project import Project, plan, unit, wait_for

TWO = plan(unit("a"), unit("b"))
THREE = plan(unit("a"), unit("b"), unit("c", needs="a b"))
AUTO = {"isolation": "auto", "ritual": False}
REF = "refs/heads/topkick/story"


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=False)
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


def _attack(project: Project, ref: str, onto: str) -> str:
    """Return an agent's script that puts an unchecked commit under a ref of the user."""
    return f"""
import subprocess
def main(*words, feed=b""):
    said = subprocess.run(["git", *words], cwd={str(project.root)!r}, input=feed, check=True,
        capture_output=True, env={{**os.environ, "GIT_INDEX_FILE": {str(project.home / "evil")!r},
        "GIT_AUTHOR_NAME": "Mallory", "GIT_AUTHOR_EMAIL": "m@x"}})
    return said.stdout.decode().strip()
main("read-tree", {onto!r})
blob = main("hash-object", "-w", "--stdin", feed=b"echo owned")
main("update-index", "--add", "--cacheinfo", f"100755,{{blob}},setup.sh")
tree = main("write-tree")
made = main("commit-tree", tree, "-p", {onto!r}, "-m", "Innocent")
main("update-ref", {ref!r}, made)
"""


def _is_merged(project: Project, name: str) -> bool:
    found = project.mission().units.get(name)
    return found is not None and found.integrated > 0


def _files(project: Project, commit: str) -> set[str]:
    return set(project.git("ls-tree", "-r", "--name-only", commit).split())


@pytest.mark.spec("GT-06")
def test_a_commit_that_an_agent_put_on_the_branch_is_not_merged_over_nor_landed(
    alone: Project,
) -> None:
    """The unchecked commit reached main by `land`, and no screen named it."""
    alone.make(THREE, top=AUTO)
    alone.script("b.1", "wait('merged')\n" + _attack(alone, REF, "topkick/story") + "work()")
    running = alone.begin("start", "--yes", "--foreground")
    wait_for(lambda: _is_merged(alone, "a"))
    left_at = alone.git("rev-parse", REF).strip()
    alone.let_go("merged")
    code, said = alone.end_of(running)
    assert code == 3, said
    assert "another program moved topkick/story; it has 1 commit" in said
    assert "another program moved topkick/story" in alone.says("status")
    assert "another program moved topkick/story" in alone.says("report")
    for words in (("land", "--yes", "--unfinished"), ("land", "--dry-run"), ("land", "--pr")):
        said = alone.says(*words, code=2)
        for part in ("Mallory <m@x>: Innocent", "setup.sh", "topkick accept topkick/story"):
            assert part in said
    put_back = next(line for line in said.splitlines() if "update-ref" in line).split(":", 1)[1]
    assert alone.shell(put_back).returncode == 0
    assert alone.git("rev-parse", REF).strip() == left_at
    assert "is where topkick left it" in alone.says("accept", "topkick/story", "--why", "x", code=2)
    assert "3 done (3 checked)" in alone.says("resume", "--yes", "--foreground")
    alone.says("land", "--yes")
    assert not (alone.root / "setup.sh").exists()
    assert {"a/done-1.txt", "b/done-1.txt", "c/done-1.txt"} <= _files(alone, "main")


@pytest.mark.spec("GT-06")
def test_refs_that_an_agent_makes_first_are_no_base_and_a_person_keeps_a_commit_of_their_own(
    alone: Project,
) -> None:
    """Neither a branch made before topkick's own nor a unit's ref becomes what a clone begins
    with; after the end, a person's own commit is kept by `accept`, and then landed."""
    alone.make(THREE, top=AUTO)
    units = _attack(alone, "refs/topkick/units/story/u3", "HEAD")
    alone.script("a.1", units + _attack(alone, REF, "HEAD") + "work()")
    said = alone.says("start", "--yes", "--foreground", code=3)
    assert "another program moved topkick/story" in said
    alone.git("update-ref", "-d", REF)
    alone.says("resume", "--yes", "--foreground")
    assert "setup.sh" not in _files(alone, "topkick/story")
    tip = alone.git("rev-parse", REF).strip()
    alone.git("switch", "-q", "topkick/story")
    alone.git("commit", "-q", "--allow-empty", "-m", "Mine")
    alone.git("switch", "-q", "main")
    mine = alone.git("rev-parse", REF).strip()
    assert "Story <story@localhost>: Mine" in alone.says("land", "--yes", code=2)
    said = alone.says("accept", "topkick/story", "--why", "it is mine")
    assert "topkick/story is kept as it is." in said
    assert any("Branch accepted by a person" in line for line in alone.decisions())
    assert "another program moved" not in alone.says("status")
    alone.says("land", "--yes")
    assert alone.git("rev-parse", "main").strip() == mine != tip


@pytest.mark.spec("GT-06")
def test_a_merge_cut_off_before_it_was_written_down_and_a_deleted_branch_are_no_move(
    alone: Project,
) -> None:
    """The process that merges dies right after it moved the branch to a merge of b."""
    alone.make(THREE, top=AUTO)
    alone.script("b.1", "wait('merged')\nwork()")
    alone.script("c.1", "wait('deleted')\nwork()")
    trace = alone.home / "trace"
    crash = {"TOPKICK_CRASH_AT": "tree.after-merge:2", "TOPKICK_CRASH_TRACE": str(trace)}
    running = alone.begin("start", "--yes", "--foreground", env=crash)
    wait_for(lambda: _is_merged(alone, "a"))
    alone.let_go("merged")
    wait_for(lambda: _is_merged(alone, "b"))
    alone.git("update-ref", "-d", REF)
    alone.let_go("deleted")
    code, said = alone.end_of(running)
    assert code == 0, said
    assert "the branch had been deleted and was made again" in said
    assert "another program moved" not in said
    assert trace.read_text().count("tree.after-merge") == 4
    alone.git("branch", "-q", "-D", "topkick/story")
    alone.says("land", "--yes")
    assert {"a/done-1.txt", "b/done-1.txt", "c/done-1.txt"} <= _files(alone, "main")
