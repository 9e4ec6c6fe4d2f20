"""State files of model-run supervisors, in the shapes that they really have."""

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.plan_format.progress_file import claims
from topkick.planning.import_state import names
from topkick.planning.import_state.model import (
    MEANINGS,
    SIGNS,
    Handover,
    StateFileTooLarge,
    understood,
)
from topkick.planning.import_state.reader import read
from topkick.sprint.transitions import SprintState as S
from topkick.sprint.transitions import UnitState as U

HERE = Path(__file__).resolve().parents[3]
CORPUS = Path(os.environ.get("TOPKICK_CORPUS", HERE.parent / "shared" / "corpus"))
DOCS = HERE / "docs" / "how-to" / "import.md"


def states(handover: Handover, unit: int = 0) -> dict[str, S | None]:
    return {sprint.id: sprint.state for sprint in handover.units[unit].sprints}


@pytest.mark.spec("ST-04")
def test_the_formal_blocks() -> None:
    found = read(
        "# Supervisor State — Shop\n\n- max_retries: 4\n\n## Layer 0\n\n### core\n"
        "- Package state: RUNNING\n- Current sprint: 2 of 5\n- Sprint state: BACKOFF\n"
        "- Attempt: 2 of 4\n- Model: opus\n\n### web\n- Package state: `NOT_STARTED`\n"
        "- Current sprint: — of 3\n- Sprint state: —\n\n## Overall Status\nStatus: running\n"
    )
    core, web = found.units
    assert (found.title, found.max_retries, found.overall) == ("Shop", 4, "running")
    assert (core.name, core.state, core.current, core.total) == ("core", U.RUNNING, ("2",), 5)
    assert (web.state, web.current, web.total, web.sprints) == (U.NOT_STARTED, (), 3, ())
    (sprint,) = core.sprints
    assert (sprint.state, sprint.attempt, sprint.model) == (S.BACKOFF, "2 of 4", "opus")
    assert not found.not_understood


@pytest.mark.spec("ST-04")
@pytest.mark.parametrize(
    "text",
    [
        "## Sorties\n\n| Notes | Status | Sortie | Commit SHA |\n|---|---|---|---|\n"
        "| | ✅ | S1 | `abcdef1` |\n| | IN_PROGRESS | S2 | - |\n",
        "### Work Unit: x\n**Status**: RUNNING\n\n#### Sortie 1/2: First\n- **Status**: DONE\n"
        "- **Commit**: abcdef1\n\n#### Sortie 2 — IN PROGRESS (half)\n- Notes: none\n",
        "## Phase 1 — x\n**Status**: RUNNING\n\n- **Sortie 1**: First\n"
        "  - State: PENDING → DISPATCHED → COMPLETED ✅\n  - Commit: abcdef1\n"
        "- **Sortie 2**: Second\n  - State: PENDING → RUNNING\n",
        "### x\n- Work unit state: RUNNING (S1 COMPLETED)\n- Sortie 1: COMPLETED (commit abcdef1)\n"
        "- Current sortie: 2 of 2\n- Sortie state: RUNNING\n",
        "## x\n- Work unit state: RUNNING\n\n- [x] Sprint 1: First (COMPLETED - commit abcdef1)\n"
        "- [ ] Sprint 2: Second (RUNNING)\n",
    ],
)
def test_sprints_in_every_shape(text: str) -> None:
    found = read(text)
    assert [(names.key(s.id), s.state) for s in found.sprints] == [
        ("1", S.COMPLETED),
        ("2", S.RUNNING),
    ]
    assert found.sprints[0].commits == ("abcdef1",)
    assert not found.not_understood


@pytest.mark.spec("ST-04")
def test_a_unit_is_known_by_all_that_it_is_called() -> None:
    found = read(
        "| Name | Directory | Sorties |\n|---|---|---|\n| WU-1: Core types | a | 2 (A1, A2) |\n"
        "| WU-2: Web | b | 1 (B1) |\n\n### WU-1: Core types and errors\n"
        "- Work unit state: ✅ COMPLETED\n\n## Active Agents\n"
        "| Work Unit | Sortie | Sortie State |\n|---|---|---|\n| WU-1 | A1 | COMPLETED |\n"
        "| WU-2: Web pages | B1 | PAUSED |\n| _(none else)_ | | |\n"
    )
    assert [u.name for u in found.units] == ["WU-1: Core types", "WU-2: Web"]
    assert states(found) == {"A1": S.COMPLETED, "A2": S.COMPLETED}
    assert found.units[0].sprints[1].implied
    assert states(found, 1) == {"B1": S.PENDING}


@pytest.mark.spec("ST-04")
def test_of_rows_that_contradict_each_other_the_furthest_counts_and_is_told() -> None:
    table = "| Sprint | State |\n|---|---|\n| 1 | COMPLETED |\n| 1 | PENDING |\n| 2 | PARTIAL |\n"
    one, two = read(f"## Sprints\n\n{table}").loose
    assert (one.state, one.others) == (S.COMPLETED, ("PENDING",))
    assert (two.state, two.others) == (S.PARTIAL, ())


