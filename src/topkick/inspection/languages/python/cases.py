"""The tests in a Python file, as pytest and unittest would collect them."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from topkick.inspection.inventory import Mark, TestCase
from topkick.inspection.languages.python import skips
from topkick.inspection.languages.python.assertions import Checks, FunctionNames, checks
from topkick.inspection.languages.python.names import (
    FunctionNode,
    dotted,
    last,
    shown,
    statements,
    walk,
)
from topkick.inspection.languages.python.skips import NO_SKIP, Skip, first


@dataclass(frozen=True, slots=True)
class Around:
    """What a test stands in: the names of its classes, and their skips."""

    prefix: str
    skip: Skip
    names: FunctionNames
    known: dict[str, Skip]
    plain: frozenset[str] = frozenset()
    is_awaited: bool = True


AWAITING = ("asyncio", "anyio", "trio", "gen_test", "tornado", "async_test", "inlineCallbacks")
SETTING_UP = ("setUp", "setUpClass", "setup_method", "setup_class", "asyncSetUp")


def cases(tree: ast.Module, names: FunctionNames, is_test_file: bool) -> tuple[TestCase, ...]:
    known = skips.aliases(tree.body)
    whole = first(skips.assigned(statement, known) for statement in statements(tree.body))
    around = Around("", whole, names, known, _plain_cases(tree))
    return tuple(_in_block(tree.body, around, is_test_file).values())


def _plain_cases(tree: ast.Module) -> frozenset[str]:
    """The names of classes that call a coroutine and never await it; Django's does."""
    named = (
        name.asname or name.name
        for it in tree.body
        if isinstance(it, ast.ImportFrom) and it.module in ("unittest", "unittest.case")
        for name in it.names
        if name.name == "TestCase"
    )
    return frozenset((*named, "unittest.TestCase"))


def is_test(function: FunctionNode) -> bool:
    """A fixture may be called `test_client`."""
    is_fixture = any(last(it) in ("fixture", "nottest") for it in function.decorator_list)
    return function.name.startswith("test") and not is_fixture


def is_test_class(node: ast.ClassDef) -> bool:
    bases = [last(base) for base in node.bases]
    if any(base.endswith(("TestCase", "Test", "Tests", "TestBase", "Case")) for base in bases):
        return True
    is_mixin = any(word in node.name for word in ("Mixin", "Base", "Abstract", "Common"))
    return node.name.startswith("Test") or ("Test" in node.name and (is_mixin or bool(bases)))


def _in_block(body: list[ast.stmt], around: Around, is_open: bool) -> dict[str, TestCase]:
    """The later of two tests of the same name is the one that runs."""
    found: dict[str, TestCase] = {}
    for statement in statements(body):
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if is_open and is_test(statement):
                case = _case(statement, around)
                found.pop(case.name, None)
                found[case.name] = case
            case ast.ClassDef() if is_test_class(statement) and (
                is_open or _is_unittest(statement)
            ):
                inside = replace(
                    around,
                    prefix=f"{around.prefix}{statement.name}::",
                    skip=first((_of_class(statement, around), around.skip)),
                    is_awaited=not any(dotted(it) in around.plain for it in statement.bases),
                )
                found.update(_in_block(statement.body, inside, True))
            case _:
                for name in _unbound(statement):
                    found.pop(f"{around.prefix}{name}", None)
    return found


def _is_unittest(node: ast.ClassDef) -> bool:
    return any(last(base).endswith("TestCase") for base in node.bases)


def _of_class(node: ast.ClassDef, around: Around) -> Skip:
    has_init = any(isinstance(it, FunctionNode) and it.name == "__init__" for it in node.body)
    uncollected = Skip("a test class with __init__") if has_init and not node.bases else NO_SKIP
    decorated = skips.of_decorators(node, around.known)
    before = first(
        skips.of_body(it)
        for it in node.body
        if isinstance(it, FunctionNode) and (it.name in SETTING_UP or skips.is_automatic(it))
    )
    return first((decorated, skips.of_class_body(node, around.known), uncollected, before))


