"""No attempt is charged for what is not the agent's fault; what it can mend goes back to it."""

import json
import re
import sys
from pathlib import Path

import pytest
from story_project import Project, plan, sprint, unit

TESTS = f"{sys.executable} -m unittest -q a.test_total"
OLD = """
import unittest
from a.total import total
class Total(unittest.TestCase):
    def test_nothing(self):
        self.assertEqual(total([]), 0)
    def test_sum(self):
        self.assertEqual(total([1, 2]), 3)
"""
EMPTIED = OLD.replace("self.assertEqual(total([1, 2]), 3)", "self.assertTrue(True)")
GOOD = "def total(prices):\n    return sum(prices)\n"
CHEAT = f"commit('test_total.py', {EMPTIED!r}); commit('total.py', {GOOD!r})"
OFFERED = (
    "explain U1/1 --evidence",
    "reject U1/1",
    "retry U1/1 --note",
    "waive U1/1",
    "accept U1/1",
)


@pytest.fixture
def native(tmp_path: Path) -> Project:
    """These stories are the same in both modes."""
    return Project(tmp_path, portable=False)


def _with_tests(project: Project, **verify: object) -> None:
    (project.root / "a").mkdir()
    (project.root / "a" / "__init__.py").write_text("")
    (project.root / "a" / "total.py").write_text("def total(prices):\n    return 0\n")
    (project.root / "a" / "test_total.py").write_text(OLD)
    project.make(plan(unit("a", sprint(TESTS))), verify=verify)


def _in_this_order(screen: str, words: tuple[str, ...]) -> None:
    places = [screen.find(word) for word in words]
    assert -1 not in places, f"{words[places.index(-1)]} is missing in:\n{screen}"
    assert places == sorted(places), f"in another order in:\n{screen}"


@pytest.mark.spec("DP-08", "VF-06")
def test_work_that_is_there_already_waits_for_a_person_after_one_order(native: Project) -> None:
    (native.root / "a").mkdir()
    (native.root / "a" / "done-1.txt").write_text("as asked\n")
    native.make(plan(unit("a")))
    native.script("a.1.1", "claim('done')")
    native.script("a.1.2", "commit('more.txt')")
    said = native.says("start", "--yes", "--foreground", code=3)
    assert len(native.starts()) == 1, "a stronger model cannot help"
    found = native.sprint("a/1")
    assert (found.state.value, found.failures) == ("PARTIAL", 0)
    why = "all criteria passed before the order and the agent changed nothing"
    for screen in (said, native.says("status"), native.says("explain", "U1/1"), native.board()):
        commands = ("topkick retry U1/1 --note", "topkick accept U1/1 --why")
        _in_this_order(screen, (why, *commands))
    assert "Blocked work units" not in native.says("status")
    native.says("retry", "U1/1", "--note", "write more.txt as well")
    native.says("resume", "--foreground")
    assert native.state("a/1") == "COMPLETED"
    order = native.prompt(native.starts()[1])
    assert "write more.txt as well" in order
    assert "None stated" not in order
    assert native.close() == []


@pytest.mark.spec("ER-05", "SM-07", "SM-03")
def test_leftovers_are_no_progress_and_commits_elsewhere_are_named(native: Project) -> None:
    native.make(plan(unit("a"), unit("b", needs="")), limits={"max_agents": 1})
    native.script("a.1", "write('done-1.txt')")
    native.script(
        "b.1",
        "(PROJECT / 'README.md').write_text(RUN_ID); git('add', 'README.md')\n"
        "git('commit', '-q', '-m', 'Describe it')",
    )
    said = native.says("start", "--yes", "--foreground", code=3)
    for name in "ab":
        mine = [s for s in native.starts() if s.unit == name]
        assert [s.attempt for s in mine] == [1, 2, 3], "an order for each attempt, and no more"
        assert native.state(name) == "BLOCKED"
    assert (native.root / "a" / "done-1.txt").exists(), "uncommitted work is kept"
    second = {s.unit: native.prompt(s) for s in native.starts() if s.attempt == 2}
    assert "not committed: a/done-1.txt" in second["a"]
    assert "1 commit outside b: README.md" in second["b"]
    assert "1 commit outside b: README.md" in native.sprint("b/1").outcome.reasons
    assert len(re.findall(r"FAILURE.*: 1 commit outside b: README\.md", said)) == 3, said
    assert "1 commit outside b: README.md" in native.says("explain", "b/1")
    assert native.close() == []


@pytest.mark.spec("VF-03", "DP-04", "C3")
def test_a_finding_goes_back_to_the_agent_before_a_person_is_asked(native: Project) -> None:
    _with_tests(native)
    native.script("a.1.1", CHEAT)
    native.script("a.1.2", f"commit('test_total.py', {OLD!r})")
    native.says("start", "--yes", "--foreground")
    assert [s.attempt for s in native.starts()] == [1, 1]
    done = native.sprint("a/1")
    assert (done.state.value, done.proof, done.failures) == ("COMPLETED", "checked", 0)
    order = native.prompt(native.starts()[1])
    line = 1 + EMPTIED.split("\n").index("    def test_sum(self):")
    assert re.search(rf"a/test_total\.py:({line}|{line + 1}): .*test_sum", order), order
    assert "Wanted: " in order
    assert any(d.startswith("Finding returned: ") for d in native.decisions())
    assert native.close() == []


