"""The line reader of Markdown agrees with the parser that reads whole plans."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.plan_format.structure import sections
from topkick.text import markdown

FENCES = st.sampled_from(["```", "````", "~~~", "```python", "```markdown", "~~~ text", "   ```"])
LINES = st.one_of(
    FENCES,
    st.sampled_from(
        [
            *("# One", "## Two ##", "### C#", "#no heading", "   #### Four", "    # code"),
            *("- item", "  - deeper", "1. first", "   in the item", "plain words", ""),
            *("```code``` in a sentence", "> quoted", "> ```", "> # quoted heading", ""),
            *("  ```", "     # in the item", "| a | b |", "|---|---|"),
        ]
    ),
)


def headings_of(lines: list[str]) -> list[tuple[int, int, str]]:
    read = zip(lines, markdown.fenced(lines), strict=True)
    found = ((n, markdown.heading(line)) for n, (line, word) in enumerate(read, 1) if word is None)
    return [(n, one.level, one.title) for n, one in found if one is not None]


@given(st.lists(st.sampled_from(["# One", "text", "", "```", "```python", "~~~", "- item", "  x"])))
def test_headings_outside_fences_are_those_of_the_parser(lines: list[str]) -> None:
    parsed = [p.heading for p in sections("\n".join(lines)) if p.heading]
    assert headings_of(lines) == [(h.line, h.level, h.text) for h in parsed]


@given(st.lists(LINES, max_size=60))
def test_reading_fences_keeps_every_line(lines: list[str]) -> None:
    words = list(markdown.fenced(lines))
    assert len(words) == len(lines) == len(markdown.unfenced(lines))
    assert len(markdown.unnested(lines)) == len(lines)
    kept = markdown.unfenced(lines)
    assert all(kept[n] == ("" if word is not None else lines[n]) for n, word in enumerate(words))


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        ("```sh\n# no\n```\n# yes", "# yes"),
        ("~~~\n```\n~~~\n# yes", "# yes"),
        ("```markdown\n```sh\n```\n# no\n```\n# yes", "# yes"),
        ("1. item\n   ```\n   never closed\n\n# yes", "1. item\n\n# yes"),
        ("> ```\n> quoted\n# yes", "# yes"),
        ("```a``` and ```b```\n# yes", "```a``` and ```b```\n# yes"),
        ("```\nnever closed\n# no", ""),
    ],
)
def test_where_a_fence_ends(text: str, outside: str) -> None:
    kept = "\n".join(markdown.unfenced(text.split("\n"))).strip("\n")
    assert kept.replace("\n\n\n\n", "\n\n").replace("\n\n\n", "\n") == outside


@pytest.mark.parametrize(
    ("line", "level", "title"),
    [("# A", 1, "A"), ("## B ##", 2, "B"), ("### C#", 3, "C#"), ("#", 1, ""), ("## D\r", 2, "D")],
)
def test_headings(line: str, level: int, title: str) -> None:
    assert markdown.heading(line) == (level, title)


@pytest.mark.parametrize("line", ["#x", "####### seven", "    # code", "text # mark", ""])
def test_no_headings(line: str) -> None:
    assert markdown.heading(line) is None


def test_items() -> None:
    assert markdown.item("  - [x] done") == ("  ", "  - ", "[x]", "done")
    assert markdown.item("12) twelve") == ("", "12) ", "", "twelve")
    assert markdown.item("-no item") is None


@given(st.lists(st.text(st.sampled_from("ab |\\-"), max_size=6), min_size=1, max_size=5))
def test_cells_come_back(texts: list[str]) -> None:
    bare = [text.strip() or "-" for text in texts]
    written = [cell.replace("\\", "\\\\").replace("|", "\\|") for cell in bare]
    row = "| " + " | ".join(written) + " |"
    assert list(markdown.cells(row)) == bare
    assert len(markdown.cell_spans(row)) == len(bare)


@pytest.mark.parametrize(
    ("text", "length"),
    [("---\na: b\n---\nx", 3), ("---\n...\n", 2), ("---\nnever", 0), ("x\n---\n---", 0), ("", 0)],
)
def test_front_matter(text: str, length: int) -> None:
    lines = text.split("\n")
    assert markdown.front_matter_end(lines) == length
    assert markdown.without_front_matter(lines) == [""] * length + lines[length:]
