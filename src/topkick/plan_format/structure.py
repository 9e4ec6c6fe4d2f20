"""Parse a Markdown text into sections under headings, with the blocks that plans use.

Content of a fence, a quotation or an HTML comment is never a heading, a table or a list.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from topkick.plan_format.markdown import block_parser, on_one_line
from topkick.text.markdown import fenced, unnested


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Paragraph:
    lines: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Fence:
    language: str
    content: str
    line: int


@dataclass(frozen=True, slots=True)
class ListItem:
    """A list item: its first paragraph, and what is below it."""

    text: str
    line: int
    items: tuple["ListItem", ...] = ()
    fences: tuple[Fence, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemList:
    items: tuple[ListItem, ...]
    line: int
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Quote:
    """A quotation: the lines of its paragraphs, for labels such as Depends on."""

    lines: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class TableRow:
    cells: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Table:
    header: tuple[str, ...]
    rows: tuple[TableRow, ...]
    line: int


Block = Paragraph | Fence | ItemList | Table | Quote


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the content before the next one; `end` is the line after its last."""

    heading: Heading | None
    parents: tuple[Heading, ...]
    blocks: tuple[Block, ...]
    end: int

    @property
    def level(self) -> int:
        return self.heading.level if self.heading else 0

    @property
    def title(self) -> str:
        return self.heading.text if self.heading else ""


_PARSER = block_parser()

_LIST_FIRST = frozenset("-*+0123456789")
_LIST_LINE = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])\s")
_LABEL_LINE = re.compile(r"^(?:\*\*|__)[^\s*_].{0,200}[:：]")


def _loosened(lines: Sequence[str]) -> tuple[list[str], list[int]]:
    """Insert a blank line between a list and a label right below it, which would join its last
    item.

    The second list gives each line's original number.
    """
    found: list[str] = []
    origin: list[int] = []
    in_list = False
    for number, (line, fence) in enumerate(zip(lines, fenced(lines), strict=True)):
        first = line.lstrip()[:1]
        if fence is None and in_list and line[:1] in "*_" and _LABEL_LINE.match(line):
            found.append("")
            origin.append(number)
        if not first or fence is not None:
            in_list = False
        elif first not in _LIST_FIRST or not _LIST_LINE.match(line):
            in_list = in_list and line[0] in " \t"
        else:
            in_list = True
        found.append(line)
        origin.append(number)
    return found, origin


def with_unix_lines(text: str) -> str:
    """Return the text as `sections` needs it: without a byte order mark, with \\n as its only line
    ending.
    """
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", " ")


def flattened(items: Sequence[ListItem]) -> Iterator[ListItem]:
    """Yield each item, then those below it."""
    for item in items:
        yield item
        yield from flattened(item.items)


def sections(text: str) -> tuple[Section, ...]:
    """Split the text into sections; it must be `with_unix_lines`."""
    found: list[Section] = []
    heading: Heading | None = None
    parents: tuple[Heading, ...] = ()
    blocks: list[Block] = []
    for part in _parts(_tokens(text.split("\n"))):
        if isinstance(part, Heading):
            found.append(Section(heading, parents, tuple(blocks), part.line))
            above = (*parents, heading) if heading else parents
            parents = tuple(h for h in above if h.level < part.level)
            heading, blocks = part, []
        else:
            blocks.append(part)
    found.append(Section(heading, parents, tuple(blocks), text.count("\n") + 2))
    return tuple(found)


def _tokens(lines: Sequence[str]) -> list[Token]:
    """Return the tokens with the line numbers of the original text."""
    loose, origin = _loosened(unnested(lines))
    tokens = _PARSER.parse("\n".join(loose))
    for token in tokens:
        if token.map:
            token.map = [origin[token.map[0]], token.map[1]]
    return tokens


def _parts(tokens: Sequence[Token]) -> Iterator[Heading | Block]:
    """Yield parts that begin with outermost tokens; enclosed tokens belong to them."""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        behind = _behind(tokens, at)
        match token.type:
            case "heading_open":
                yield Heading(int(token.tag[1]), tokens[at + 1].content.strip(), _line(token))
            case "paragraph":
                yield Paragraph(tuple(token.content.strip().split("\n")), _line(token))
            case "fence":
                yield _fence(token)
            case "bullet_list_open" | "ordered_list_open":
                ordered = token.type == "ordered_list_open"
                yield ItemList(_items(tokens, at, behind), _line(token), ordered)
            case "blockquote_open":
                yield Quote(_quoted(tokens[at:behind]), _line(token))
            case "table_open":
                yield _table(tokens[at:behind])
            case _:
                pass
        at = behind


def _behind(tokens: Sequence[Token], at: int) -> int:
    """Return the index after the token at `at` and all that it encloses."""
    level = tokens[at].level
    if tokens[at].nesting == 1:
        at += 1
        while tokens[at].level > level:
            at += 1
    return at + 1


def _line(token: Token) -> int:
    return token.map[0] + 1 if token.map else 0


def _quoted(tokens: Sequence[Token]) -> tuple[str, ...]:
    texts = (token.content for token in tokens if token.type in ("paragraph", "inline"))
    return tuple(line for text in texts for line in text.split("\n"))


def _fence(token: Token) -> Fence:
    words = token.info.split(maxsplit=1)
    return Fence(words[0].lower() if words else "", token.content, _line(token))


def _items(tokens: Sequence[Token], at: int, behind: int) -> tuple[ListItem, ...]:
    found: list[ListItem] = []
    at += 1
    while at < behind - 1:
        end = _behind(tokens, at)
        found.append(_item(tokens, at, end))
        at = end
    return tuple(found)


def _item(tokens: Sequence[Token], at: int, behind: int) -> ListItem:
    text: str | None = None
    items: list[ListItem] = []
    fences: list[Fence] = []
    line = _line(tokens[at])
    at += 1
    while at < behind - 1:
        end = _behind(tokens, at)
        match tokens[at].type:
            case "paragraph" if text is None:
                text = on_one_line(tokens[at].content)
            case "bullet_list_open" | "ordered_list_open":
                items.extend(_items(tokens, at, end))
            case "fence":
                fences.append(_fence(tokens[at]))
            case _:
                pass
        at = end
    return ListItem(text or "", line, tuple(items), tuple(fences))


def _table(tokens: Sequence[Token]) -> Table:
    rows: list[TableRow] = []
    cells: list[str] = []
    line = 0
    for token in tokens:
        match token.type:
            case "tr_open":
                cells, line = [], _line(token)
            case "inline":
                cells.append(token.content.strip())
            case "tr_close":
                rows.append(TableRow(tuple(cells), line))
            case _:
                pass
    return Table(rows[0].cells, tuple(rows[1:]), _line(tokens[0]))