@pytest.mark.spec("VF-06", "RP-02", "LP-04")
def test_a_finding_that_stays_is_shown_alike_on_every_screen(native: Project) -> None:
    _with_tests(native)
    skipped = EMPTIED.replace(
        "    def test_nothing", "    @unittest.skip('no')\n    def test_nothing"
    )
    native.script("a.1", CHEAT.replace(repr(EMPTIED), repr(skipped)))
    native.script("a.1.2", "claim('done')")
    said = native.says("start", "--yes", "--foreground", code=3)
    assert len(native.starts()) == 2, "one order more, then a person"
    assert (native.state("a/1"), native.sprint("a/1").failures) == ("PARTIAL", 0)
    screens = {
        "closing": said,
        "status": native.says("status"),
        "explain": native.says("explain"),
        "explain X": native.says("explain", "U1/1"),
        "report": native.says("report"),
        "board": native.board(),
    }
    for screen in screens.values():
        _in_this_order(screen, OFFERED)
    offered = native.status()["needs"][0]["commands"]
    _in_this_order("\n".join(o["command"] for o in offered), OFFERED)
    assert "blocked, waits for you: 3 findings" in screens["status"]
    assert re.search(r"Waits for a person: +1\b", screens["status"])
    assert "RUNNING · waits for you" in screens["status"]
    assert "-        self.assertEqual(total([1, 2]), 3)" in native.says(
        "explain", "U1/1", "--evidence"
    ), "the diff"
    _one_is_waived(native)
    native.says("retry", "U1/1", "--note", "put both tests back")
    native.script("a.1.3", f"commit('test_total.py', {OLD!r})")
    native.says("resume", "--foreground")
    assert native.state("a/1") == "COMPLETED"
    assert native.close() == []


def _one_is_waived(project: Project) -> None:
    found = json.loads(project.says("explain", "U1/1", "--json"))["evidence"]["findings"]
    first, *others = [f for f in found if f["held_against_it"]]
    project.says("waive", "U1/1", first["id"], "--why", "it was never needed")
    for screen in (project.says("status"), project.says("explain"), project.board()):
        waits = screen.partition("Decisions Log")[0]
        assert first["what"] not in waits
        assert others[0]["what"] in waits
        assert first["id"] not in waits


@pytest.mark.spec("VF-06")
def test_with_ask_a_finding_is_shown_to_a_person_at_once(native: Project) -> None:
    _with_tests(native, on_finding="ask")
    native.script("a.1", CHEAT)
    native.says("start", "--yes", "--foreground", code=3)
    assert len(native.starts()) == 1
    native.configure('on_finding = "ask"', 'on_finding = "shrug"')
    assert '"return" or "ask"' in native.says("resume", "--foreground", code=2)
    assert native.close() == []


@pytest.mark.spec("VF-03")
def test_the_users_settings_and_a_log_are_no_finding_against_an_agent(native: Project) -> None:
    native.make(plan(unit("a")))
    native.git("rm", "-q", "--cached", "topkick.toml")
    native.git("commit", "-q", "-m", "Keep the settings out")
    outside = native.scripts / "default"
    native.script("default", "work()")
    native.script(
        "a.1",
        f"write('done-1.txt'); write('run.log', 'read {outside} in 3 ms\\n')\n"
        "git('add', '-A'); git('commit', '-q', '-m', 'All of it')",
    )
    native.says("start", "--yes", "--foreground")
    assert "topkick.toml" in native.git("show", "--stat", "--format=", "HEAD")
    assert len(native.starts()) == 1
    seen = json.loads(native.says("explain", "a/1", "--json"))["evidence"]
    assert seen["findings"] == []
    assert native.close() == []


@pytest.mark.spec("VF-03", "DP-08")
def test_settings_that_an_agent_commits_are_no_work(native: Project) -> None:
    """A unit at the project's root: the only commit is of the user's own topkick.toml."""
    text = plan(unit("a")).replace("| a | a |", "| a | . |")
    (native.root / "a").mkdir()
    (native.root / "a" / "done-1.txt").write_text("as asked\n")
    native.make(text)
    native.git("rm", "-q", "--cached", "topkick.toml")
    native.git("commit", "-q", "-m", "Keep the settings out")
    native.script("a.1", "git('add', '-A'); git('commit', '-q', '-m', 'All of it')")
    native.says("start", "--yes", "--foreground", code=3)
    assert (native.state("a/1"), len(native.starts())) == ("PARTIAL", 1)
    assert native.close() == []
