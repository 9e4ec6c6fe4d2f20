"""Role specs: the shipped one, a user's own, and mistakes told by their line."""

from importlib import resources

import pytest
from checkpoint_material import SHIPPED, SPEC
from hypothesis import given
from hypothesis import strategies as st

from topkick.team.judge.checklist import ARTIFACTS, CheckKind, CheckSeverity
from topkick.team.judge.checks import BUILTIN
from topkick.team.judge.findings import Group
from topkick.team.judge.role_spec import read_role_spec

HEALTH = ("role-errors", "recent-activity", "no-duplicate-spawns")
OWN = """\
---
role: supervisor
---

# Ours

Some words, and a list of CHECKPOINT-009 that is no heading.

## Artifacts

| Task | Kind | Path |
| --- | --- | --- |
| DOC-1 | brief | docs/brief.md, docs/brief/*.md |

## CHECKPOINT-007 — Before the release

| Check | Kind | What | Group | Severity |
|---|---|---|---|---|
| `artifact-exists` | | | | |
| terms | builtin | one-term-per-concept | health | style |
| tests | shell | `make test \\| tail -5` | | critical |

And a second table.

| Check | Kind | What |
|---|---|---|
| tone | agent: | Is the tone friendly? |

## all

| Check | Kind | What | Group | Severity |
|---|---|---|---|---|
| role-errors | builtin | | | |
| tests | builtin | task-graph | | |
"""


@pytest.mark.spec("CK-12")
def test_the_shipped_spec_has_the_three_checkpoints() -> None:
    assert SPEC.problems == ()
    assert (SPEC.role, SPEC.prefix) == ("supervisor", "CHECKPOINT")
    assert SPEC.artifacts == ARTIFACTS
    names = {c.id: tuple(check.what for check in c.checks) for c in SPEC.checkpoints}
    assert names == {
        "CHECKPOINT-001": (
            "goals-have-requirements",
            "one-term-per-concept",
            "requirements-in-scope",
            "decisions-agree",
            "artifact-exists",
        ),
        "CHECKPOINT-002": (
            "one-term-per-concept",
            "decisions-agree",
            "components-have-stories",
            "wisdom-agrees",
            "artifact-exists",
            "self-scores-hold",
            "no-critical-question",
        ),
        "CHECKPOINT-003": (
            "must-haves-have-tasks",
            "plan-cites-architecture",
            "artifact-exists",
            "task-graph",
            "complexity-fits",
            "execution-fits",
        ),
    }
    for each in SPEC.checkpoints:
        judged = SPEC.checkpoint(each.id)
        assert judged is not None
        assert tuple(check.name for check in judged.checks[-3:]) == HEALTH


@pytest.mark.spec("CK-12")
def test_a_users_own_spec_in_the_same_form() -> None:
    spec = read_role_spec(OWN)
    assert spec.problems == ()
    (own,) = spec.checkpoints
    assert (own.id, own.title) == ("CHECKPOINT-007", "Before the release")
    told = [(c.name, c.kind, c.what, c.group, c.severity, c.line) for c in own.checks]
    normal = CheckSeverity.NORMAL
    assert told == [
        ("artifact-exists", CheckKind.BUILTIN, "artifact-exists", Group.PROCESS, normal, 19),
        ("terms", CheckKind.BUILTIN, "one-term-per-concept", Group.HEALTH, CheckSeverity.STYLE, 20),
        (
            "tests",
            CheckKind.SHELL,
            "make test | tail -5",
            Group.PROCESS,
            CheckSeverity.CRITICAL,
            21,
        ),
        ("tone", CheckKind.AGENT, "Is the tone friendly?", Group.CONSISTENCY, normal, 27),
    ]
    assert own.checks[1].reads == BUILTIN["one-term-per-concept"].reads
    assert [(a.task, a.kind, a.places) for a in spec.artifacts] == [
        ("DOC-1", "brief", ("docs/brief.md", "docs/brief/*.md"))
    ]


