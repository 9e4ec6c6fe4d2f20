"""The epic's body under any hand: whatever stands there is read, and only ours is changed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.engine.agents.program import AgentProgram
from topkick.epic.body import MOST_ROWS, Epic, RowClass, read_epic, write
from topkick.epic.items import EpicItem
from topkick.epic.settings import EpicSettings, Worker
from topkick.epic.tick.choice import braked, choose, may_tick
from topkick.epic.tick.scene import cleared
from topkick.text.format import moment_us, stamp
from topkick.text.task_file import TaskFile

NOW_US = 1_780_000_000_000_000
SETTINGS = EpicSettings((Worker("claude", AgentProgram("claude", ("agent",))),))
OURS = ("Supervisor State", "Work Items", "Pattern Memory", "Supervisor Log")
LINES = st.sampled_from(
    [
        *("---", "status: queued", "id: e", "# Goal", "## Notes of mine", "text by a person"),
        *(f"## {name}" for name in OURS),
        *("### Criteria of t-1", "- it works", "**Phase**: halted", "**Phase** reviewing"),
        *("| # | ID | Status | After | Outcome |", "|---|---|---|---|---|", "|---|"),
        *("| 1 | t-1 | queued | | |", "| 2 | t-2 | in_progress | t-1 | exited |", "| | | |"),
        *("| 3 | t-1 | done | ../x | verify_fail: no |", "| 4 | ../x | queued | | |"),
        *("| Tick (ISO) | Decision | Class | Notes |", "| now | x | verify_fail | |"),
        *("| 2026-05-08T02:14:00Z | x | reset | |", "```", "", "\r", "\u2028", "| a \\| b"),
    ]
)
TEXTS = st.lists(LINES, max_size=30).map("\n".join)


def read(text: str) -> Epic:
    return read_epic(text, fallback_id="e", at_us=NOW_US, host="here")


@pytest.mark.spec("EP-01")
@given(TEXTS)
@settings(max_examples=400)
def test_any_body_is_read_and_what_is_not_ours_is_kept(text: str):
    epic = read(text)
    braked(epic, NOW_US, 3600)
    choose(cleared(epic), SETTINGS)
    may_tick(epic)
    item = EpicItem("new-1", "New", criteria=("one", "two"))
    after = (
        epic.with_item(item).with_row(RowClass.DISPATCH_OK, "d").with_log("l").asking("why", "q?")
    )
    written = write(after)
    again = read(written)
    if "```" not in text:  # text after an unclosed fence is inside it
        assert [i.id for i in again.items] == [i.id for i in after.items]
        assert (again.rows, again.status, again.phase) == (after.rows, after.status, after.phase)
        found = again.item("new-1")
        assert found is not None
        assert found.criteria == ("one", "two")
    for line in ("text by a person", "## Notes of mine", "# Goal"):
        kept, before = ([x.rstrip("\r") for x in t.split("\n")] for t in (written, text))
        assert kept.count(line) == before.count(line)


@pytest.mark.spec("EP-01")
@given(TEXTS)
@settings(max_examples=200)
def test_what_was_written_is_written_the_same_again(text: str):
    once = write(read(text))
    if "```" not in text:
        assert write(read(once)) == once


@pytest.mark.spec("EP-22")
@given(st.lists(st.sampled_from(list(RowClass)), max_size=60))
def test_the_memory_is_never_longer_and_no_op_adds_nothing(classes: list[RowClass]):
    epic = read("# E\n")
    for found in classes:
        before = len(epic.rows)
        epic = epic.with_row(found, "decided", "why")
        assert len(epic.rows) <= MOST_ROWS
        if found is RowClass.NOOP and before:
            assert len(epic.rows) == before
    wanted = [c for n, c in enumerate(classes) if c is not RowClass.NOOP or n == 0]
    assert [row.found for row in epic.rows] == wanted[-MOST_ROWS:]


@pytest.mark.spec("EP-01")
def test_columns_of_others_and_line_ends_are_kept():
    table = "| # | ID | Mine |\r\n|---|---|---|\r\n| 1 | t-1 | yes |\r\n"
    text = (
        f"---\r\nstatus: queued\r\n---\r\n# E\r\n\r\n## Work Items\r\n\r\n{table}\r\n## After\r\nx"
    )
    written = write(read(text))
    assert "| yes |" in written
    assert written.count("\n") == written.count("\r\n")
    assert "## After\r\nx" in written


@pytest.mark.spec("EP-01")
def test_rows_that_are_no_items_are_kept():
    rows = ("| 1 | t-1 | first |", "| 2 | t-1 | again |", "| | ../x | odd |", "| ? | | a remark |")
    table = "| # | ID | Title |\n|---|---|---|\n" + "\n".join(rows) + "\n"
    written = write(read(f"# E\n\n## Work Items\n\n{table}"))
    for word in ("first", "again", "../x", "odd", "a remark"):
        assert word in written
    assert [item.title for item in read(written).items] == ["first"]


@given(st.integers(min_value=0, max_value=4_000_000_000))
def test_moments_come_back(at_s: int):
    assert moment_us(stamp(at_s * 1_000_000)) == at_s * 1_000_000


def test_what_is_no_moment_is_none():
    assert moment_us("yesterday") is None
    assert TaskFile.read("").body == ""
