"""Python code that changes the test framework, a runner or the interpreter itself."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from topkick.inspection.inventory import Mark
from topkick.inspection.languages.python.names import (
    FunctionNode,
    dotted,
    last,
    shown,
    string,
    walk,
)
from topkick.inspection.languages.python.replaced import replaced

# --- Python code that ends the whole process, and the test run with it, or leaves a test early.

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


FRAMEWORK = re.compile(
    r"(?:_?pytest|unittest|builtins|__builtins__|_pytest|doctest|nose|pluggy|coverage|"
    r"hypothesis)(?:\..+)?"
    r"|(?:[a-z_]\w*\.)*(?:TestCase|TestResult|TextTestResult|TestReport|CallInfo|TestRunner|"
    r"TextTestRunner|TestSuite|TestLoader)(?:\..+)?"
)
INTERPRETER = re.compile(
    r"sys\.(?:modules|exit|settrace|setprofile|excepthook|unraisablehook|meta_path|path_hooks|"
    r"exitcode)"
    r"|os\.(?:_exit|abort|kill)|importlib\.(?:import_module|reload)|subprocess\.(?:run|call|"
    r"check_call|check_output|Popen)"
)
HOOKS = re.compile(
    r"pytest_(?:collection\w*|collect_\w+|itemcollected|deselected|runtest_\w+|pyfunc_call|"
    r"sessionstart|sessionfinish|ignore_collect"
    r"|configure|cmdline_\w+|load_initial_conftests|report_\w+|exception_interact|"
    r"assertrepr_compare|assertion_pass"
    r"|make_collect_report|pycollect_\w+|generate_tests|fixture_setup|terminal_summary|"
    r"unconfigure|internalerror|keyboard_interrupt|plugin_registered|addhooks)"
)
EXITS = frozenset(("sys.exit", "os._exit", "exit", "quit", "os.abort", "pytest.exit", "_exit"))
OWN_AFFAIR = frozenset(("sys.excepthook", "sys.unraisablehook", "sys.meta_path", "sys.path_hooks"))
REPLACING = ("monkeypatch.setattr", "mocker.patch", "patch", "mock.patch", "unittest.mock.patch")


@dataclass(frozen=True, slots=True)
class PatchedPlace:
    """`is_tests`: the file lies among the tests. `is_run_by_tests`: the runner itself imports it;
    a program may well end by itself."""

    is_tests: bool = False
    is_run_by_tests: bool = False
    is_conftest: bool = False


def patches(
    tree: ast.Module, nodes: list[ast.AST], functions: list[FunctionNode], place: PatchedPlace
) -> tuple[Mark, ...]:
    known = _aliases(nodes)
    found = [*_everywhere(nodes, known), *_hooks(functions)]
    if place.is_run_by_tests:
        found.extend(_at_import(tree.body))
    else:
        found = [mark for mark in found if mark.name not in OWN_AFFAIR]
    found.extend(endings(tree, nodes, place.is_tests or place.is_conftest))
    if place.is_tests or place.is_conftest:
        found.extend(replaced(tree, nodes, place.is_conftest))
    once = {(mark.line, mark.name): mark for mark in reversed(found)}
    return tuple(sorted(once.values(), key=lambda mark: mark.line))


def _aliases(nodes: list[ast.AST]) -> dict[str, str]:
    """Names that stand for a part of the framework: `import _pytest.python as runner`."""
    known: dict[str, str] = {}
    for node in nodes:
        match node:
            case ast.Import(names=names):
                given = [(it.asname, it.name) for it in names if it.asname]
            case ast.ImportFrom(module=str(module), names=names):
                given = [(it.asname or it.name, f"{module}.{it.name}") for it in names]
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                given = [(name, _module(value))]
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                given = [(name, _module(value))]
            case _:
                continue
        known.update((name, whole) for name, whole in given if name and _is_framework(whole))
    return known


def _module(value: ast.expr) -> str:
    """`sys.modules.get("_pytest.python")`, `importlib.import_module("pytest")`."""
    match value:
        case ast.Call(args=[first, *_]) if last(value) in ("get", "import_module", "__import__"):
            return string(first) or ""
        case ast.Subscript(value=owner, slice=key) if dotted(owner) == "sys.modules":
            return string(key) or ""
        case _:
            return ""


def _mark(node: ast.stmt | ast.expr, name: str) -> Mark:
    return Mark(node.lineno, shown(node).partition("\n")[0][:160], name)


def _everywhere(nodes: list[ast.AST], known: Mapping[str, str]) -> Iterator[Mark]:
    for node in nodes:
        match node:
            case ast.Assign(targets=targets):
                for target in targets:
                    if name := _changed(target, known):
                        yield _mark(node, name)
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                if name := _changed(target, known):
                    yield _mark(node, name)
            case ast.Delete(targets=targets):
                for target in targets:
                    if (name := _changed(target, known)) and not name.startswith("sys.modules"):
                        yield _mark(node, name)
            case ast.Call() if name := _called(node):
                yield _mark(node, name)
            case _:
                pass


def _changed(target: ast.expr, known: Mapping[str, str]) -> str:
    """Whose attribute an assignment changes, if it is not one's own."""
    if isinstance(target, ast.Subscript):
        owner = dotted(target.value)
        key = string(target.slice) or ""
        if owner in ("sys.modules", "modules") and _is_framework(key):
            return f"sys.modules[{key}]"
        return owner if owner in ("__builtins__", "builtins.__dict__") else ""
    if not isinstance(target, ast.Attribute):
        return ""
    name = _whole(dotted(target), known)
    owner = _whole(dotted(target.value), known)
    is_own = owner in ("self", "cls") or not owner
    if not is_own and _is_framework(owner):
        return "" if name.endswith((".maxDiff", ".longMessage")) else name
    return name if INTERPRETER.fullmatch(name) else ""