@pytest.mark.spec("ST-04")
def test_what_is_not_understood_is_listed() -> None:
    found = read(
        "### x\n- Work unit state: frobnicated\n\n| Sprint | State |\n|---|---|\n"
        "| 1 | shiny |\n| tidy up | DONE |\n\nLater: Sprint 9 may be needed.\n"
        "\n## Deploy\n- Status: red\n"
    )
    told = [(one.line, one.why) for one in found.not_understood]
    assert told == [
        (2, "not a word for a state"),
        (6, "not a word for a state"),
        (7, "the name of the sprint is not an id"),
        (9, "sprint 9 is named only here"),
        (12, "a state that belongs to no unit and no sprint"),
    ]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("~~PENDING~~ DONE", S.COMPLETED),
        ("**COMPLETED** — all green", S.COMPLETED),
        ("COMPLETED-WITH-GAP", S.PARTIAL),
        ("DISPATCHED → FAILED → RETRYING", S.BACKOFF),
        ("LOCKED (after 3)", S.PENDING),
        ("READY FOR DISPATCH", S.PENDING),
        ("RECONCILIATION_COMPLETE", S.COMPLETED),
        ("SKIPPED", S.PENDING),
        ("BLOCKED ⛔", S.FATAL),
        ("not completed", S.PENDING),
        ("⏳", S.RUNNING),
        ("perhaps DONE", None),
        ("—", None),
    ],
)
def test_words(text: str, state: S | None) -> None:
    word = understood(text)
    assert (word.meaning.sprint if word else None) is state


def test_the_docs_have_every_word() -> None:
    docs = DOCS.read_text()
    for meaning in MEANINGS:
        words = ", ".join(meaning.words)
        assert f"| {words} | {meaning.sprint} | {meaning.unit} | {meaning.why} |" in docs
    assert ", ".join(f"{sign} {word}" for sign, word in SIGNS.items()) in docs


# --- hostile text --------------------------------------------------------------------------

PIECES = st.sampled_from(
    ["# a\n", "### WU-1: x\n", "- Work unit state: DONE\n", "| Sprint | State |\n", "|---|---|\n",
     "| 1 | ✅ |\n", "| S1–S9999999 | x |\n", "---\n", "- Current sprint: 1 of 9\n", "```\n",
     "- [x] Sprint 1: a (DONE)\n", "| Decision | Sprint |\n", "Sorties 1-999999\n", "\r", "\x00",
     "- Sprint state: S1 → DONE\n", "**Status**: ✅\n", "\n", "~~", "|", "| Name | Sprints |\n"]
)  # fmt: skip


@given(st.lists(st.one_of(PIECES, st.text(max_size=20)), max_size=30).map("".join))
def test_any_text_can_be_read(text: str) -> None:
    read(text)


def test_giants_are_refused() -> None:
    with pytest.raises(StateFileTooLarge, match="topkick start"):
        read("\n" * 200_001)
    with pytest.raises(StateFileTooLarge, match="1000 work units"):
        read("".join(f"### u{n}\n- Work unit state: DONE\n" for n in range(1_100)))
    with pytest.raises(StateFileTooLarge, match="50000 times"):
        read("### u\n" + "- Work unit state: RUNNING (S1–S99 DONE)\n" * 600)
    with pytest.raises(StateFileTooLarge, match="50000 times"):
        read("Sorties 1-99\n" * 600)


# --- what supervisors really left ----------------------------------------------------------


def corpus(kind: str) -> list[Path]:
    found = sorted((CORPUS / kind).glob("*.md"))
    if not found:
        pytest.skip(f"no collection of real files at {CORPUS}/{kind}, so this proves nothing here")
    return found


@pytest.mark.spec("ST-04")
def test_real_state_files() -> None:
    """Held against crude counts: lines that give a unit's state, sprints that are spoken of."""
    files = corpus("state")
    sprints = without = unread = 0
    for path in files:
        text = path.read_text()
        found = read(text)
        blocks = len(re.findall(r"(?im)^- \**(?:work unit|package) state\**:", text))
        assert len(found.units) >= blocks, path.name
        assert sum(bool(u.word) for u in found.units) >= blocks, path.name
        assert all(u.state is not None or not u.word for u in found.units), path.name
        known = {names.key(s.id) for s in found.sprints}
        listed = " ".join(f"{n.text} {n.why}" for n in found.not_understood).lower()
        total = max((u.total or 0 for u in found.units), default=0)
        for id_ in re.findall(r"(?i)\b(?:sprint|sortie) (\d+[a-z]?(?:\.\d+)?)\b", text):
            key = id_.lower()
            counted = key.isdigit() and int(key) <= total
            assert key in known or counted or f"{key} is named" in listed, (path.name, id_)
        rows = re.findall(
            r"(?m)^\| \**(S?\d+[a-z]?) *\** \|[^\n]*\| *(?:COMPLETED|PENDING) *\|", text
        )
        assert {names.key(row) for row in rows} <= known, path.name
        sprints += len(found.sprints)
        without += sum(s.state is None for s in found.sprints)
        unread += len(found.not_understood)
    assert len(files) >= 50
    assert sprints >= 440
    assert without <= 5
    assert unread <= 12


@pytest.mark.spec("ST-02")
def test_real_progress_files() -> None:
    files = corpus("progress")
    said = 0
    for path in files:
        text = path.read_text()
        found = claims(text)
        spoken_of = set(re.findall(r"(?i)\bsprint (\d+)\b", text))
        assert spoken_of <= set(found), path.name
        said += sum(bool(word) for word in found.values())
    assert len(files) >= 16
    assert said >= 60
