"""What the Python readers share: dotted names, texts and constants of expressions."""

import ast
import re
from collections import deque
from collections.abc import Iterator

from topkick.inspection.inventory import Mark

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
DEEPEST = 12


def dotted(node: ast.expr) -> str:
    """`pytest.mark.skip` of the expression or the call, "" if it is no name."""
    names: list[str] = []
    while True:
        match node:
            case ast.Call():
                node = node.func
            case ast.Subscript() if names:
                node = node.value
            case ast.Attribute():
                names.append(node.attr)
                node = node.value
            case ast.Name():
                names.append(node.id)
                return ".".join(reversed(names))
            case _:
                return ".".join(["", *reversed(names)]) if names else ""


def last(node: ast.expr) -> str:
    return dotted(node).rpartition(".")[2]


def shown(node: ast.AST) -> str:
    """Its source in one normal form."""
    try:
        return ast.unparse(node)
    except (RecursionError, ValueError):
        return type(node).__name__


def string(node: ast.AST) -> str | None:
    """A text that is written down, in pieces or not."""
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.BinOp(left=ast.Constant(value=str(one)), op=ast.Add(), right=right):
            rest = string(right)
            return None if rest is None else one + rest
        case _:
            return None


def walk(top: ast.AST) -> list[ast.AST]:
    """All nodes, as `ast.walk` gives them but for contexts, and several times as fast."""
    found = [top]
    for node in found:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                found.extend([it for it in value if isinstance(it, ast.AST)])
            elif isinstance(value, ast.AST) and name != "ctx":
                found.append(value)
    return found


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Those of a module or class, also under `if`, `try` and `with`, but not inside functions."""
    waiting = list(reversed(body))
    while waiting:
        statement = waiting.pop()
        yield statement
        if not isinstance(statement, FunctionNode | ast.ClassDef):
            waiting.extend(reversed(inner(statement)))


def inner(statement: ast.stmt) -> list[ast.stmt]:
    """The statements directly inside a compound one."""
    found: list[ast.stmt] = []
    for name in ("body", "orelse", "finalbody"):
        found.extend(getattr(statement, name, ()))
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        found.extend(part.body)
    return found


def expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """All that a statement evaluates itself, leaving out the statements inside it."""
    waiting: deque[ast.AST] = deque(
        child
        for child in ast.iter_child_nodes(statement)
        if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)
    )
    while waiting:
        node = waiting.popleft()
        if isinstance(node, ast.expr):
            yield node
        waiting.extend(ast.iter_child_nodes(node))


def is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


# --- Python code of a product that imports the test runner to find out whether it is there.

ABOUT_TESTS = re.compile(r"(?i).*(?:test|fixture|plugin|doctest|mock|coverage).*")


def imports_runner(tree: ast.Module) -> Iterator[Mark]:
    """Inside a function, a `try` or an `if`; a module that is about tests may import it."""
    waiting: list[tuple[ast.stmt, bool, bool]] = [(it, False, False) for it in tree.body]
    while waiting:
        node, is_inside, is_tried = waiting.pop()
        names = _modules(node)
        is_asked = (is_inside and any(it in ("pytest", "_pytest") for it in names)) or (
            is_tried and "unittest" in names
        )
        if is_asked:
            yield Mark(node.lineno, shown(node)[:160], "runner")
        if isinstance(node, FunctionNode | ast.ClassDef) and ABOUT_TESTS.fullmatch(node.name):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in shown(node.test):
            continue
        is_tried = is_tried or isinstance(node, ast.Try)
        is_deeper = is_inside or isinstance(node, FunctionNode | ast.Try | ast.If)
        waiting.extend((it, is_deeper, is_tried) for it in inner(node))


def _modules(node: ast.stmt) -> set[str]:
    match node:
        case ast.Import(names=names):
            return {it.name.partition(".")[0] for it in names if it.name != "unittest.mock"}
        case ast.ImportFrom(module=str(module)) if not module.startswith("unittest.mock"):
            return {module.partition(".")[0]}
        case _:
            return set()
