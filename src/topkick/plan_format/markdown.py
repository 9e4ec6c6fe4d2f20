"""Parse Markdown blocks by markdown-it's own rules, each tried only where it can match.

The library tries every rule on every line. Most of a plan is prose, which only the last rule
matches, so the beginning of the line chooses the rules. The result is the same. Code spans, which
these rules leave in the text, are found here too: what is between two runs of the same number of
backticks (CommonMark).
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.parser_block import RuleFuncBlockType as Rule
from markdown_it.ruler import Ruler
from markdown_it.rules_block import (
    StateBlock,
    blockquote,
    code,
    fence,
    heading,
    hr,
    html_block,
    list_block,
    table,
)

# In the order of the library. Underlined headings are left out, because a rule (---) right below a
# paragraph would turn it into one; so are link references, which are plain text here.
_BEGINS: tuple[tuple[Rule, str], ...] = (
    (fence, "`~"),
    (blockquote, ">"),
    (hr, "*-_"),
    (list_block, "*-+0123456789"),
    (html_block, "<"),
    (heading, "#"),
)
_ENDS_AN_ITEM: tuple[Rule, ...] = (fence, blockquote, hr)
_ENDS_A_QUOTE: tuple[Rule, ...] = (*_ENDS_AN_ITEM, list_block, html_block, heading)
_BELOW_A_HEADER = frozenset("|-:")
_CODE_INDENT = 4


def block_parser() -> MarkdownIt:
    """Return a parser for blocks only: the text inside them stays as written."""
    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    rules = parser.block.ruler = Ruler[Rule]()
    rules.push("block", _block)
    rules.push("ends-paragraph", _ends_paragraph, {"alt": ["paragraph"]})
    rules.push("ends-item", _chosen(_ENDS_AN_ITEM), {"alt": ["list"]})
    rules.push("ends-quote", _chosen(_ENDS_A_QUOTE), {"alt": ["blockquote"]})
    rules.push("code", code)  # other rules check that this rule exists
    return parser


def _by_first(rules: Iterable[Rule]) -> dict[str, tuple[Rule, ...]]:
    wanted = set(rules)
    marks = {mark for rule, begins in _BEGINS if rule in wanted for mark in begins}
    return {m: tuple(r for r, begins in _BEGINS if r in wanted and m in begins) for m in marks}


def _chosen(rules: Iterable[Rule]) -> Rule:
    """Return one rule that tries those of `rules` that can match the line's beginning."""
    by_first = _by_first(rules)

    def chosen(state: StateBlock, line: int, end: int, silent: bool) -> bool:
        at = state.bMarks[line] + state.tShift[line]
        for rule in by_first.get(state.src[at : at + 1], ()):
            if rule(state, line, end, silent):
                return True
        return False

    return chosen


_some = _chosen(_ENDS_A_QUOTE)


def _ends_paragraph(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    return _is_header(state, line, end, silent) or _some(state, line, end, silent)


def _block(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    if _is_header(state, line, end, silent):
        return True
    if state.sCount[line] - state.blkIndent >= _CODE_INDENT and code(state, line, end, silent):
        return True
    return _some(state, line, end, silent) or _paragraph(state, line)


def _paragraph(state: StateBlock, line: int) -> bool:
    """Match the library's last rule, with one token for the paragraph instead of three."""
    behind = line + 1
    outside, state.parentType = state.parentType, "paragraph"
    while behind < state.lineMax and not state.isEmpty(behind):
        # deeper lines continue the paragraph; below zero, a quotation has decided
        asked = 0 <= state.sCount[behind] < state.blkIndent + _CODE_INDENT
        if asked and _ends_paragraph(state, behind, state.lineMax, True):
            break
        behind += 1
    token = state.push("paragraph", "p", 0)
    token.content = mdTrim(state.getLines(line, behind, state.blkIndent, False))
    token.map = [line, behind]
    state.parentType = outside
    state.line = behind
    return True


def _is_header(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Match a table, which shows in the line below its first."""
    at = state.bMarks[line + 1] + state.tShift[line + 1]
    return state.src[at : at + 1] in _BELOW_A_HEADER and table(state, line, end, silent)


_RUN = re.compile(r"`+")
_BLANKS = re.compile(r"\s+")
_LINE_END = re.compile(r"[ \t]*\n[ \t]*")


class ProsePart(NamedTuple):
    """Some prose and the code after it; the last part has no code."""

    prose: str
    ticks: str = ""
    code: str = ""


def parts_of(text: str) -> Iterator[ProsePart]:
    if "``" not in text:  # nearly always true
        pieces = text.split("`")
        paired = len(pieces) - (len(pieces) % 2 == 0)
        for n in range(0, paired - 1, 2):
            yield ProsePart(pieces[n], "`", pieces[n + 1])
        yield ProsePart("`".join(pieces[paired - 1 :]))
        return
    runs = [(found.start(), found.end()) for found in _RUN.finditer(text)]
    later: dict[int, list[int]] = {}
    for n in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[n][1] - runs[n][0], []).append(n)
    at = n = 0
    while n < len(runs):
        start, end = runs[n]
        same = later[end - start]
        while same and same[-1] <= n:
            same.pop()
        if same:
            close = same.pop()
            yield ProsePart(text[at:start], text[start:end], text[end : runs[close][0]])
            at, n = runs[close][1], close
        n += 1
    yield ProsePart(text[at:])


def on_one_line(text: str) -> str:
    """Collapse blanks in prose; blanks inside code belong to the command."""
    if "`" not in text:
        return " ".join(text.split())
    folded = (
        f"{_BLANKS.sub(' ', part.prose)}{part.ticks}{_LINE_END.sub(' ', part.code)}{part.ticks}"
        for part in parts_of(text)
    )
    return "".join(folded).strip()
