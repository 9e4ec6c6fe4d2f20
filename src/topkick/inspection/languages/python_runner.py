"""Python code of a product that imports the test runner to find out whether it is there."""

import ast
import re
from collections.abc import Iterator

from topkick.inspection.inventory import Mark
from topkick.inspection.languages.python_names import FunctionNode, inner, shown

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
