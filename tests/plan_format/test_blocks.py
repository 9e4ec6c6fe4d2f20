"""Our choice of rules reads every text as the library does that asks them all."""

import random
from collections.abc import Iterator, Sequence

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from topkick.plan_format.markdown import block_parser

OURS = block_parser()
THEIRS = MarkdownIt("commonmark").enable("table").disable(["lheading", "reference"])
THEIRS.core.ruler.enableOnly(["normalize", "block"])

_BEGINNINGS = (
    "", "", "", "# ", "####### ", "#", "- ", "* ", "+ ", "1. ", "2) ", "12345678901. ", "-", "*",
    "---", "***", "- - -", "_ _ _", "--", "> ", ">", "> > ", "> - ", "- > ", "```", "````", "~~~",
    "```sh", "<div>", "<!-- ", "-->", "<?", "| a | b |", "|---|---|", "|:-:|-|", "a | b", "-|-",
    ":-", "|", "===", "    ", "\t", "  \t", "- [ ] ", "[a]: /b", "\\# ", "é",
    "\u2003", "\x0b", "\0",
)  # fmt: skip
_INDENTS = ("", "", "", "", " ", "  ", "   ", "    ", "     ", "\t", " \t")
_TEXTS = (
    "",
    "",
    "word",
    "two words",
    "`code` and more",
    "| c |",
    "* * *",
    "end  ",
    "#",
    "`",
    "```",
)
_LINES = st.lists(
    st.tuples(st.sampled_from(_INDENTS), st.sampled_from(_BEGINNINGS), st.sampled_from(_TEXTS)),
    max_size=14,
).map(lambda lines: "\n".join("".join(parts) for parts in lines))


def _folded(tokens: Sequence[Token]) -> Iterator[dict[str, object]]:
    """Yield the library's tokens with topkick's single token for a paragraph, without tightness."""
    at = 0
    while at < len(tokens):
        told = tokens[at].as_dict()
        if tokens[at].type == "paragraph_open":
            inner = tokens[at + 1]
            told |= {"type": "paragraph", "nesting": 0, "content": inner.content, "hidden": False}
            at += 2
        yield told
        at += 1


def _same(text: str) -> None:
    assert [t.as_dict() for t in OURS.parse(text)] == list(_folded(THEIRS.parse(text))), text


@given(_LINES)
def test_lines_of_every_kind_are_read_as_the_library_reads_them(text: str) -> None:
    _same(text)


@given(st.text(alphabet="-*+#>`~|:<_ \t\n1.)a[]!=", max_size=60))
def test_any_text_is_read_as_the_library_reads_it(text: str) -> None:
    _same(text)


def test_long_texts_are_read_as_the_library_reads_them() -> None:
    made = random.Random(7)
    for _ in range(60):
        lines = (
            made.choice(_INDENTS) + made.choice(_BEGINNINGS) + made.choice(_TEXTS)
            for _ in range(made.randrange(30, 300))
        )
        _same("\n".join(lines))
