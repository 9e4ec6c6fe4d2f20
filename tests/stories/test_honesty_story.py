"""Verdicts that cannot be talked into a green: where checks run, what is compared, who waives."""

import json
import sys
from pathlib import Path

import pytest
from story_project import Project, plan, sprint, unit

from topkick.checks.model import Evidence, Where
from topkick.engine import messages as h
from topkick.sprint.model import Proof

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
GOOD = "def total(prices):\n    return sum(prices)\n"


@pytest.fixture
def native(tmp_path: Path) -> Project:
    """A project in native mode only: these stories are the same in both modes."""
    return Project(tmp_path, portable=False)


def _with_tests(project: Project, *checks: str, **more: object) -> None:
    (project.root / "a").mkdir()
    (project.root / "a" / "__init__.py").write_text("")
    (project.root / "a" / "total.py").write_text("def total(prices):\n    return 0\n")
    (project.root / "a" / "test_total.py").write_text(OLD)
    project.make(plan(unit("a", sprint(*(checks or (TESTS,))))), **more)


def _evidence(project: Project) -> Evidence:
    found = [x for x in project.happenings() if isinstance(x, h.WorkChecked)]
    return found[-1].evidence


def _solve(project: Project, tests: str = "", order: str = "a.1") -> None:
    more = f"commit('test_total.py', {tests!r})\n" if tests else ""
    project.script(order, f"{more}commit('total.py', {GOOD!r})")


@pytest.mark.spec("VF-01", "VF-04", "V1")
def test_honest_work_is_checked_at_its_commit_and_all_of_it_is_kept(project: Project) -> None:
    _with_tests(project)
    _solve(project)
    project.says("start", "--yes", "--foreground")
    seen = _evidence(project)
    assert project.sprint("a/1").proof is Proof.CHECKED
    assert seen.where is Where.COLD, "the last sprint of a unit is checked in a tree made anew"
    assert seen.tree == project.git("rev-parse", "HEAD^{tree}").strip()
    assert [(r.code, r.counts.passed if r.counts else None) for r in seen.results] == [(0, 2)]
    assert seen.findings == ()
    told = project.says("explain", "a/1", "--evidence")
    assert "2 passed" in told
    assert "Ran 2 tests" in told
    assert seen.tree[:10] in told
    as_json = json.loads(project.says("explain", "a/1", "--json"))
    assert as_json["evidence"]["results"][0]["counts"] == {"passed": 2, "failed": 0, "skipped": 0}
    for words in (("verify", "a/1"), ("verify", "a/1", "--cold")):
        assert "It holds." in project.says(*words)


@pytest.mark.spec("VF-03", "VF-06")
def test_a_test_that_is_gone_rests_until_a_person_waives_it(project: Project) -> None:
    _with_tests(project, verify={"on_finding": "ask"})
    gone = OLD.split("    def test_sum", maxsplit=1)[0]
    project.script("a.1", f"commit('test_total.py', {gone!r}); commit('total.py', {GOOD!r})")
    said = project.says("start", "--yes", "--foreground", code=3)
    assert "topkick waive" in said
    assert project.state("a/1") == "PARTIAL"
    assert len(project.starts()) == 1, "nobody is sent again where only findings are left"
    found = json.loads(project.says("explain", "a/1", "--json"))["evidence"]["findings"]
    assert {f["kind"] for f in found} == {"test removed", "fewer tests"}
    assert "Say why" in project.says("waive", "a/1", found[0]["id"], code=2)
    for finding in found:
        project.says("waive", "a/1", finding["id"], "--why", "the sum is somebody else's")
    assert project.state("a/1") == "COMPLETED"
    assert project.sprint("a/1").proof is Proof.CHECKED
    told = project.says("explain", "a/1")
    assert "the sum is somebody else's" in told
    assert all(w.why == "the sum is somebody else's" for w in project.sprint("a/1").waivers)


