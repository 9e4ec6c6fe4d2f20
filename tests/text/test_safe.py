"""Untrusted text cannot control a terminal or break out of a Markdown file."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from topkick.text import escape, markdown

ANYTHING = st.text(st.characters(), max_size=60)  # lone surrogates included


@given(ANYTHING)
def test_no_control_character_is_left(text: str) -> None:
    for shown in (escape.line(text), escape.prose(text), escape.cell(text)):
        shown.encode()
        assert not any(unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} for c in shown)
    left = {c for c in escape.block(text) if unicodedata.category(c) in {"Cc", "Cs"}}
    assert left <= {"\n", "\t"}


@given(ANYTHING)
def test_no_bidi_override_is_left(text: str) -> None:
    bidi = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    assert not any(unicodedata.bidirectional(c) in bidi for c in escape.block(text))


def test_escape_sequences_go_whole_and_their_text_stays() -> None:
    assert escape.line("\x1b[31mFAILED\x1b[0m\x1b]0;title\x07 here\x1b[2J") == "FAILED here"
    assert "\x1b" not in escape.line("\x1b]52;c;never ended")
    assert escape.line("a\u202eb\x00c") == "a<U+202E>b␀c"


@given(st.lists(st.tuples(ANYTHING, ANYTHING, ANYTHING), min_size=1, max_size=4))
def test_a_table_keeps_its_rows_and_cells(rows: list[tuple[str, str, str]]) -> None:
    page = "\n".join(markdown.table(("A", "B", "C"), rows))
    tokens = MarkdownIt("commonmark").enable("table").parse(page)
    assert sum(t.type == "td_open" for t in tokens) == 3 * len(rows)
    assert not any(t.type == "html_block" for t in tokens)
    inline = [child for t in tokens for child in t.children or ()]
    assert not any(c.type in {"html_inline", "image"} for c in inline)


def test_secrets_are_hidden_the_longer_first() -> None:
    said = "token sk-12345678-extra and sk-12345678, not abc"
    assert escape.redact(said, ["sk-12345678", "sk-12345678-extra", "abc", ""]) == (
        "token [hidden] and [hidden], not abc"
    )
