"""Task files are other people's: what is not changed on purpose stays byte for byte."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.text.task_file import TaskFile, TaskTable, read_table, with_table

SIMPLE = """---
id: t-1  # ours
title: "Say: hello"
depends_on:
  - t-0
  - 'a: b'
tags: [x, "y, z"]
status: null
---
# Heading

Text by a person.

## Work Items

| # | ID |
|---|---|
| 1 | a\\|b |

```
## not a heading
```

### Below

more

## Next

end"""
LINES = ("---", "# T", "## A", "### B", "id: x", "id: y", "l:", "  - a", "[a, 'b", "```", "~~~")
ODD = ("| a |", "|---|", "", "\r", "\ufeff---", "a: |", " folded", "status: 'it''s'", '"')
PIECES = st.sampled_from(LINES + ODD)
TEXTS = st.lists(PIECES, max_size=14).map("\n".join) | st.text(max_size=60)
NAMES = st.sampled_from(["id", "l", "status", "fresh"])
WORDS = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00"), max_size=20
)


@pytest.mark.spec("EP-01")
def test_front_matter_is_read_in_the_forms_people_write():
    found = TaskFile.read(SIMPLE)
    assert found.get("id") == "t-1"
    assert found.get("title") == found.title == "Say: hello"
    assert found.items("depends_on") == ("t-0", "a: b")
    assert found.items("tags") == ("x", "y, z")
    assert found.get("status") is None
    assert found.get("nowhere") is None


@pytest.mark.spec("KB-01")
@pytest.mark.parametrize(
    ("text", "phase"),
    [
        ("# Kanban: x\n\n---\nphase: design\nphase: execute\n---\n", "execute"),
        ("\ufeff---\r\nphase: plan\r\n---\r\n", "plan"),
        ("---\nrequest: GOAL: much\n\nFree text here\nphase: done\n---\n", "done"),
        ("# Title\n\n---\nnot: matter\nbut a line across the page\n---\n", None),
        ("no matter at all", None),
    ],
)
def test_front_matter_of_real_boards(text: str, phase: str | None):
    assert TaskFile.read(text).get("phase") == phase


@pytest.mark.spec("EP-01")
def test_a_section_ends_where_the_next_begins_and_fences_hide_headings():
    found = TaskFile.read(SIMPLE)
    items = found.section("work items")
    assert items is not None
    assert items.endswith("### Below\n\nmore\n\n")
    assert "## not a heading" in items
    assert found.section("Next") == "\nend"
    assert found.section("not a heading") is None
    changed = found.with_section("Next", "\nnew\n")
    assert changed.text == SIMPLE.removesuffix("end") + "new\n"


@pytest.mark.spec("EP-01")
@given(TEXTS)
@settings(max_examples=300)
def test_what_is_written_back_as_it_was_read_changes_no_byte(text: str):
    found = TaskFile.read(text)
    assert found.text == text
    for key in found.keys:
        assert found.with_value(key, found.get(key)).text == text
        assert found.with_items(key, found.items(key)).text == text
    for heading in found.headings():
        body = found.section(heading.title)
        assert body is not None
        assert found.with_section(heading.title, body).text == text


@pytest.mark.spec("EP-01")
@given(TEXTS, NAMES, WORDS)
@settings(max_examples=300)
def test_a_value_that_is_put_is_the_value_that_is_read(text: str, key: str, word: str):
    before = TaskFile.read(text)
    after = before.with_value(key, word)
    assert after.get(key) == (word or None) or word in {"null", "Null", "NULL", "~"}
    for other in before.keys:
        if other != key:
            assert after.get(other) == before.get(other)
    kept = [line for line in before.text.split("\n") if line and line in after.text.split("\n")]
    dropped = len([line for line in before.text.split("\n") if line]) - len(kept)
    assert dropped <= (len(text.split("\n")) if key in before.keys else 0)


@pytest.mark.spec("EP-01")
@given(TEXTS, WORDS)
@settings(max_examples=300)
def test_a_section_that_is_put_touches_no_other_line(text: str, word: str):
    body = f"\ntext {' '.join(word.split())} .\n"  # what begins with `#` would be a heading
    after = TaskFile.read(text).with_section("Ours", body)
    if after.section("Ours") is None:  # the file ends inside a fence
        return
    assert after.section("Ours") in {body, body.replace("\n", "\r\n")}
    assert after.text.startswith(text)


@pytest.mark.spec("EP-01")
@given(st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=5))
def test_a_table_is_read_as_it_was_written(rows: list[tuple[str, ...]]):
    plain = tuple((*(" ".join(cell.split()) for cell in row), "end") for row in rows)
    table = TaskTable(("A", "B", "C", "D"), plain)
    section = with_table("\nAbove.\n", table)
    assert section.startswith("\nAbove.\n")
    assert read_table(section) == table
    again = with_table(section + "Below.\n", TaskTable(("X",), ()))
    assert again.endswith("Below.\n")


def test_lines_are_added_at_the_end_of_a_section():
    found = TaskFile.read("# T\n\n## A\n\n- one\n\n## B\n").appended_to("A", "- two")
    assert found.text == "# T\n\n## A\n\n- one\n- two\n\n## B\n"
    assert TaskFile.read("# T").appended_to("Log", "- one").text == "# T\n\n## Log\n\n- one\n"
