"""Which texts a parser is spared: what nests too deeply or is no program takes it hours."""

import re
from collections.abc import Callable

from tree_sitter import Node, Tree

DEEPEST = 200
WINDOW_BYTES = 1000
MOST_ERRORS = 240
MOST_JUNK_WINDOWS = 3
QUOTED = re.compile(
    rb"//[^\n]*|/\*.*?(?:\*/|\Z)"
    rb'|r(#+)".*?(?:"\1|\Z)|""".*?(?:"""|\Z)|"(?:[^"\\\n]|\\.)*"?|`(?:[^`\\]|\\.)*`?'
    rb"|'(?:[^'\\\n]|\\.)*'",
    re.DOTALL,
)
NEIGHBOURS = re.compile(rb'""[ \t]*(?="")')
MOST_NEIGHBOURS = 200
"""Two strings side by side mean nothing in any of these languages."""
BRACKET = re.compile(rb"[(\[{)\]}]")


def is_readable(data: bytes, parse: Callable[[bytes], Tree]) -> bool:
    """Whether a parser gets through this text in a time that grows with its length only."""
    bare = QUOTED.sub(_placeholder, data)
    if _depth(bare) > DEEPEST or len(NEIGHBOURS.findall(bare)) > MOST_NEIGHBOURS:
        return False
    if len(bare) <= MOST_JUNK_WINDOWS * WINDOW_BYTES:
        return True
    junk = 0
    for window in _windows(bare):
        junk += _errors(parse(window).root_node) > MOST_ERRORS
        if junk > MOST_JUNK_WINDOWS:
            return False
    return True


def _placeholder(found: re.Match[bytes]) -> bytes:
    return b" " if found[0].startswith(b"/") else b'""'


def _depth(bare: bytes) -> int:
    depth = deepest = 0
    for bracket in BRACKET.findall(bare):
        depth = depth + 1 if bracket in b"([{" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest


def _windows(bare: bytes) -> list[bytes]:
    return [bare[at : at + WINDOW_BYTES] for at in range(0, len(bare), WINDOW_BYTES)]


def _errors(root: Node) -> int:
    count, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        if node.is_error:
            count += 1 + node.child_count
        elif node.is_missing:
            count += 1
        if node.has_error:
            waiting.extend(node.children)
    return count
