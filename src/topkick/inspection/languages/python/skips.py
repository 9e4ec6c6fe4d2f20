"""What keeps a Python test from running: marks, decorators, calls in its body."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from topkick.inspection.languages.python.names import (
    FunctionNode,
    dotted,
    inner,
    last,
    shown,
    statements,
    walk,
)
from topkick.inspection.languages.python.truth import always

MARKS = frozenset(("skip", "skipif", "xfail", "skipIf", "skipUnless", "expectedFailure"))
CALLS = frozenset(("skip", "xfail", "skipTest", "importorskip"))
OWNERS = ("mark", "pytest", "unittest", "py", "testtools", "unittest2", "case", "skipping", "self")


@dataclass(frozen=True, slots=True)
class Skip:
    text: str = ""
    condition: str = ""


NO_SKIP = Skip()


def aliases(body: list[ast.stmt]) -> dict[str, Skip]:
    """`needs_network = pytest.mark.skipif(…)`, used as `@needs_network` later."""
    found: dict[str, Skip] = {}
    for statement in statements(body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name != "pytestmark":
                skip = mark(value, {})
                if skip.text:
                    found[name] = skip
            case _:
                pass
    return found


def mark(node: ast.expr, known: dict[str, Skip]) -> Skip:
    """The skip that a decorator or a mark is, if it is one."""
    if isinstance(node, ast.List | ast.Tuple):
        return first(mark(it, known) for it in node.elts)
    name = dotted(node)
    owner, _, word = name.rpartition(".")
    if name in known:
        return known[name]
    if word in MARKS and (not owner or owner.rpartition(".")[2] in OWNERS):
        return Skip(name, _condition(node, word))
    if word in ("param", "parametrize"):
        return _of_parameters(node)
    return NO_SKIP


def first(skips: Iterable[Skip]) -> Skip:
    """An unconditional one, if there is any."""
    found = NO_SKIP
    for skip in skips:
        if skip.text and (not found.text or (found.condition and not skip.condition)):
            found = skip
    return found


def _condition(node: ast.expr, word: str) -> str:
    if not isinstance(node, ast.Call):
        return ""
    given = [it.value for it in node.keywords if it.arg == "condition"]
    may_have_one = word in ("skipif", "skipIf", "skipUnless", "xfail")
    condition = given[0] if given else node.args[0] if node.args and may_have_one else None
    if condition is None or always(condition) is (word != "skipUnless"):
        return ""
    return f"not ({shown(condition)})" if word == "skipUnless" else shown(condition)


def _of_parameters(node: ast.expr) -> Skip:
    for part in walk(node):
        if isinstance(part, ast.keyword) and part.arg == "marks":
            skip = mark(part.value, {})
            if skip.text:
                return Skip(skip.text, "of one set of parameters")
    return NO_SKIP


def of_decorators(node: FunctionNode | ast.ClassDef, known: dict[str, Skip]) -> Skip:
    return first(mark(decorator, known) for decorator in node.decorator_list)


def of_class_body(node: ast.ClassDef, known: dict[str, Skip]) -> Skip:
    """`pytestmark = …` and `__test__ = False` in a class."""
    return first(assigned(statement, known) for statement in node.body)


def assigned(statement: ast.stmt, known: dict[str, Skip]) -> Skip:
    match statement:
        case (
            ast.Assign(targets=[ast.Name(id="pytestmark")], value=value)
            | ast.AnnAssign(target=ast.Name(id="pytestmark"), value=ast.expr() as value)
        ):
            return mark(value, known)
        case ast.Assign(targets=[ast.Name(id="__test__")], value=value) if always(value) is False:
            return Skip("__test__ = False")
        case _:
            return NO_SKIP


def of_body(function: FunctionNode) -> Skip:
    """A call of `pytest.skip()` or the like, with the condition it is under."""
    skips: list[Skip] = []
    waiting: list[tuple[list[ast.stmt], str]] = [(function.body, "")]
    while waiting:
        block, condition = waiting.pop()
        for statement in block:
            text = skipping(statement)
            if text:
                skips.append(Skip(text, condition))
            if isinstance(statement, FunctionNode | ast.ClassDef):
                continue
            waiting.extend(inside(statement, condition))
    return first(skips)


def is_automatic(function: FunctionNode) -> bool:
    """A fixture with `autouse=True`."""
    return any(
        keyword.arg == "autouse" and always(keyword.value) is not False
        for it in function.decorator_list
        if isinstance(it, ast.Call) and last(it) == "fixture"
        for keyword in it.keywords
    )


def inside(statement: ast.stmt, condition: str) -> list[tuple[list[ast.stmt], str]]:
    match statement:
        case ast.If(test=test, body=body, orelse=orelse):
            truth = always(test)
            shown_test = "" if truth is True else shown(test)
            taken = [] if truth is False else [(body, condition or shown_test)]
            return [*taken, (orelse, condition or f"not ({shown_test})")]
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=last_block):
            caught = [(it.body, condition or _caught(it)) for it in handlers]
            return [(body, condition), *caught, (orelse, condition), (last_block, condition)]
        case ast.For() | ast.While() | ast.Match():
            return [(inner(statement), condition or "in a loop or match")]
        case _:
            return [(inner(statement), condition)]


def _caught(handler: ast.ExceptHandler) -> str:
    return f"except {shown(handler.type)}" if handler.type else "except"


def skipping(statement: ast.stmt) -> str:
    """The name of what skips, if this statement does."""
    match statement:
        case ast.Raise(exc=ast.expr() as raised) if last(raised) in ("SkipTest", "Skipped"):
            return shown(raised)
        case ast.Expr(value=ast.Call() as call) | ast.Return(value=ast.Call() as call):
            name = dotted(call)
            owner, _, word = name.rpartition(".")
            is_known = word in CALLS and owner in ("", "pytest", "self", "unittest", "py.test")
            return f"{name}()" if is_known and _is_met(call, word) else ""
        case ast.Assign(value=ast.Call() as call) if last(call) == "importorskip":
            return shown(call)
        case _:
            return ""


def _is_met(call: ast.Call, word: str) -> bool:
    """A function of one's own called `skip` would get something else than a reason."""
    return word != "skip" or len(call.args) <= 1
