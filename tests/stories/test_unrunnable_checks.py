"""A check that cannot run charges no attempt; a gate that was not run is never called verified."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from gated import ended, past
from story_project import Project, plan, sprint, unit

from topkick.sprint.gates.model import GateVerdict

NO_TOOL = "python3 -m no_such_tool_x check ."
NO_TESTS = "python3 -m no_such_pytest -q"


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=False)
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


def clones(command: str = "") -> dict[str, object]:
    return {"isolation": "clone", **({"gate": {"command": command}} if command else {})}


# --- criteria ------------------------------------------------------------------------------


@pytest.mark.spec("DP-08", "LP-04")
def test_a_tool_that_is_not_installed_costs_no_order(alone: Project) -> None:
    checks = ("test -f a/done-1.txt", NO_TOOL)
    alone.make(plan(unit("a", sprint(*checks)), unit("b")), verify={"always": ["true"]})
    linted = alone.says("plan", "lint", code=1)
    assert "no module no_such_tool_x" in linted
    assert "EXECUTION_PLAN.md:" in linted.split("no module no_such_tool_x")[0].splitlines()[-1]
    doctor = alone.says("doctor")
    assert "warn  checks" in doctor
    assert "python3 -m pip install no_such_tool_x" in doctor
    said = ended(alone.begin("start", "--yes", "--foreground"), code=3)
    page = said.partition("Gate  ")[0]
    assert "no module no_such_tool_x" in page, "the start screen says it before a token is spent"
    assert [s.unit for s in alone.starts()] == ["b"], "no agent was asked to do what it cannot"
    assert alone.state("a/1") == "PENDING"
    assert alone.sprint("a/1").failures_ever == 0
    assert alone.overall() == "blocked"
    status = alone.says("status")
    assert f"`{NO_TOOL}` cannot run here: no module no_such_tool_x" in status
    assert "python3 -m pip install no_such_tool_x" in said


def test_what_the_sprint_is_to_write_is_no_missing_tool(alone: Project) -> None:
    """`python3 -m a` fails before the work with the words of a missing module, and after it if
    the agent did not write the module: that is a failure of the work."""
    text = plan(unit("a", sprint("python3 -m a"))).replace("Do part 1.", "Write the package `a`.")
    alone.make(text, limits={"max_retries": 1})
    alone.script("a.1", "commit('notes.txt')\nwrite('scratch.txt')")
    said = ended(alone.begin("start", "--yes", "--foreground"), code=3)
    assert alone.state("a") == "BLOCKED", said
    assert alone.starts()
    assert alone.sprint("a/1").failures_ever == 1


@pytest.mark.spec("GT-02", "VF-02")
def test_who_breaks_a_check_from_inside_the_tree_is_charged(alone: Project) -> None:
    """The agent's Makefile calls a program that does not exist: a check that could run before."""
    (alone.root / "Makefile").write_text("lint:\n\ttest -f a/done-1.txt\n")
    alone.make(plan(unit("a", sprint("make lint"))), limits={"max_retries": 1})
    all_in = "git('add', '.')\ngit('commit', '-q', '-m', 'another linter')"
    broken = "Makefile.write_text('lint:\\n\\tno_such_linter_x .\\n')"
    alone.script("a.1", f"Makefile = PROJECT / 'Makefile'\n{broken}\n{all_in}\nwork()")
    ended(alone.begin("start", "--yes", "--foreground"), code=3)
    assert alone.state("a") == "BLOCKED"
    assert alone.sprint("a/1").failures_ever == 1


# --- gates ---------------------------------------------------------------------------------


@pytest.mark.spec("GT-02", "GT-07", "LP-04", "RP-04")
def test_a_gate_that_cannot_run_is_not_passed_and_not_red(alone: Project) -> None:
    """Manifests call for pytest, and no pytest is installed (D2)."""
    (alone.root / "pyproject.toml").write_text("[project]\nname = 'x'\nversion = '1'\n")
    (alone.root / "tests").mkdir()
    (alone.root / "tests" / "test_x.py").write_text("def test_x():\n    assert True\n")
    bare = _without_pytest(alone)
    human = sprint("test -f a/done-1.txt")
    text = plan(unit("a", human)).replace("done-1.txt\n```", "done-1.txt\n```\n- [ ] Reads well")
    alone.make(text, top=clones())
    env = {"PATH": f"{bare}:{alone.env['PATH']}"}
    alone.env |= env
    assert "no module pytest" in alone.says("doctor")
    said = ended(alone.begin("start", "--yes", "--foreground"), code=3)
    assert "no module pytest" in said.partition("Limits ")[0]
    (gate,) = alone.mission().gates.values()
    assert gate.verdict in {GateVerdict.NOT_RUN, GateVerdict.CANNOT_RUN}
    assert "not because of this work" not in said
    assert "topkick accept G1 --why" in said
    report = alone.says("report")
    assert "VERIFICATION PASSED" not in report
    assert "not because of this work" not in report
    assert alone.overall() == "blocked"
    assert alone.status()["overall"] == "blocked"
    assert "VERIFICATION PASSED" not in (alone.root / "COMPLETE_project.md").read_text()
    assert "1/1 sprints fully verified" not in report, "one of its two criteria is for a person"
    alone.says("accept", "G1", "--why", "tested by hand")
    assert alone.overall() == "completed"
    report = alone.says("report")
    assert "VERIFICATION PASSED" in report
    assert "tested by hand" in report


