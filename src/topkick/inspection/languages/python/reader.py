"""Reads a Python file by its syntax tree."""

import ast
import re
import warnings

from topkick.inspection.inventory import Inventory, Mark, TestCase
from topkick.inspection.languages.common.conditions import conditions
from topkick.inspection.languages.common.suppressions import suppressions
from topkick.inspection.languages.common.testfiles import (
    is_collected,
    is_test_file,
    may_not_read_tests,
)
from topkick.inspection.languages.common.tokens import Comment, Token, glued
from topkick.inspection.languages.python.assertions import FunctionNames, names_of
from topkick.inspection.languages.python.cases import cases, whole_skips
from topkick.inspection.languages.python.functions import functions
from topkick.inspection.languages.python.names import FunctionNode, imports_runner, walk
from topkick.inspection.languages.python.patches import PatchedPlace, patches

# --- Python text as tokens and comments, without a parser: it works on what does not parse too.

PIECE = re.compile(
    rb"(?P<comment>\#[^\n]*)"
    rb'|(?P<string>(?i:[rbfut]{0,2})(?:"""(?:[^\\"]|\\.|"(?!""))*"""'
    rb"|'''(?:[^\\']|\\.|'(?!''))*'''"
    rb'|"(?:[^"\\\n]|\\.)*"|' + rb"'(?:[^'\\\n]|\\.)*'))"
    rb"|(?P<word>[\w\x80-\xff]+(?:\.[\w\x80-\xff]+)*)"
    rb"|(?P<newline>\n)"
    rb"|(?P<sign>==|!=|<=|>=|:=|->|\*\*|//|<<|>>|[^\s\w])",
    re.DOTALL,
)


def scanned(data: bytes) -> tuple[list[Token], list[Comment]]:
    tokens: list[Token] = []
    comments: list[Comment] = []
    line, begin, blank = 1, 0, True
    for found in PIECE.finditer(data):
        kind, text = found.lastgroup, found[0].decode("utf-8", "replace")
        if kind == "newline":
            line, begin, blank = line + 1, found.end(), True
            continue
        if kind == "comment":
            comments.append(Comment(line, text, found.start() - begin, blank))
            continue
        tokens.append(Token(text, line, found.start(), kind == "string"))
        line, blank = line + text.count("\n"), False
    return tokens, comments


IMPORTED_FIRST = ("conftest.py", "sitecustomize.py", "usercustomize.py")
TEST = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+(test\w*)", re.MULTILINE)


def read_python(path: str, text: str) -> Inventory:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    data = text.encode("utf-8", "replace")
    tokens, comments = scanned(data)
    begins = tokens[0].line if tokens else 0
    plain = Inventory(
        language="python",
        suppressions=suppressions(comments, begins),
        conditions=conditions(tokens, path),
        broken=True,
    )
    tree = _tree(text)
    try:
        if tree is not None:
            return _by_tree(plain, tree, path, tokens)
    except RecursionError:
        pass
    return _by_text(plain, text, tokens)


def _tree(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _by_text(plain: Inventory, text: str, tokens: list[Token]) -> Inventory:
    found: dict[str, TestCase] = {}
    line, at = 1, 0
    for match in TEST.finditer(text):
        line, at = line + text.count("\n", at, match.start(1)), match.start(1)
        found[match[1]] = TestCase(match[1], line)
    return Inventory(
        language="python",
        cases=tuple(found.values()),
        suppressions=plain.suppressions,
        conditions=plain.conditions,
        essence=_glued(tokens),
        broken=True,
    )


def _by_tree(plain: Inventory, tree: ast.Module, path: str, tokens: list[Token]) -> Inventory:
    name = path.rpartition("/")[2]
    is_tests = is_test_file(path)
    nodes = walk(tree)
    _drop_docstrings(nodes)
    every = [node for node in nodes if isinstance(node, FunctionNode)]
    is_first = is_collected(path) or name in IMPORTED_FIRST
    place = PatchedPlace(is_tests, is_first, name == "conftest.py")
    names = names_of(every) if any(it.name.startswith("test") for it in every) else FunctionNames()
    return Inventory(
        language="python",
        cases=cases(tree, names, is_tests),
        functions=functions(tree, is_tests, name.endswith(".pyi")),
        whole_skips=whole_skips(tree),
        suppressions=plain.suppressions,
        conditions=(*plain.conditions, *_runner(tree, path)),
        patches=patches(tree, nodes, every, place),
        essence=_essence(tree) or _glued(tokens),
    )


def _glued(tokens: list[Token]) -> str:
    return glued(token.text for token in tokens)


def _runner(tree: ast.Module, path: str) -> tuple[Mark, ...]:
    return tuple(imports_runner(tree)) if may_not_read_tests(path) else ()


def _essence(tree: ast.Module) -> str:
    try:
        return ast.unparse(tree)
    except (RecursionError, ValueError):
        return ""


def _drop_docstrings(nodes: list[ast.AST]) -> None:
    for node in nodes:
        if not isinstance(node, FunctionNode | ast.ClassDef | ast.Module):
            continue
        if len(node.body) > 1 and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
