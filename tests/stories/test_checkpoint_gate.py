"""A checkpoint between two layers, with the real judge: who may go on, and who says so."""

from pathlib import Path

import pytest
from gated import ended, past, uncharged
from story_project import Project, sprint

from topkick.sprint.gates.model import GateKind, GateVerdict

LINE = "**Checkpoint after Layer 0:** CHECKPOINT-001, role spec `checks/after.md`, session `team`"
SPEC = """\
---
role: supervisor
prefix: CHECKPOINT
---

## CHECKPOINT-001: After the core

| Check | Kind | What | Group | Severity |
|---|---|---|---|---|
"""
GOOD = "| words | shell | grep -q good spec/prd.md | process | {} |\n"
ALWAYS = "| always | shell | true | process | normal |\n"
WRITES = """\
place = PROJECT / "team" / "spec"
place.mkdir(parents=True, exist_ok=True)
(place / "prd.md").write_text("{}")
(PROJECT / "core").mkdir(exist_ok=True)
(PROJECT / "core" / "done-1.txt").write_text("{}")
mine = ("--", "team/spec", "core", "checks")
while not (git("add", *mine) and git("commit", "-q", "-m", "The requirements", *mine)):
    time.sleep(0.02)  # another agent has the index of a shared tree
"""


def layered(line: str = LINE) -> str:
    """`core` and `io` are below `web`, which waits for `core` alone."""
    rows = ["| core | core | 1 | 0 | none |", "| io | io | 1 | 0 | none |"]
    head = ["| Work Unit | Directory | Sprints | Layer | Dependencies |", "|---|---|---|---|---|"]
    units = [f"## {name}\n\n{sprint()(name, 1)}" for name in ("core", "io", "web")]
    table = [*head, *rows, "| web | web | 1 | 1 | core |"]
    return "\n\n".join(["# EXECUTION_PLAN.md — Story", "\n".join(table), line, *units]) + "\n"


def made(project: Project, checks: str, isolation: str, says: str = "bad") -> Project:
    (project.root / "checks").mkdir()
    (project.root / "checks" / "after.md").write_text(SPEC + checks)
    project.script("core.1", WRITES.format(says, says))
    return project.make(layered(), top={"isolation": isolation})


def reports(project: Project) -> list[str]:
    found = (project.root / "team" / "artifacts").glob("CHECKPOINT-*-report.md")
    return sorted(path.name for path in found)


@pytest.mark.spec("CK-14", "CK-12")
def test_a_block_is_revised_and_judged_again_in_the_merged_tree(project: Project) -> None:
    made(project, GOOD.format("critical"), "clone")
    weaker = f"(PROJECT / 'checks' / 'after.md').write_text({SPEC + ALWAYS!r})\n"
    project.script("core.1", weaker + WRITES.format("bad", "bad"))
    said = ended(project.begin("start", "--yes", "--foreground"), 3)
    assert "topkick accept G1" in said
    assert "Checkpoint CHECKPOINT-001 after layer 0, by checks/after.md in team" in said
    (gate,) = project.mission().gates.values()
    assert (gate.kind, gate.verdict) == (GateKind.CHECKPOINT, GateVerdict.BLOCKED), (
        "by the person's role spec, not by the one that was committed"
    )
    assert (gate.groups, len(gate.runs)) == ((), 1)
    assert project.state("web") == "NOT_STARTED"
    assert not (project.root / "team" / "spec").exists(), "what was judged is what was merged"
    assert reports(project) == ["CHECKPOINT-001-report.md"]

    page = project.says("explain", "G1")
    assert "Verdict block" in page
    assert "no unit is charged" in page
    assert "waits for gate G1: CHECKPOINT-001 after layer 0" in project.says("explain", "web")
    assert "unit that repairs G1: U1 or U2" in project.says(
        "reject", "G1", "--why", "bad words", code=2
    )
    project.says("reject", "G1", "--unit", "core", "--why", "bad words")
    project.script("Revision 1.1", WRITES.format("good", "good"))
    ended(project.begin("resume", "--yes", "--foreground"))

    assert [(g.task, g.verdict, g.passed) for g in past(project)] == [
        ("CHECKPOINT-001", GateVerdict.BLOCKED, False),
        ("CHECKPOINT-001-R2", GateVerdict.PASSED, True),
    ]
    assert reports(project) == ["CHECKPOINT-001-R2-report.md", "CHECKPOINT-001-report.md"]
    states = [project.state(name) for name in ("core", "io", "Revision 1", "web")]
    assert states == ["COMPLETED"] * 4
    assert uncharged(project)
    prompts = (path.read_text() for path in project.scripts.glob("prompt.*"))
    (revised,) = (text for text in prompts if "bad words" in text)
    assert "Verdict block" in revised


@pytest.mark.spec("CK-14")
def test_a_block_that_a_person_overrides_is_in_wisdom_and_in_the_report(
    project: Project, tmp_path: Path
) -> None:
    made(project, GOOD.format("critical"), "shared")
    dies = {"TOPKICK_CRASH_AT": "gate.after-build:1", "TOPKICK_CRASH_TRACE": f"{tmp_path}/trace"}
    ended(project.begin("start", "--yes", "--foreground", env=dies), 3)
    assert (tmp_path / "trace").read_text().count("gate.after-build") == 2, "judged again, once"
    assert "CHECKPOINT-001 after layer 0: blocked" in project.says("status")
    project.says("accept", "G1", "--why", "words come later")
    ended(project.begin("resume", "--yes", "--foreground"))
    wisdom = (project.root / "team" / "wisdom" / "decisions.md").read_text()
    assert wisdom.count("CHECKPOINT-001 (blocked): overridden by a person at G1: words come") == 1
    (gate,) = past(project)
    assert (gate.passed, gate.accepted) == (True, "words come later")
    assert project.state("web") == "COMPLETED"
    assert "was accepted on a person's word" in project.says("report")
    assert uncharged(project)


@pytest.mark.spec("CK-14")
def test_a_judge_that_falls_over_judges_nothing_and_a_warning_lets_pass(project: Project) -> None:
    made(project, "| odd | shell | | process | normal |\n", "clone")
    ended(project.begin("start", "--yes", "--foreground"), 3)
    (gate,) = project.mission().gates.values()
    assert gate.verdict is GateVerdict.CANNOT_RUN
    assert "after.md:" in gate.runs[0].results[0].excerpt
    (project.root / "checks" / "after.md").write_text(SPEC + GOOD.format("normal") + ALWAYS)
    said = ended(project.begin("resume", "--yes", "--foreground"))
    assert "(CHECKPOINT-001 after layer 0) warned" in said
    (gate,) = past(project)
    assert (gate.task, gate.verdict, gate.passed) == ("CHECKPOINT-001", GateVerdict.WARNED, True)
    assert "warned" in project.says("status")
    assert f"Gate {gate.id} warned" in project.says("report")
    wisdom = (project.root / "team" / "wisdom" / "issues.md").read_text()
    assert "words" in wisdom, "the judge's risks came home"
    assert project.state("web") == "COMPLETED"
