"""Text of others made safe for one line, for Markdown and for file names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.text import escape, markdown


@given(st.text(max_size=200))
def test_escaped_text_comes_back(text: str) -> None:
    assert escape.unescaped(escape.escaped(text)) == text


@given(st.text(max_size=200), st.integers(2, 60))
def test_one_line_is_one_bounded_visible_line(text: str, limit: int) -> None:
    shown = escape.one_line(text, limit)
    assert len(shown) <= limit
    assert len(shown.splitlines()) <= 1
    assert "\u202e" not in shown
    assert len(escape.short(text, limit)) <= limit


@given(st.text(max_size=80))
def test_a_slug_names_a_file_everywhere(text: str) -> None:
    made = escape.slug(text)
    assert all(char.isalnum() or char == "-" for char in made)
    assert not made.startswith("-") | made.endswith("-")
    assert escape.slug(made) == made


@pytest.mark.parametrize(
    ("text", "made"),
    [("Unit 2: The Parser!", "unit-2-the-parser"), ("a_b/c", "a-b-c"), ("Über", "über"), ("?", "")],
)
def test_slugs(text: str, made: str) -> None:
    assert escape.slug(text) == made


@given(st.lists(st.lists(st.text(max_size=20), min_size=2, max_size=2), max_size=4))
def test_no_cell_breaks_out_of_its_table(rows: list[list[str]]) -> None:
    written = markdown.table(("one", "two"), rows)
    assert len(written) == 2 + len(rows)
    assert all(len(markdown.cells(line)) == 2 for line in written)