@pytest.mark.spec("VF-04", "V4")
def test_what_is_not_committed_or_ignored_helps_no_check(native: Project) -> None:
    native.make(plan(unit("a", sprint("test -f a/x.txt", "test -f a/cache/y"))))
    native.script(
        "a.1.1",
        "commit('.gitignore', 'cache/\\n'); write('x.txt')\n"
        "(HERE / 'cache').mkdir(); write('cache/y')",
    )
    native.script("a.1.2", "commit('x.txt')")
    native.script("a.1.3", "git('add', '-f', 'a/cache/y'); git('commit', '-q', '-m', 'y')")
    native.says("start", "--yes", "--foreground")
    assert [s.attempt for s in native.starts()] == [1, 1, 1]
    assert "`test -f a/x.txt` ended with 1" in native.prompt(native.starts()[1])
    assert "`test -f a/cache/y` ended with 1" in native.prompt(native.starts()[2])
    assert native.close() == []


@pytest.mark.spec("VF-07")
def test_what_a_command_sprint_did_is_looked_for_where_it_did_it(native: Project) -> None:
    native.make(plan(unit("a", sprint("test -f a/out.bin", kind="command"))))
    native.script("a.1", "write('out.bin')")
    native.says("start", "--yes", "--foreground")
    assert _evidence(native).where is Where.PLACE
    assert native.close() == []


@pytest.mark.spec("VF-03")
def test_tests_that_were_replaced_are_held_against_the_new_code(native: Project) -> None:
    better = OLD.replace("test_sum", "test_two").replace("[1, 2]), 3", "[3, 4]), 7")
    better += "    def test_three(self):\n        self.assertEqual(total([1, 2, 3]), 6)\n"
    _with_tests(native)
    _solve(native, better)
    native.says("start", "--yes", "--foreground")
    seen = _evidence(native)
    assert [r.passed for r in seen.earlier] == [True], "the tests as they were pass as well"
    assert seen.findings == ()
    assert native.close() == []


@pytest.mark.spec("VF-03")
def test_tests_that_were_rewritten_to_suit_the_code_are_found(native: Project) -> None:
    _with_tests(native)
    suits = OLD.replace("[1, 2]), 3", "[1, 2]), 4")
    wrong = "def total(prices):\n    return sum(prices) and 4\n"
    native.script("a.1", f"commit('test_total.py', {suits!r}); commit('total.py', {wrong!r})")
    native.says("start", "--yes", "--foreground", code=3)
    seen = _evidence(native)
    assert [r.passed for r in seen.results] == [True]
    assert [r.passed for r in seen.earlier] == [False]
    assert [f.kind.value for f in seen.findings] == ["test rewritten"]
    assert native.close() == []


@pytest.mark.spec("VF-03", "V1")
def test_a_test_command_that_ran_nothing_has_not_passed(native: Project) -> None:
    counts_none = f"{sys.executable} -c \"print('Ran 0 tests in 0.000s\\n\\nOK')\" && test -f a/x"
    _with_tests(native, counts_none)
    native.script("a.1", "commit('x')")
    native.says("start", "--yes", "--foreground", code=3)
    assert "ran no test" in " ".join(native.sprint("a/1").outcome.reasons)
    assert native.close() == []


@pytest.mark.spec("VF-03")
def test_a_program_in_the_tree_is_never_the_one_that_checks(native: Project) -> None:
    """The agent's own `judge` is first on PATH; the person's comes after it."""
    theirs = native.home / "bin" / "judge"
    theirs.parent.mkdir()
    theirs.write_text("#!/bin/sh\nexit 1\n")
    theirs.chmod(0o755)
    native.env["PATH"] = f"{native.root}/a/bin:.:{theirs.parent}:{native.env['PATH']}"
    native.make(plan(unit("a", sprint("judge"))), limits={"max_retries": 1})
    fake = "#!/bin/sh\nexit 0\n"
    native.script(
        "a.1",
        f"(HERE / 'bin').mkdir(parents=True); write('bin/judge', {fake!r})\n"
        f"(HERE / 'bin/judge').chmod(0o755); (PROJECT / 'judge').write_text({fake!r})\n"
        "(PROJECT / 'judge').chmod(0o755); git('add', '-A'); git('commit', '-q', '-m', 'x')",
    )
    native.says("start", "--yes", "--foreground", code=3)
    assert not any(r.passed for r in _evidence(native).results)
    assert native.close() == []


