"""The judge's messages, to the letter, and their recipients."""

import json

import pytest

from topkick.team.bus.model import Message
from topkick.team.judge import report as words
from topkick.team.judge.findings import StageEntry, StageVerdict, Trend, VerdictWord

ENTRY = StageEntry(
    "CHECKPOINT-001",
    "/s/artifacts/CHECKPOINT-001-report.md",
    VerdictWord.PASS,
    0.9,
    ("Terminology aligned", "decision chain consistent", "all artifacts present"),
    quality_trend=Trend.STABLE,
)
PASSED = StageVerdict(VerdictWord.PASS, 0.9)
BLOCKED = StageVerdict(VerdictWord.BLOCK, 0.4, ("a risk",), ("graph: a circle", "goals: one lost"))
ASKED = Message("coordinator", "supervisor", "message", "?", "", 7)
EVERYTHING = (
    words.ready("TLV4-x"),
    words.recovered(2),
    words.shutdown_response("r-1"),
    words.error(ASKED, "no task_id"),
    words.alert(3, "the bus is gone"),
    words.claimed("CHECKPOINT-001"),
    words.completed("CHECKPOINT-001"),
    words.state_update(ENTRY, PASSED),
    words.report(ENTRY, 0),
    words.judged_before(ENTRY, 0),
)


def data(message: Message) -> dict[str, object]:
    found = json.loads(message.data)
    assert isinstance(found, dict)
    return found


@pytest.mark.spec("CK-08")
def test_the_report_to_the_coordinator_has_these_lines() -> None:
    told = words.report(ENTRY, 0)
    assert data(told) == {
        "content": "[supervisor] CHECKPOINT-001 complete.\n"
        "Verdict: pass (score: 0.90)\n"
        "Findings: Terminology aligned, decision chain consistent, all artifacts present\n"
        "Risks: 0 logged\n"
        "Quality trend: stable\n"
        "Artifact: /s/artifacts/CHECKPOINT-001-report.md"
    }
    assert told.summary == "[supervisor] CHECKPOINT-001: pass"
    assert told.type == "supervision_report"


@pytest.mark.spec("CK-08")
def test_ready_and_recovered() -> None:
    ready, recovered = words.ready("TLV4-x"), words.recovered(2)
    assert (ready.type, recovered.type) == ("message", "message")
    assert data(ready) == {
        "content": "[supervisor] Resident supervisor ready. Baseline loaded for session TLV4-x. "
        "Awaiting checkpoint assignments."
    }
    assert ready.summary == "[supervisor] Ready, awaiting checkpoints"
    assert data(recovered) == {
        "content": "[supervisor] Recovered. Rebuilt context from 2 previous checkpoint reports."
    }


@pytest.mark.spec("CK-08")
def test_the_state_update_has_these_fields_in_this_order() -> None:
    told = words.state_update(ENTRY, PASSED)
    assert told.type == "state_update"
    assert list(data(told).items()) == [
        ("status", "task_complete"),
        ("task_id", "CHECKPOINT-001"),
        ("ref", "/s/artifacts/CHECKPOINT-001-report.md"),
        ("key_findings", list(ENTRY.key_findings)),
        ("decisions", ["Proceed"]),
        ("verification", "self-validated"),
        ("supervision_verdict", "pass"),
        ("supervision_score", 0.9),
        ("risks_logged", 0),
        ("blocks_detected", 0),
    ]


@pytest.mark.spec("CK-08")
@pytest.mark.parametrize("word", list(VerdictWord))
def test_only_a_block_says_block(word: VerdictWord) -> None:
    verdict = BLOCKED if word is VerdictWord.BLOCK else StageVerdict(word, 0.7)
    told = data(words.state_update(ENTRY, verdict))
    expected = "Block: graph: a circle; goals: one lost" if word is VerdictWord.BLOCK else "Proceed"
    assert told["decisions"] == [expected]
    assert told["supervision_verdict"] == word.value
    assert (told["risks_logged"], told["blocks_detected"]) == (
        len(verdict.risks),
        len(verdict.blocks),
    )


@pytest.mark.spec("CK-24")
def test_the_coordinator_alone_is_spoken_to() -> None:
    assert {(message.sender, message.to) for message in EVERYTHING} == {
        ("supervisor", "coordinator")
    }


@pytest.mark.spec("CK-08")
def test_only_the_report_answers_a_request() -> None:
    """An answer is known by how its summary begins; nothing else may begin like it."""
    answers = [m for m in EVERYTHING if m.summary.startswith("[supervisor] CHECKPOINT-001:")]
    assert answers == [words.report(ENTRY, 0), words.judged_before(ENTRY, 0)]
    assert all(message.summary.startswith("[supervisor] ") for message in EVERYTHING)


@pytest.mark.spec("CK-08")
def test_the_other_messages_name_what_they_are_about() -> None:
    assert data(words.claimed("CHECKPOINT-001")) == {
        "task_id": "CHECKPOINT-001",
        "phase": "claimed",
        "progress_pct": 0,
    }
    assert data(words.completed("CHECKPOINT-001")) == {"task_id": "CHECKPOINT-001"}
    assert data(words.shutdown_response("r-1")) == {
        "type": "shutdown_response",
        "request_id": "r-1",
        "approve": True,
    }
    assert words.error(ASKED, "no task_id").type == "error"
    assert "MSG-007" in words.error(ASKED, "no task_id").summary
    assert "no task_id" in str(data(words.error(ASKED, "no task_id"))["content"])
    assert data(words.alert(3, "x"))["errors"] == 3
    assert "CHECKPOINT-001-R2" in str(data(words.judged_before(ENTRY, 0))["content"])


@pytest.mark.spec("CK-03")
def test_every_line_that_is_printed_has_the_tag() -> None:
    shown = words.tagged(str(data(words.report(ENTRY, 0))["content"]) + "\n")
    assert all(line.startswith("[supervisor]") for line in shown.split("\n"))
    assert shown.count("[supervisor]") == 7
    assert words.report_path("CHECKPOINT-001-R2") == "artifacts/CHECKPOINT-001-R2-report.md"
