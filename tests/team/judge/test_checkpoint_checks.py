"""Every built-in check on a healthy session, and on ones that are broken in one place."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from checkpoint_material import (
    ARCHITECTURE,
    BRIEF,
    EPICS,
    NOON_US,
    PLAN,
    PRD,
    STATES,
    TALK,
    WISDOM,
    at_plan,
    judged,
    material,
    message,
    run,
    state,
    with_session,
)

from topkick.team.judge.checks import BUILTIN
from topkick.team.judge.checks.activity import NO_MESSAGES
from topkick.team.judge.findings import JudgeResult
from topkick.team.judge.material import Material
from topkick.team.session import TeamTask, read_roles

PASS, WARN, FAIL = JudgeResult.PASS, JudgeResult.WARN, JudgeResult.FAIL
FIRST = ("DRAFT-001", "DRAFT-002")


def at_prd(**more: object) -> Material:
    return material("CHECKPOINT-001", FIRST, STATES[:3], **more)  # type: ignore[arg-type]


@pytest.mark.spec("CK-11")
@pytest.mark.parametrize(
    ("checkpoint", "made"),
    [("CHECKPOINT-001", at_prd), ("CHECKPOINT-002", material), ("CHECKPOINT-003", at_plan)],
)
def test_a_healthy_session_passes_every_check(
    checkpoint: str, made: Callable[[], Material]
) -> None:
    found = judged(checkpoint, made())
    assert [(f.check, f.result, f.details) for f in found if f.result is not PASS] == []
    assert len(found) >= 8


MORE = "\n## Open"
Case = tuple[str, Callable[[], Material], JudgeResult, str]
BACK = {"TASK-001.json": ('"depends_on": []', '"depends_on": ["TASK-003"]')}
CASES: list[Case] = [
    # goals-have-requirements
    ("goals-have-requirements", lambda: at_prd(without=(BRIEF,)), WARN, BRIEF),
    (
        "goals-have-requirements",
        lambda: at_prd(changed={BRIEF: ("## Goals", "## Aims")}),
        WARN,
        "no goals",
    ),
    (
        "goals-have-requirements",
        lambda: at_prd(changed={PRD: ("spreadsheet | G-3", "table | G-2")}),
        WARN,
        "G-3",
    ),
    (
        "goals-have-requirements",
        lambda: at_prd(changed={BRIEF: ("| G-3 |", "| G-4 | Bells ring |\n| G-3 |")}),
        FAIL,
        "1 of 4 goals have no requirement: G-4",
    ),
    (
        "goals-have-requirements",
        lambda: at_prd(changed={PRD: ("FR-0", "Rule ")}),
        FAIL,
        "no requirement ids",
    ),
    (
        "goals-have-requirements",
        lambda: at_prd(
            changed={BRIEF: ("## Goals\n", "## 2. Goals & Success Metrics\n")},
        ),
        PASS,
        "3 goals",
    ),
    # requirements-in-scope
    (
        "requirements-in-scope",
        lambda: at_prd(
            changed={PRD: ("\n## Open", "| FR-009 | Payroll of employees | | |\n\n## Open")}
        ),
        FAIL,
        "FR-009",
    ),
    (
        "requirements-in-scope",
        lambda: at_prd(changed={PRD: ("\n## Open", "| FR-009 | Zebra crossings | | |\n\n## Open")}),
        WARN,
        "FR-009",
    ),
    ("requirements-in-scope", lambda: at_prd(without=(PRD,)), WARN, "spec/requirements/*.md"),
    (
        "requirements-in-scope",
        lambda: at_prd(
            changed={PRD: ("\n## Open", "| FR-009 | Payroll of employees | | Won't |\n")}
        ),
        PASS,
        "no overlap",
    ),
    (
        "requirements-in-scope",
        lambda: at_prd(
            changed={PRD: (MORE, f"| FR-009 | Payroll of employees, not late | | |\n{MORE}")}
        ),
        FAIL,
        "FR-009",
    ),
    (
        "requirements-in-scope",
        lambda: at_prd(
            changed={PRD: (MORE, f"| FR-009 | Invoices have no payroll of employees | | |\n{MORE}")}
        ),
        PASS,
        "5 requirements",
    ),
    # requirements-have-stories
    ("requirements-have-stories", material, PASS, "4 requirements"),
    (
        "requirements-have-stories",
        lambda: material(changed={EPICS: ("(FR-002)", "")}),
        FAIL,
        "FR-002",
    ),
    (
        "requirements-have-stories",
        lambda: material(changed={EPICS: ("(FR-003)", "")}),
        WARN,
        "FR-003",
    ),
    # one-term-per-concept
    (
        "one-term-per-concept",
        lambda: at_prd(changed={PRD: ("after sign-in", "after login")}),
        FAIL,
        "'login' for 'sign-in'",
    ),
    (
        "one-term-per-concept",
        lambda: at_prd(changed={PRD: ("after sign-in", "after signin")}),
        WARN,
        "'signin' for 'sign-in'",
    ),
    (
        "one-term-per-concept",
        lambda: replace(
            at_prd(changed={BRIEF: ("## Glossary", "## Other")}), states_by_task={}, roles={}
        ),
        WARN,
        "no role names",
    ),
    ("one-term-per-concept", lambda: replace(at_prd(), documents={}), WARN, "missing"),
    # decisions-agree
    (
        "decisions-agree",
        lambda: material(
            states=(*STATES, state("planner", "PLAN-001", decisions=["Storage: MySQL"]))
        ),
        FAIL,
        "MySQL",
    ),
    (
        "decisions-agree",
        lambda: material(
            states=(
                *STATES,
                state("planner", "PLAN-001", decisions=["Storage: MySQL (instead of PostgreSQL)"]),
            )
        ),
        WARN,
        "revised",
    ),
    (
        "decisions-agree",
        lambda: material(
            states=(
                state("analyst", "RESEARCH-001", decisions=["Use PostgreSQL"]),
                state("writer", "DRAFT-001", decisions=["Use MySQL"]),
            ),
        ),
        WARN,
        "MySQL",
    ),
    (
        "decisions-agree",
        lambda: material(
            states=(
                state("analyst", "RESEARCH-001", decisions=["Use Redis"]),
                state("writer", "DRAFT-001", decisions=["Do not use Redis"]),
            ),
        ),
        FAIL,
        "Redis",
    ),
    (
        "decisions-agree",
        lambda: replace(material(), documents={}, states_by_task={}, missing=(BRIEF,)),
        WARN,
        BRIEF,
    ),
    # components-have-stories
    (
        "components-have-stories",
        lambda: material(changed={EPICS: ("the Export Writer", "somebody")}),
        FAIL,
        "Export Writer",
    ),
    (
        "components-have-stories",
        lambda: material(
            changed={EPICS: ("the Export Writer", "somebody")},
            files_more={"spec/epics/notes.md": "# Notes\n\nThe Export Writer comes later.\n"},
        ),
        WARN,
        "outside of stories",
    ),
    (
        "components-have-stories",
        lambda: material(changed={ARCHITECTURE: ("## Components", "## Parts")}),
        WARN,
        "no components",
    ),
    ("components-have-stories", lambda: material(without=(EPICS,)), WARN, "spec/epics"),
    # wisdom-agrees
    ("wisdom-agrees", lambda: material(changed={WISDOM: ("PostgreSQL", "SQLite")}), FAIL, "SQLite"),
    (
        "wisdom-agrees",
        lambda: material(
            changed={WISDOM: ("Storage: P", "Spreadsheet: LibreOffice\n- Storage: P")}
        ),
        WARN,
        "LibreOffice",
    ),
    ("wisdom-agrees", lambda: material(without=(WISDOM,)), PASS, "no decision"),
    # artifact-exists
    ("artifact-exists", lambda: material(without=(EPICS,)), WARN, EPICS),
    ("artifact-exists", lambda: material(files_more={EPICS: "# \n"}), FAIL, EPICS),
    ("artifact-exists", lambda: material(scope=("IMPL-009",)), WARN, "IMPL-009"),
    ("artifact-exists", lambda: material(states=()), PASS, "DRAFT-003, DRAFT-004"),
    ("artifact-exists", lambda: material(states=(), without=(EPICS,)), WARN, "spec/epics"),
    # self-scores-hold
    (
        "self-scores-hold",
        lambda: material(states=(*STATES, state("planner", "PLAN-001", 70))),
        PASS,
        "6 self-scores",
    ),
    (
        "self-scores-hold",
        lambda: material(states=(*STATES, state("planner", "PLAN-001", 69))),
        FAIL,
        "69 after 80",
    ),
    ("self-scores-hold", lambda: material(states=STATES[:1]), WARN, "one self-score"),
    ("self-scores-hold", lambda: material(states=()), WARN, "no self-scores"),
    # no-critical-question
    (
        "no-critical-question",
        lambda: material(
            states=(state("writer", "DRAFT-004", open_questions=["[critical] Who?"]),)
        ),
        FAIL,
        "Who?",
    ),
    (
        "no-critical-question",
        lambda: material(states=(state("writer", "DRAFT-004", open_questions=["What colour?"]),)),
        WARN,
        "none critical",
    ),
    (
        "no-critical-question",
        lambda: material(changed={PRD: ("- None", "- BLOCKING: who pays?\n- [x] Critical: done")}),
        FAIL,
        "1 critical",
    ),
    (
        "no-critical-question",
        lambda: replace(material(), documents={}, states_by_task={}),
        WARN,
        "no role states and no artifacts",
    ),
    # must-haves-have-tasks
    (
        "must-haves-have-tasks",
        lambda: at_plan(
            changed={"plan/TASK-002.json": ('Approval Service", "requirements": ["FR-002"]', 'X"')}
        ),
        FAIL,
        "1 of 3 must-have requirements have no task: FR-002",
    ),
    (
        "must-haves-have-tasks",
        lambda: at_plan(
            changed={"plan/TASK-002.json": ('["FR-002"]', '["A treasurer approves an invoice"]')}
        ),
        WARN,
        "FR-002",
    ),
    (
        "must-haves-have-tasks",
        lambda: at_plan(changed={PRD: ("| Must |", "|  |")}),
        PASS,
        "no requirement is a must-have",
    ),
    (
        "must-haves-have-tasks",
        lambda: at_plan(files_more={PRD: "# R\n\n- FR-001: A member records an invoice\n"}),
        WARN,
        "no requirement has a priority",
    ),
    ("must-haves-have-tasks", lambda: at_plan(without=(PRD,)), WARN, "spec/requirements"),
    (
        "must-haves-have-tasks",
        lambda: with_session(at_plan(without=(PRD,)), mode="impl-only"),
        PASS,
        "without a specification",
    ),
    # plan-cites-architecture
    (
        "plan-cites-architecture",
        lambda: at_plan(files_more={**_plain_tasks(), PLAN: _plan("Low", 1)}),
        FAIL,
        "neither",
    ),
    (
        "plan-cites-architecture",
        lambda: at_plan(
            files_more={**_plain_tasks(), PLAN: _plan("Low", 1, "as the architecture")}
        ),
        WARN,
        "without citing",
    ),
    ("plan-cites-architecture", lambda: at_plan(without=(ARCHITECTURE,)), WARN, "architecture"),
    # task-graph
    (
        "task-graph",
        lambda: at_plan(changed={"plan/TASK-001.json": BACK["TASK-001.json"]}),
        FAIL,
        "TASK-001 → TASK-003 → TASK-001",
    ),
    (
        "task-graph",
        lambda: at_plan(changed={"plan/TASK-001.json": ("[]}", '["TASK-099"]}')}),
        FAIL,
        "TASK-001 needs TASK-099",
    ),
    (
        "task-graph",
        lambda: at_plan(changed={"plan/TASK-003.json": ('["TASK-001"]}', "[]}")}),
        WARN,
        "TASK-003 (no links)",
    ),
    ("task-graph", lambda: at_plan(without=("plan/TASK-003.json",)), WARN, "TASK-003 (no file)"),
    (
        "task-graph",
        lambda: at_plan(
            files_more={"plan/TASK-004.json": '{"id": "TASK-004", "depends_on": ["TASK-001"]}'}
        ),
        WARN,
        "TASK-004 (not in plan.json)",
    ),
    ("task-graph", lambda: at_plan(files_more={PLAN: "{torn"}), FAIL, PLAN),
    # complexity-fits
    ("complexity-fits", lambda: at_plan(changed={PLAN: ("Medium", "Low")}), WARN, "low with 3"),
    (
        "complexity-fits",
        lambda: at_plan(
            files_more={PLAN: _plan("Low", 5)},
        ),
        FAIL,
        "low with 5",
    ),
    ("complexity-fits", lambda: at_plan(files_more={PLAN: _plan("High", 1)}), FAIL, "high with 1"),
    ("complexity-fits", lambda: at_plan(files_more={PLAN: _plan("Low", 2)}), PASS, "low with 2"),
    ("complexity-fits", lambda: at_plan(files_more={PLAN: _plan("High", 5)}), PASS, "high with 5"),
    ("complexity-fits", lambda: at_plan(changed={PLAN: ("Medium", "Vast")}), WARN, "does not give"),
    # execution-fits
    ("execution-fits", lambda: at_plan(changed={PLAN: ("Medium", "Low")}), WARN, "codex for"),
    ("execution-fits", lambda: at_plan(changed={PLAN: ("Codex", "Agent")}), WARN, "agent for"),
    (
        "execution-fits",
        lambda: at_plan(files_more={PLAN: _plan("High", 6, "Agent")}),
        FAIL,
        "agent for complexity high",
    ),
    ("execution-fits", lambda: at_plan(files_more={PLAN: _plan("Low", 1, "Agent")}), PASS, "agent"),
    ("execution-fits", lambda: at_plan(changed={PLAN: ("Codex", "")}), WARN, "does not give"),
    # role-errors
    ("role-errors", lambda: material(messages=_errors(3)), FAIL, "writer: 3 errors"),
    ("role-errors", lambda: material(messages=_errors(2)), WARN, "writer: 2 errors"),
    ("role-errors", lambda: material(messages=_errors(1)), PASS, "no role"),
    ("role-errors", lambda: material(messages=()), WARN, NO_MESSAGES),
    (
        "role-errors",
        lambda: replace(
            material(), roles=read_roles('{"role_state": {"tester": {"errors": ["a", "b", "c"]}}}')
        ),
        FAIL,
        "tester: 3 errors",
    ),
    # recent-activity
    (
        "recent-activity",
        lambda: replace(material(), at_us=NOON_US + 20 * 60 * 10**6),
        PASS,
        "active: PLAN-001",
    ),
    (
        "recent-activity",
        lambda: replace(material(), at_us=NOON_US + 21 * 60 * 10**6),
        WARN,
        "31 min",
    ),
    (
        "recent-activity",
        lambda: replace(material(), at_us=NOON_US + 111 * 60 * 10**6),
        FAIL,
        "PLAN-001: idle for 121 min",
    ),
    (
        "recent-activity",
        lambda: with_session(material(), tasks=(TeamTask("IMPL-001", status="in_progress"),)),
        WARN,
        "no activity known",
    ),
    ("recent-activity", lambda: material(messages=()), WARN, NO_MESSAGES),
    # no-duplicate-spawns
    (
        "no-duplicate-spawns",
        lambda: material(
            messages=(*TALK, message("writer", "fast_advance", 22, task_id="DRAFT-004"))
        ),
        FAIL,
        "DRAFT-004: MSG-021 and MSG-022",
    ),
    (
        "no-duplicate-spawns",
        lambda: material(
            messages=(
                *TALK,
                message("writer", "error", 22, task_id="DRAFT-004"),
                message("writer", "fast_advance", 23, spawned=["DRAFT-004"]),
            )
        ),
        WARN,
        "after MSG-022",
    ),
    ("no-duplicate-spawns", lambda: material(messages=()), WARN, NO_MESSAGES),
]


def _plan(complexity: str, modules: int, method: str = "Codex") -> str:
    return (
        f'{{"complexity": "{complexity}", "modules": {modules}, "execution_method": "{method}", '
        '"task_ids": ["TASK-001", "TASK-002", "TASK-003"]}'
    )


def _plain_tasks() -> dict[str, str]:
    return {f"plan/TASK-00{n}.json": f'{{"id": "TASK-00{n}"}}' for n in (1, 2, 3)}


def _errors(count: int) -> tuple[object, ...]:
    return (*TALK, *(message("writer", "error", 30 + n, why="x") for n in range(count)))


@pytest.mark.spec("CK-10", "CK-11")
@pytest.mark.parametrize(
    ("name", "made", "result", "says"), CASES, ids=[f"{c[0]}-{c[2]}-{c[3]}" for c in CASES]
)
def test_what_is_broken_is_found(
    name: str, made: Callable[[], Material], result: JudgeResult, says: str
) -> None:
    found = run(name, made())
    assert (found.result, says in found.details) == (result, True), found
    assert found.evidence or result is not FAIL, "a failure shows where"


@pytest.mark.spec("CK-11")
def test_every_check_has_fixtures_for_pass_warn_and_fail() -> None:
    passing = {
        (f.check, f.result)
        for checkpoint, made in (
            ("CHECKPOINT-001", at_prd()),
            ("CHECKPOINT-002", material()),
            ("CHECKPOINT-003", at_plan()),
        )
        for f in judged(checkpoint, made)
    }
    shown = passing | {(case[0], case[2]) for case in CASES}
    assert {(name, result) for name in BUILTIN for result in JudgeResult} - shown == set()