@pytest.mark.spec("VF-03")
def test_a_program_that_the_agent_exchanges_is_found(native: Project) -> None:
    theirs = native.home / "bin" / "judge"
    theirs.parent.mkdir()
    theirs.write_text("#!/bin/sh\nexit 1\n")
    theirs.chmod(0o755)
    native.env["PATH"] = f"{theirs.parent}:{native.env['PATH']}"
    native.make(plan(unit("a", sprint("judge"))))
    native.script(
        "a.1", f"open({str(theirs)!r}, 'w').write('#!/bin/sh\\nexit 0\\n'); commit('x.txt')"
    )
    native.says("start", "--yes", "--foreground", code=3)
    assert [f.kind.value for f in _evidence(native).findings] == ["tool changed"]
    assert native.close() == []


@pytest.mark.spec("VF-03")
def test_history_that_is_rewritten_and_another_branch_are_found(native: Project) -> None:
    native.make(plan(unit("a")))
    native.script(
        "a.1", "work(); git('checkout', '-q', '--orphan', 'new'); git('commit', '-q', '-m', 'x')"
    )
    native.says("start", "--yes", "--foreground", code=3)
    kinds = {f.kind.value for f in _evidence(native).findings}
    assert kinds == {"history rewritten", "other branch"}
    assert native.close() == []


@pytest.mark.spec("VF-03")
def test_a_look_at_it_later_holds_no_later_change_against_it(native: Project) -> None:
    native.make(plan(unit("a")))
    native.says("start", "--yes", "--foreground")
    native.git("switch", "-q", "-c", "elsewhere")
    said = json.loads(native.says("verify", "a/1", "--json"))
    assert said["findings"] == []
    assert native.close() == []


@pytest.mark.spec("VF-05")
def test_the_tree_for_checks_is_prepared_again_only_when_lock_files_change(native: Project) -> None:
    command = "mkdir -p a/lib && echo x >> a/lib/made"
    native.make(
        plan(unit("a", sprint("test -f a/done-1.txt && test -f a/lib/made"), sprint(), sprint())),
        verify={"prepare": [command]},
    )
    native.script("a.1", "commit('.gitignore', 'lib/\\n'); work()")
    native.script("a.2", "commit('requirements.txt', 'six'); work()")
    native.says("start", "--yes", "--foreground")
    checks = native.home / ".local" / "state" / "topkick" / "checks"
    made = next(checks.glob("*/1/project/a/lib/made"))
    assert made.read_text() == "x\nx\n", "once at first, once for the new lock file"
    assert native.close() == []


@pytest.mark.spec("VF-05")
def test_a_tree_that_cannot_be_prepared_charges_nobody(native: Project) -> None:
    native.make(plan(unit("a")), verify={"prepare": ["echo no network; exit 3"]})
    said = native.says("start", "--yes", "--foreground", code=3)
    assert "[verify] prepare" in native.says("explain", "a/1", "--evidence") + said + str(
        native.sprint("a/1").hold
    )
    assert native.sprint("a/1").failures == 0
    native.configure('prepare = ["echo no network; exit 3"]', "prepare = []")
    native.says("resume", "--foreground", "--yes")
    assert native.state("a") == "COMPLETED"
    assert native.close() == []


@pytest.mark.spec("VF-04")
def test_checks_in_place_can_be_asked_for(native: Project) -> None:
    native.make(plan(unit("a")), verify={"at": "place"})
    native.says("start", "--yes", "--foreground")
    assert _evidence(native).where is Where.PLACE
    assert native.close() == []


def test_verify_and_explain_say_what_to_do_where_there_is_nothing_yet(native: Project) -> None:
    assert "topkick start" in native.says("explain", code=2)
    assert "topkick start" in native.says("verify", "a/1", code=2)
    native.make(plan(unit("a", sprint(), sprint())))
    native.script("a.1", "wait('gate')")
    native.start_in_background()
    assert "has not been checked yet" in native.says("verify", "a/2", code=2)
    assert "no open finding to waive" in native.says("waive", "a/1", "f1", "--why", "x", code=2)
    native.let_go("gate")
    native.says("killall")
    assert native.close() == []