@pytest.mark.spec("GT-02", "RP-04")
def test_a_gate_that_ran_no_test_is_not_red_and_what_passed_before_proves_nothing(
    alone: Project,
) -> None:
    """pytest ends with 5 where it finds no test, which was "red, but not because of this work"; a
    sprint whose check had passed beforehand was unchecked and "fully verified" on one page."""
    tests = alone.root / "tests"
    tests.mkdir()
    (tests / "notes.txt").write_text("none yet\n")
    no_tests = f"{sys.executable} -m pytest -q tests"
    alone.make(plan(unit("a", sprint("test -f tests/notes.txt"))), top=clones(no_tests))
    said = ended(alone.begin("start", "--yes", "--foreground"), code=3)
    (gate,) = alone.mission().gates.values()
    assert gate.verdict is GateVerdict.NOT_RUN
    assert len(gate.runs) == 1, "the base was not asked about"
    assert "not because of this work" not in said
    report = alone.says("report")
    assert "1/1 criteria pass, as they did before the work ○" in report
    assert "0/1 sprints fully verified; 1 with checks that pass and prove nothing" in report


def _without_pytest(project: Project) -> Path:
    """Make a python without packages, to be first on PATH."""
    import subprocess

    place = project.home / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    return place / "bin"


@pytest.mark.spec("GT-03", "RP-04", "LP-04")
def test_a_gate_that_was_red_before_is_not_verified_until_accepted(alone: Project) -> None:
    alone.make(plan(unit("a")), top=clones("echo the old failure; false"))
    said = ended(alone.begin("start", "--yes", "--foreground"), code=3)
    (gate,) = alone.mission().gates.values()
    assert (gate.verdict, gate.final) == (GateVerdict.PRE_EXISTING, True)
    assert "topkick accept G1 --why" in said
    report = alone.says("report")
    assert "VERIFICATION PASSED" not in report
    assert "topkick accept G1 --why" in report
    alone.says("accept", "G1", "--why", "known")
    assert alone.overall() == "completed"
    assert "VERIFICATION PASSED" in alone.says("report")
    assert alone.says("resume")
    (closed,) = past(alone)
    assert closed.accepted == "known"


# --- syntax --------------------------------------------------------------------------------


@pytest.mark.spec("GT-05", "VF-02")
def test_a_file_that_cannot_be_parsed_is_found_in_a_clone(alone: Project) -> None:
    alone.make(
        plan(unit("gamma", sprint("test -e gamma/c.py"))),
        top=clones(),
        limits={"max_retries": 1},
    )
    alone.script("gamma.1", "commit('c.py', 'def broken(:\\n')")
    alone.script("gamma.1.2", "fail()")
    ended(alone.begin("start", "--yes", "--foreground"), code=3)
    assert alone.state("gamma/1") != "COMPLETED"
    assert "gamma/c.py" in alone.says("explain", "U1/1")
    outcome = alone.sprint("gamma/1").outcome
    assert outcome is not None
    assert any("gamma/c.py" in r.excerpt for r in outcome.failing)


def test_what_could_not_be_parsed_before_is_not_the_agents(alone: Project) -> None:
    """A file of another dialect is touched; the agent is not asked to make Python 3 of it."""
    (alone.root / "a").mkdir()
    (alone.root / "a" / "old.py").write_text("print 'two'\n")
    alone.make(plan(unit("a")), top=clones())
    alone.script("a.1", "commit('old.py', \"print 'still two'\\n\")\nwork()")
    ended(alone.begin("start", "--yes", "--foreground"))
    assert alone.state("a/1") == "COMPLETED"


@pytest.mark.spec("ST-05")
def test_lint_in_json_names_what_is_missing(alone: Project) -> None:
    text = plan(unit("a", sprint("no-such-program-x --at-all", "cargo no-such-sub-x", "true")))
    alone.make(text)
    rows = json.loads(alone.says("plan", "lint", "--format", "json", code=1))
    told = "\n".join(r["message"] for r in rows)
    assert "no-such-program-x" in told
    assert os.path.basename(alone.root) == "project"
