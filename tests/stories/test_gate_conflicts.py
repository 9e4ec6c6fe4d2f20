"""Where the changes of several units meet and do not fit: merged by a sprint, then built."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from gated import ended, past
from story_project import Project, plan, unit

from topkick.sprint.gates.model import GateVerdict

SHOW = """
def shown(commit, name):
    words = ["git", "show", f"{commit}:{name}"]
    found = subprocess.run(words, cwd=PROJECT, capture_output=True, text=True, check=False)
    return found.stdout.splitlines()
"""
MERGE = "git('merge', 'topkick/integrated')\n"
COMMIT = "git('add', '-A')\nassert git('commit', '-q', '-m', 'Merged')\n"
UNION = (
    SHOW
    + MERGE
    + "lines = {*shown('HEAD', 'both.txt'), *shown('topkick/integrated', 'both.txt')}\n"
    + "(PROJECT / 'both.txt').write_text('\\n'.join(sorted(lines)) + '\\n')\n"
    + COMMIT
)
EDITS = (
    "work()\n(PROJECT / 'both.txt').write_text(f'by {UNIT}\\n')\n"
    "git('add', 'both.txt')\nassert git('commit', '-q', '-m', 'both')"
)


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=False)
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


def made(project: Project, names: str, gate: str) -> None:
    (project.root / "both.txt").write_text("".join(f"line {n}\n" for n in range(20)))
    units = [unit(name) for name in names]
    project.make(plan(*units), top={"isolation": "clone", "gate": {"command": gate}})


def merged_by(project: Project) -> list[str]:
    """Which units were given a merge, and each was shown what conflicts."""
    starts = [s for s in project.starts() if s.sprint.startswith("merge")]
    for start in starts:
        text = project.prompt(start)
        assert "git merge topkick/integrated" in text
        assert "both.txt" in text.partition("Resolve the conflicts")[2]
    return [start.unit for start in starts]


def green(project: Project) -> bool:
    last = past(project)[-1]
    return (last.verdict, last.final, last.passed) == (GateVerdict.PASSED, True, True)


@pytest.mark.spec("GT-06", "GT-03")
def test_three_units_at_once_on_one_file(alone: Project) -> None:
    gate = " && ".join(f"grep -q 'by {name}' both.txt" for name in "abc")
    made(alone, "abc", gate)
    for name in "abc":
        alone.script(f"{name}.1", EDITS)
        for number in (1, 2):
            alone.script(f"{name}.merge-{number}", UNION)
    ended(alone.begin("start", "--yes", "--foreground"))
    assert len(merged_by(alone)) >= 2
    assert green(alone)
    isolation = alone.mission().isolation
    assert isolation is not None
    both = alone.git("show", f"{isolation.branch}:both.txt")
    assert set("abc") == {line[-1] for line in both.splitlines()}


@pytest.mark.spec("GT-06")
def test_one_deletes_what_another_edits(alone: Project) -> None:
    made(alone, "ab", "grep -q 'by b' moved.txt && ! test -e both.txt")
    alone.script("a.1", "work()\ngit('rm', '-q', 'both.txt')\ngit('commit', '-q', '-m', 'gone')")
    alone.script("b.1", EDITS)
    resolved = f"{MERGE}git('rm', '-q', '-f', 'both.txt')\n"
    resolved += "(PROJECT / 'moved.txt').write_text('by b\\n')\n" + COMMIT
    for name in "ab":
        alone.script(f"{name}.merge-1", resolved)
    ended(alone.begin("start", "--yes", "--foreground"))
    assert len(merged_by(alone)) == 1
    assert green(alone)


@pytest.mark.spec("GT-06")
def test_two_rename_one_file_differently(alone: Project) -> None:
    made(alone, "ab", "test -e one.txt && ! test -e two.txt && ! test -e both.txt")
    for name, to in (("a", "one.txt"), ("b", "two.txt")):
        moved = f"git('mv', 'both.txt', '{to}')\ngit('commit', '-q', '-m', 'renamed')"
        alone.script(f"{name}.1", f"work()\n{moved}")
        keeps_one = "(PROJECT / 'one.txt').write_text('one\\n')\n"
        resolved = f"{MERGE}git('rm', '-q', '-f', '--ignore-unmatch', 'two.txt', 'both.txt')\n"
        alone.script(f"{name}.merge-1", resolved + keeps_one + COMMIT)
    ended(alone.begin("start", "--yes", "--foreground"))
    assert len(merged_by(alone)) == 1
    assert green(alone)


@pytest.mark.spec("GT-06")
def test_a_conflict_that_nobody_resolves_blocks_its_unit_and_says_what_to_do(
    alone: Project,
) -> None:
    made(alone, "ab", "true")
    for name in "ab":
        alone.script(f"{name}.1", EDITS)
        alone.script(f"{name}.merge-1", "say('I do not know')")
    said = ended(alone.begin("start", "--yes", "--foreground"), 3)
    (late,) = set(merged_by(alone))
    assert alone.state(late) == "BLOCKED"
    handle = alone.unit(late).handle
    for words in (said, alone.says("status"), alone.says("explain", late)):
        assert f"{handle}/merge-1" in words
        assert "topkick retry" in words
    (other,) = {"a", "b"} - {late}
    assert alone.state(other) == "COMPLETED", "the other one is built without it"
    alone.script(f"{late}.merge-1", UNION)
    alone.says("retry", f"{handle}/merge-1")
    ended(alone.begin("resume", "--yes", "--foreground"))
    assert green(alone)
