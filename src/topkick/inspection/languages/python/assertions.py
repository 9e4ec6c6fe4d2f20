"""The assertions of a Python function: those that can fail, and how many cannot."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from topkick.inspection.languages.python.names import (
    FunctionNode,
    dotted,
    expressions,
    inner,
    is_docstring,
    last,
    shown,
    walk,
)
from topkick.inspection.languages.python.truth import always, constants_of, is_constant

BROAD = frozenset(("Exception", "BaseException", "AssertionError"))
SKIPPING = frozenset(("skip", "xfail", "skipTest", "importorskip", "SkipTest"))
FAILING = frozenset(("fail", "exit", "_exit", "abort"))
RAISING = frozenset(("raises", "warns", "deprecated_call"))
TALKING = frozenset(("print", "debug", "info", "warning", "warn", "error", "exception", "log"))
CHECKING = ("assert", "expect", "check_", "verify_", "ensure_", "validate_", "should_", "must_")
ONE_VALUE = frozenset(
    ("assertTrue", "assertFalse", "assertIsNone", "assertIsNotNone", "assert_", "failIf")
)
OWN_WORDS = frozenset(("assert_never", "assert_type"))


@dataclass(slots=True)
class Checks:
    assertions: list[str] = field(default_factory=list)
    hollow: int = 0


@dataclass(frozen=True, slots=True)
class FunctionNames:
    """Functions of the file: `checking` assert something, the other `defined` ones do not."""

    checking: frozenset[str] = frozenset()
    defined: frozenset[str] = frozenset()


def checks(function: FunctionNode, names: FunctionNames) -> Checks:
    found = Checks()
    nodes = walk(function)
    if not any(isinstance(node, ast.Assert | ast.Call) for node in nodes):
        return found
    constants = constants_of(nodes)
    used = _used_names(nodes)
    waiting = [(function.body, False)]
    while waiting:
        block, is_dead = waiting.pop()
        for statement in block:
            for text, is_hollow in _own(statement, names, constants):
                if is_dead or is_hollow:
                    found.hollow += 1
                else:
                    found.assertions.append(text)
            waiting.extend(_blocks(statement, is_dead, constants, used))
            is_dead = is_dead or ends(statement)
    return found


def _used_names(nodes: list[ast.AST]) -> frozenset[str]:
    return frozenset(
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )


def names_of(functions: list[FunctionNode]) -> FunctionNames:
    """Which functions assert something, by themselves or through one another."""
    defined = frozenset(function.name for function in functions)
    callers: dict[str, set[str]] = {}
    for function in functions:
        for node in walk(function):
            if isinstance(node, ast.Call) and (name := last(node.func)) in defined:
                callers.setdefault(name, set()).add(function.name)
    nothing = FunctionNames(frozenset(), defined)
    called = [function for function in functions if function.name in callers]
    checking = {f.name for f in called if checks(f, nothing).assertions}
    waiting = list(checking)
    while waiting:
        for name in callers.get(waiting.pop(), ()):
            if name not in checking:
                checking.add(name)
                waiting.append(name)
    return FunctionNames(frozenset(checking), defined)


def ends(statement: ast.stmt, deep: int = 0) -> bool:
    """Whether what comes after it never runs."""
    match statement:
        case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
            return True
        case ast.Assert(test=test):
            return always(test) is False
        case ast.Expr(value=ast.Call() as call):
            name = dotted(call)
            return name.rpartition(".")[2] in SKIPPING | FAILING and name != "self.fail_"
        case ast.If(test=test, body=body, orelse=orelse) if deep < 4:
            in_body = any(ends(it, deep + 1) for it in body)
            if always(test) is True:
                return in_body
            return in_body and any(ends(it, deep + 1) for it in orelse)
        case ast.With(body=body) if deep < 4 and not _may_swallow(statement):
            return any(ends(it, deep + 1) for it in body)
        case _:
            return False


def _may_swallow(statement: ast.With) -> bool:
    return any(isinstance(item.context_expr, ast.Call) for item in statement.items)


def _blocks(
    statement: ast.stmt, is_dead: bool, constants: dict[str, bool], used: frozenset[str]
) -> list[tuple[list[ast.stmt], bool]]:
    match statement:
        case (
            ast.If(test=test, body=body, orelse=orelse)
            | ast.While(test=test, body=body, orelse=orelse)
        ):
            truth = always(test, constants)
            return [(orelse, is_dead or truth is True), (body, is_dead or truth is False)]
        case ast.For(iter=over, body=body, orelse=orelse):
            return [(orelse, is_dead), (body, is_dead or _is_empty(over))]
        case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
            return [(body, is_dead or any(_suppresses(it.context_expr) for it in items))]
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
            lost = any(map(_swallows, handlers)) or any(
                isinstance(s, ast.Return) for s in finalbody
            )
            rest = [(handler.body, is_dead) for handler in handlers]
            return [(finalbody, is_dead), *rest, (orelse, is_dead), (body, is_dead or lost)]
        case ast.FunctionDef(name=name, body=body) | ast.AsyncFunctionDef(name=name, body=body):
            is_unused = name not in used and not statement.decorator_list
            return [(body, is_dead or is_unused)]
        case _:
            return [(inner(statement), is_dead)]


def _is_empty(over: ast.expr) -> bool:
    match over:
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]) | ast.Constant(value=""):
            return True
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=0)]):
            return True
        case _:
            return False


def _suppresses(manager: ast.expr) -> bool:
    if not isinstance(manager, ast.Call) or last(manager) != "suppress":
        return False
    return any(last(argument) in BROAD for argument in manager.args)


def _swallows(handler: ast.ExceptHandler) -> bool:
    """Whether a failed assertion ends here and nobody hears of it."""
    caught = handler.type
    types = caught.elts if isinstance(caught, ast.Tuple) else [caught] if caught else []
    if types and not any(last(it) in BROAD for it in types):
        return False
    return all(_says_nothing(statement) for statement in handler.body)


def _says_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Continue() | ast.Break() | ast.Return():
            return True
        case ast.Expr(value=ast.Call() as call):
            return last(call) in TALKING | SKIPPING
        case ast.Assert(test=test):
            return always(test) is True
        case _:
            return is_docstring(statement)


def _own(
    statement: ast.stmt, names: FunctionNames, constants: dict[str, bool]
) -> Iterator[tuple[str, bool]]:
    """The assertions of one statement with whether they cannot fail."""
    if isinstance(statement, ast.Assert):
        yield f"assert {shown(statement.test)}", always(statement.test, constants) is True
        return
    if isinstance(statement, FunctionNode | ast.ClassDef):
        return
    inside: set[int] = set()
    for node in expressions(statement):
        if isinstance(node, ast.Call) and id(node) not in inside and _is_check(node, names):
            inside.update(id(it) for it in _chain(node))
            yield _text(node), _cannot_fail(node, constants)


def _chain(node: ast.expr) -> Iterator[ast.expr]:
    """The calls that a chain like `expect(a).to.equal(b)` consists of."""
    while isinstance(node, ast.Call | ast.Attribute):
        yield node
        node = node.func if isinstance(node, ast.Call) else node.value


def _is_check(call: ast.Call, names: FunctionNames) -> bool:
    name = dotted(call)
    word = name.rpartition(".")[2]
    if word in names.defined:
        return word in names.checking
    if word in OWN_WORDS or not word:
        return False
    if word in RAISING or name in ("pytest.fail", "self.fail", "fail"):
        return True
    words = (word, name.partition(".")[0])
    return any(it.startswith(CHECKING) for it in words if it)


def _text(call: ast.Call) -> str:
    word = last(call)
    most = 1 if word in ONE_VALUE else 2 if word.startswith("assert") else len(call.args)
    is_message = len(call.args) > most and isinstance(call.args[-1], ast.Constant | ast.JoinedStr)
    args = call.args[:-1] if is_message else call.args
    keywords = [it for it in call.keywords if it.arg != "msg"]
    return shown(ast.Call(func=call.func, args=args, keywords=keywords))


def _cannot_fail(call: ast.Call, constants: dict[str, bool]) -> bool:
    word = last(call)
    if not word.startswith("assert") or not call.args:
        return False
    if not isinstance(call.func, ast.Name) and dotted(call).startswith(("mock", "m.")):
        return False
    first = call.args[0]
    if word in ("assertTrue", "assert_", "assert_true"):
        return always(first, constants) is True
    if word in ("assertFalse", "assert_false"):
        return always(first, constants) is False
    if word in ("assertIsNotNone", "assertIsNone", "assertIsInstance"):
        return is_constant(first, constants)
    if len(call.args) < 2 or not dotted(call).startswith(("self.", "cls.", "assert")):
        return False
    second = call.args[1]
    if is_constant(first, constants) and is_constant(second, constants):
        return word != "assert_called_once_with"
    is_same = word in ("assertEqual", "assertIs", "assertEquals", "assert_equal", "assertListEqual")
    return is_same and not isinstance(first, ast.Call) and shown(first) == shown(second)