def _unbound(statement: ast.stmt) -> Iterator[str]:
    """Names that no longer mean a test: `test_total = None`, `del test_total`."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign | ast.Delete):
        targets = statement.targets
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id
            continue
        name = dotted(target)
        if isinstance(target, ast.Attribute) and "." in name:
            yield name.replace(".", "::")


def _case(function: FunctionNode, around: Around) -> TestCase:
    found = checks(function, around.names)
    if _is_never_awaited(function, around):
        found = Checks([], found.hollow + len(found.assertions))
    own = first((skips.of_decorators(function, around.known), skips.of_body(function)))
    skip = first((own, around.skip))
    return TestCase(
        name=f"{around.prefix}{function.name}",
        line=function.lineno,
        assertions=tuple(found.assertions),
        hollow=found.hollow,
        skip=skip.text,
        skip_if=skip.condition,
        essence=_essence(function, around.known),
    )


def _is_never_awaited(function: FunctionNode, around: Around) -> bool:
    """A coroutine that awaits nothing and has no mark has no reason to be one."""
    if not isinstance(function, ast.AsyncFunctionDef):
        return False
    marks = " ".join(shown(it) for it in function.decorator_list)
    if not around.is_awaited:
        return not marks
    waits = (ast.Await, ast.AsyncWith, ast.AsyncFor)
    is_waiting = any(isinstance(it, waits) for it in walk(function))
    return not is_waiting and not any(word in marks for word in AWAITING)


def _essence(function: FunctionNode, known: dict[str, Skip]) -> str:
    marks = [
        f"@{shown(it)}"
        for it in function.decorator_list
        if not skips.mark(it, known).text or last(it) == "parametrize"
    ]
    if isinstance(function, ast.AsyncFunctionDef):
        marks.append("async")
    return "\n".join([*marks, f"({shown(function.args)})", *map(shown, function.body)])


def whole_skips(tree: ast.Module) -> tuple[Mark, ...]:
    """What keeps the whole file from being collected."""
    known = skips.aliases(tree.body)
    return tuple(_whole_skips(tree.body, known, ""))


def _whole_skips(body: list[ast.stmt], known: dict[str, Skip], condition: str) -> Iterator[Mark]:
    waiting = [(body, condition)]
    while waiting:
        block, condition = waiting.pop()
        for statement in block:
            text = skips.skipping(statement) or _shown_skip(skips.assigned(statement, known))
            if _is_collect_ignore(statement):
                text = shown(statement)
            if isinstance(statement, FunctionNode) and (found := _for_all(statement)):
                yield Mark(statement.lineno, found[:160], statement.name)
            if text:
                shown_text = f"if {condition}: {text}" if condition else text
                yield Mark(statement.lineno, shown_text[:160], text.partition("(")[0][:60])
            if not isinstance(statement, FunctionNode | ast.ClassDef):
                waiting.extend(skips.inside(statement, condition))


def _for_all(function: FunctionNode) -> str:
    """A fixture that every test gets, or `setup_module`, and that skips."""
    if not skips.is_automatic(function) and function.name not in ("setUpModule", "setup_module"):
        return ""
    skip = skips.of_body(function)
    if not skip.text:
        return ""
    return f"if {skip.condition}: {skip.text}" if skip.condition else skip.text


def _shown_skip(skip: Skip) -> str:
    return f"{skip.text}({skip.condition})" if skip.condition else skip.text


def _is_collect_ignore(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(
            targets=[ast.Name(id="collect_ignore" | "collect_ignore_glob")], value=value
        ):
            return not (isinstance(value, ast.List) and not value.elts)
        case ast.AugAssign(target=ast.Name(id="collect_ignore" | "collect_ignore_glob")):
            return True
        case ast.Expr(value=ast.Call(func=function)):
            return dotted(function).startswith("collect_ignore")
        case _:
            return False