@pytest.mark.spec("CK-12")
def test_the_checks_for_all_are_added_to_each_and_its_own_come_first() -> None:
    spec = read_role_spec(OWN)
    judged = spec.checkpoint("CHECKPOINT-007")
    assert judged is not None
    assert [c.name for c in judged.checks] == [
        "artifact-exists",
        "terms",
        "tests",
        "tone",
        "role-errors",
    ]
    assert judged.checks[2].kind is CheckKind.SHELL
    assert spec.checkpoint("CHECKPOINT-007-R2") == judged
    assert spec.checkpoint("CHECKPOINT-008") is None


ROW = "| artifact-exists | builtin | | | |"
TABLE = "| Check | Kind | What | Group | Severity |\n|---|---|---|---|---|"
PATHS = "## Artifacts\n\n| Task | Path |\n|---|---|"


@pytest.mark.spec("CK-12")
@pytest.mark.parametrize(
    ("was", "now", "line", "says"),
    [
        (
            ROW,
            "| no-such | builtin | | | |",
            5,
            "no built-in check 'no-such'; there are: artifact-",
        ),
        (ROW, "| a | builtin | nope | | |", 5, "no built-in check 'nope'"),
        (ROW, "| a | shell | | | |", 5, "a is empty; write a command under What"),
        (ROW, "| a | agent: | ` ` | | |", 5, "a is empty; write a question under What"),
        (ROW, "| | shell | true | | |", 5, "a check has no name"),
        (ROW, "| a | python | x | | |", 5, "is builtin, shell or agent, not 'python'"),
        (ROW, "| a | shell | x | speed | |", 5, "is consistency, process or health, not 'speed'"),
        (ROW, "| a | shell | x | | yes |", 5, "is critical, normal or style, not 'yes'"),
        (ROW, f"{ROW}\n{ROW}", 6, "artifact-exists appears twice"),
        (ROW, "", 1, "CHECKPOINT-001: x has no table of checks; write | Check | Kind"),
        ("## CHECKPOINT-001: x", "## Checkpoint one", 1, "no checkpoint. Write `## CHECKPOINT-001"),
        (ROW, f"{ROW}\n\n## CHECKPOINT-001\n", 7, "CHECKPOINT-001 appears twice"),
        (ROW, f"{ROW}\n\n{PATHS}\n| | x |", 11, "needs a task"),
        (
            ROW,
            f"{ROW}\n\n{PATHS}\n| A | ../x |",
            11,
            "is outside of the session directory",
        ),
        (ROW, f"{ROW}\n\n{PATHS}\n| A | /x |", 11, "is outside of the session directory"),
        ("## CH", "---\nprefix: IMPL\n---\n## CH", 1, "prefix is IMPL"),
    ],
)
def test_a_mistake_is_told_by_its_line(was: str, now: str, line: int, says: str) -> None:
    text = f"## CHECKPOINT-001: x\n\n{TABLE}\n{ROW}\n"
    assert read_role_spec(text).problems == ()
    told = [str(problem) for problem in read_role_spec(text.replace(was, now)).problems]
    assert any(f"line {line}: " in each and says in each for each in told), told


@pytest.mark.spec("CK-12")
@given(st.text("#|-: \nCHECKPOINT-01abuiltinshel`\\", max_size=300))
def test_any_text_is_read_to_an_end(text: str) -> None:
    spec = read_role_spec(f"## CHECKPOINT-001\n{text}")
    assert spec.problems or all(check.what for c in spec.checkpoints for check in c.checks)


@pytest.mark.spec("CK-12")
def test_the_shipped_spec_is_part_of_the_package() -> None:
    packaged = resources.files("topkick.team.judge") / "specs" / "supervisor.md"
    assert packaged.read_text("utf-8") == SHIPPED.read_text("utf-8")