def _whole(name: str, known: Mapping[str, str]) -> str:
    first, dot, rest = name.partition(".")
    return f"{known[first]}{dot}{rest}" if first in known else name


def _is_framework(name: str) -> bool:
    return bool(FRAMEWORK.fullmatch(name)) and not name.startswith("unittest.mock")


def _called(call: ast.Call) -> str:
    name = dotted(call)
    if name in ("sys.settrace", "sys.setprofile", "sys.addaudithook"):
        return name
    if name == "atexit.register" and any(_exits(argument) for argument in call.args):
        return name
    if name in ("setattr", "object.__setattr__", "delattr", "type.__setattr__") and call.args:
        owner = dotted(call.args[0])
        return f"{name}({owner})" if _is_framework(owner) or owner == "sys" else ""
    if name in REPLACING or name.endswith((".patch", "patch.object", "monkeypatch.setattr")):
        return _replaced(call, name)
    is_dict = name in ("globals().update", "vars") and bool(call.args)
    return name if is_dict and any(_is_framework(dotted(it)) for it in call.args) else ""


def _replaced(call: ast.Call, name: str) -> str:
    """Tests replace `builtins.open` or `sys.exit` every day, but not the framework."""
    if not call.args:
        return ""
    target = string(call.args[0]) or dotted(call.args[0])
    second = string(call.args[1]) if len(call.args) > 1 else ""
    whole = f"{target}.{second}" if second else target
    is_ours = whole.startswith(("_pytest", "pytest.")) or ".TestCase" in whole
    return f"{name}({whole})" if is_ours else ""


def _exits(node: ast.AST) -> bool:
    return any(
        (isinstance(part, ast.Call) and dotted(part) in EXITS)
        or (isinstance(part, ast.Attribute) and dotted(part) in ("os._exit", "sys.exit"))
        for part in walk(node)
    )


def _at_import(body: list[ast.stmt]) -> Iterator[Mark]:
    """`sys.exit(0)` and the like outside functions."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, FunctionNode | ast.ClassDef | ast.Lambda) or is_main_guard(node):
            continue
        if isinstance(node, ast.Call) and dotted(node) in EXITS:
            yield _mark(node, dotted(node))
        waiting.extend(ast.iter_child_nodes(node))


def _is_plugin_hook(node: FunctionNode) -> bool:
    return bool(HOOKS.fullmatch(node.name))


def _hooks(functions: list[FunctionNode]) -> Iterator[Mark]:
    for node in functions:
        if _is_plugin_hook(node):
            if not _is_harmless(node):
                yield Mark(node.lineno, f"def {node.name}: {_body(node)}"[:400], node.name)
        elif node.name == "load_tests" and len(node.args.args) == 3:
            yield Mark(node.lineno, f"def {node.name}: {_body(node)}"[:400], node.name)


def _body(node: FunctionNode) -> str:
    return "; ".join(shown(it) for it in node.body)


def _is_harmless(node: FunctionNode) -> bool:
    """Registering a marker changes no outcome; nor does a heading of the report."""
    if node.name in ("pytest_report_header", "pytest_addhooks", "pytest_assertrepr_compare"):
        return True
    if node.name != "pytest_configure":
        return False
    calls = [it for statement in node.body for it in walk(statement) if isinstance(it, ast.Call)]
    others = [it for statement in node.body for it in walk(statement) if isinstance(it, ast.Assign)]
    return not others and all(last(call) == "addinivalue_line" for call in calls)
