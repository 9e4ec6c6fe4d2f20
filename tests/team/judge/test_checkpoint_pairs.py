"""Document against document: a term that drifts, a requirement that is lost, a decision that is
contradicted is found in whichever of the two it is."""

import pytest
from checkpoint_material import ARCHITECTURE, BRIEF, EPICS, PRD, files, judged, material

from topkick.team.judge.findings import JudgeResult

DOCUMENTS = (BRIEF, PRD, ARCHITECTURE, EPICS)


def with_line(path: str, line: str) -> dict[str, tuple[str, str]]:
    """Insert a line at the beginning of a document, below its title."""
    title = files()[path].split("\n")[0]
    return {path: (title, f"{title}\n\n{line}\n")}


def found(name: str, changed: dict[str, tuple[str, str]]) -> tuple[JudgeResult, str]:
    findings = {f.check: f for f in judged("CHECKPOINT-002", material(changed=changed))}
    one = findings[name]
    return one.result, "\n".join((one.details, *one.evidence))


@pytest.mark.spec("CK-11")
@pytest.mark.parametrize("path", DOCUMENTS)
@pytest.mark.parametrize(
    ("said", "term", "result"),
    [
        ("After login, all is well.", "sign-in", JudgeResult.FAIL),
        ("Every bill is kept.", "invoice", JudgeResult.FAIL),
        ("The log-on page is blue.", "sign-in", JudgeResult.FAIL),
        ("After signin, all is well.", "sign-in", JudgeResult.WARN),
        ("After the sign in, all is well.", "sign-in", JudgeResult.WARN),
        ("Sign-ins and Invoices are counted, /login is a path.", "sign-in", JudgeResult.PASS),
        ("```\nlogin\n```", "sign-in", JudgeResult.PASS),
    ],
)
def test_a_term_that_drifts_is_found_in_each_document(
    path: str, said: str, term: str, result: JudgeResult
) -> None:
    what, told = found("one-term-per-concept", with_line(path, said))
    assert what is result, told
    assert result is JudgeResult.PASS or (repr(term) in told and path in told)


@pytest.mark.spec("CK-11")
@pytest.mark.parametrize("path", DOCUMENTS)
def test_a_decision_that_contradicts_is_found_in_each_document(path: str) -> None:
    line = "## More decisions\n\n- Storage: MySQL (it is faster)\n"
    what, told = found("decisions-agree", with_line(path, line))
    assert what is JudgeResult.FAIL
    assert "Storage: MySQL" in told
    assert path in told


@pytest.mark.spec("CK-11")
@pytest.mark.parametrize(("one", "other"), [(a, b) for a in DOCUMENTS for b in DOCUMENTS if a < b])
def test_two_documents_contradict_each_other_without_any_role_state(one: str, other: str) -> None:
    """A missing state is made up for by the artifacts."""
    lines = {one: "- Queue: RabbitMQ", other: "- Queue: Kafka"}
    changed = {
        path: change
        for document, line in lines.items()
        for path, change in with_line(document, f"## Decisions\n\n{line}\n").items()
    }
    findings = judged("CHECKPOINT-002", material(states=(), changed=changed))
    told = {f.check: f for f in findings}["decisions-agree"]
    assert told.result is JudgeResult.FAIL
    for words in ("RabbitMQ", "Kafka", one, other):
        assert words in told.details


@pytest.mark.spec("CK-11")
@pytest.mark.parametrize(
    ("checkpoint", "name", "changed", "lost"),
    [
        (
            "CHECKPOINT-001",
            "goals-have-requirements",
            {
                PRD: (
                    "| FR-003 | The treasurer exports a year as a spreadsheet | G-3 | Should |\n",
                    "",
                )
            },
            "G-3",
        ),
        (
            "CHECKPOINT-002",
            "components-have-stories",
            {EPICS: ("through the Approval Service", "by hand")},
            "Approval Service",
        ),
        (
            "CHECKPOINT-003",
            "must-haves-have-tasks",
            {"plan/TASK-001.json": ('"FR-001", ', "")},
            "FR-001",
        ),
    ],
)
def test_what_is_lost_from_one_document_to_the_next_is_found(
    checkpoint: str, name: str, changed: dict[str, tuple[str, str]], lost: str
) -> None:
    scope = {"CHECKPOINT-001": ("DRAFT-001", "DRAFT-002"), "CHECKPOINT-003": ("PLAN-001",)}
    made = material(checkpoint, scope.get(checkpoint, ("DRAFT-003", "DRAFT-004")), changed=changed)
    one = {f.check: f for f in judged(checkpoint, made)}[name]
    assert one.result is JudgeResult.FAIL
    assert lost in "\n".join((one.details, *one.evidence))
