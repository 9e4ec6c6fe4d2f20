"""Syntax trees as plain lists, so that no walk through them nests or takes longer than the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tree_sitter import Language, Parser, TreeCursor

from topkick.inspection.languages.common.limits import is_readable
from topkick.inspection.languages.common.tokens import Comment, Token, glued

HIGHEST = 600
LONGEST_NAME = 400


@dataclass(frozen=True, slots=True)
class Grammar:
    """What the readers must know of a language's tree: which kinds are comments and strings."""

    name: str
    load: Callable[[], object]
    comments: frozenset[str]
    strings: frozenset[str]


@dataclass(slots=True, eq=False)
class Node:
    """`index` is its place in the list of all nodes, and all below it come before `stop`."""

    source: SourceText
    kind: str
    start: int
    end: int
    line: int
    role: str
    index: int
    stop: int
    parent: Node | None
    children: list[Node] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.source.data[self.start : self.end].decode("utf-8", "replace")

    def below(self) -> Iterator[Node]:
        nodes = self.source.nodes
        return (nodes[at] for at in range(self.index + 1, self.stop))

    def child(self, role: str) -> Node | None:
        return next((child for child in self.children if child.role == role), None)

    def above(self) -> Iterator[Node]:
        """What it stands in, from the inside out; a chain of thousands of calls is cut off."""
        node = self.parent
        for _ in range(HIGHEST):
            if node is None:
                return
            yield node
            node = node.parent

    @property
    def code(self) -> str:
        """Its text without blanks and comments."""
        return glued(token.text for token in self.tokens())

    @property
    def short(self) -> str:
        """Its code if it may be a name; a chain of a thousand calls is none."""
        return self.code if self.end - self.start <= LONGEST_NAME else ""

    def tokens(self) -> Iterator[Token]:
        source, at = self.source, self.index
        reached = self.start
        while at < self.stop:
            node = source.nodes[at]
            is_string = node.kind in source.grammar.strings
            if node.kind in source.grammar.comments:
                reached, at = max(reached, node.end), node.stop
            elif is_string or not node.children:
                yield from _between(source, reached, node)
                if node.end > node.start:
                    yield Token(node.text, node.line, node.start, is_string)
                reached, at = max(reached, node.end), node.stop
            else:
                at += 1


def _between(source: SourceText, reached: int, node: Node) -> Iterator[Token]:
    """Some grammars leave a few letters between two nodes to nobody."""
    gap = source.data[reached : node.start].strip()
    if gap:
        yield Token(gap.decode("utf-8", "replace"), node.line, reached)


@dataclass(slots=True)
class SourceText:
    grammar: Grammar
    data: bytes
    nodes: list[Node]
    has_error: bool = False

    @property
    def root(self) -> Node:
        return self.nodes[0]

    def of_kind(self, *kinds: str) -> Iterator[Node]:
        wanted = frozenset(kinds)
        return (node for node in self.nodes if node.kind in wanted)

    def comments(self) -> list[Comment]:
        return [self._comment(node) for node in self.of_kind(*self.grammar.comments)]

    def _comment(self, node: Node) -> Comment:
        begin = self.data.rfind(b"\n", 0, node.start) + 1
        before = self.data[begin : node.start] if node.start - begin < 500 else b"x"
        return Comment(node.line, node.text, node.start - begin, not before.strip())


def parsed(grammar: Grammar, text: str) -> SourceText | None:
    """The tree, errors and all; None if the text is no program that can be read in good time."""
    data = text.encode("utf-8", "replace")
    parser = Parser(Language(grammar.load()))
    if not is_readable(data, parser.parse):
        return None
    tree = parser.parse(data)
    source = SourceText(grammar, data, [], tree.root_node.has_error)
    _list(source, tree.walk())
    return source


def _list(source: SourceText, cursor: TreeCursor) -> None:
    parent: Node | None = None
    while True:
        node = _node(source, cursor, parent)
        if cursor.goto_first_child():
            parent = node
            continue
        node.stop = len(source.nodes)
        while not cursor.goto_next_sibling():
            if parent is None or not cursor.goto_parent():
                source.root.stop = len(source.nodes)
                return
            parent.stop = len(source.nodes)
            parent = parent.parent


def _node(source: SourceText, cursor: TreeCursor, parent: Node | None) -> Node:
    found = cursor.node
    assert found is not None
    node = Node(
        source,
        found.type,
        found.start_byte,
        found.end_byte,
        found.start_point[0] + 1,
        cursor.field_name or "",
        len(source.nodes),
        0,
        parent,
    )
    source.nodes.append(node)
    if parent is not None:
        parent.children.append(node)
    return node
