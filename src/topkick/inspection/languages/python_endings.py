"""Python code that ends the whole process, and the test run with it, or leaves a test early."""

import ast
from collections.abc import Iterator

from topkick.inspection.inventory import Mark
from topkick.inspection.languages.python_names import FunctionNode, dotted, last, shown, walk

MAINS = frozenset(("main", "_main", "__main__", "cli", "run_cli", "entry_point", "amain"))
WORDS = frozenset(("_exit", "abort", "kill", "SkipTest", "Exception"))
DEADLY = frozenset(("SIGKILL", "SIGABRT", "9", "6"))


def endings(tree: ast.Module, nodes: list[ast.AST], is_tests: bool) -> Iterator[Mark]:
    """`os._exit(0)` and the like, but for a program's own end and the children of a fork.

    A code that is not 0 shows itself. `is_tests`: tests may skip.
    """
    if not any(_is_telling(node) for node in nodes):
        return
    has_children = any(_is_fork(node) for node in nodes)
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if _is_main(node):
            continue
        if isinstance(node, FunctionNode) and _forks(node):
            continue
        if isinstance(node, ast.Call) and (name := _ending(node, has_children)):
            yield Mark(node.lineno, shown(node).partition("\n")[0][:160], name)
        if not is_tests and isinstance(node, ast.Raise) and _skips(node):
            yield Mark(node.lineno, shown(node).partition("\n")[0][:160], "SkipTest")
        waiting.extend(ast.iter_child_nodes(node))


def _is_telling(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.alias(name=name):
            return name in WORDS
        case _:
            return False


def is_main_guard(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "__name__" in shown(node.test)


def _is_main(node: ast.AST) -> bool:
    if isinstance(node, FunctionNode):
        return node.name in MAINS
    return is_main_guard(node)


def _forks(function: FunctionNode) -> bool:
    return any(map(_is_fork, walk(function)))


def _is_fork(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last(node) in ("fork", "forkpty")


def _ending(call: ast.Call, has_children: bool) -> str:
    """`has_children`: where there is a fork, a code that is handed on is a child's."""
    name = dotted(call)
    match name:
        case "os._exit" | "_exit":
            if has_children and call.args and not isinstance(call.args[0], ast.Constant):
                return ""
            return "" if call.args and _is_failure(call.args[0]) else name
        case "os.abort":
            return name
        case "os.kill" if len(call.args) == 2 and last(call.args[0]) == "getpid":
            signal = call.args[1]
            word = str(signal.value) if isinstance(signal, ast.Constant) else last(signal)
            return name if word in DEADLY else ""
        case "atexit.register":
            return name if any(_is_exit(it) for it in call.args) else ""
        case _:
            return ""


def _is_failure(code: ast.expr) -> bool:
    return isinstance(code, ast.Constant) and code.value not in (0, False, None)


def _is_exit(argument: ast.expr) -> bool:
    names = (it for it in walk(argument) if isinstance(it, ast.Attribute | ast.Name))
    return any(dotted(it) in ("os._exit", "_exit") for it in names)


def _skips(node: ast.Raise) -> bool:
    return node.exc is not None and dotted(node.exc) in (
        "unittest.SkipTest",
        "SkipTest",
        "pytest.skip.Exception",
    )
