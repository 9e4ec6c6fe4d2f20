"""The Python functions that are no tests, and which of them do nothing."""

import ast
import re
from collections.abc import Iterator

from topkick.inspection.inventory import Function
from topkick.inspection.languages.python.cases import is_test, is_test_class
from topkick.inspection.languages.python.names import (
    FunctionNode,
    dotted,
    is_docstring,
    last,
    shown,
    statements,
    string,
    walk,
)

UNFINISHED = re.compile(
    r"(?i)not[\s_-]*(?:yet[\s_-]*)?(?:be(?:en)?[\s_-]*)?(?:implemented|done|supported yet|"
    r"written|finished)|\bto-?do\b|\bfixme\b"
    r"|unimplemented|\bstub\b|placeholder|coming soon|implement (?:me|this)"
)
ABSTRACT = frozenset(
    (
        "abstractmethod",
        "abstractproperty",
        "abstractclassmethod",
        "overload",
        "abstractstaticmethod",
    )
)
TALKING = frozenset(("print", "debug", "info", "warning", "warn", "error", "log"))


def functions(tree: ast.Module, is_test_file: bool, is_declaration: bool) -> tuple[Function, ...]:
    """`is_declaration`: the file is a `.pyi` and has no bodies at all."""
    return tuple(_in_block(tree.body, "", is_test_file, is_declaration))


def _in_block(
    body: list[ast.stmt], prefix: str, has_tests: bool, is_abstract: bool
) -> Iterator[Function]:
    waiting = [(body, prefix, has_tests, is_abstract)]
    while waiting:
        block, prefix, has_tests, is_abstract = waiting.pop(0)
        for statement in statements(block):
            match statement:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    if not (has_tests and is_test(statement)):
                        yield _function(statement, prefix, is_abstract)
                case ast.ClassDef(name=name, body=inside):
                    tests = (has_tests and is_test_class(statement)) or _is_unittest(statement)
                    is_open = is_abstract or _is_protocol(statement)
                    waiting.append((inside, f"{prefix}{name}.", tests, is_open))
                case _:
                    pass


def _is_unittest(node: ast.ClassDef) -> bool:
    return any(last(base).endswith("TestCase") for base in node.bases)


def _is_protocol(node: ast.ClassDef) -> bool:
    return any(_base(base) in ("Protocol", "Interface") for base in node.bases)


def _base(node: ast.expr) -> str:
    return last(node.value if isinstance(node, ast.Subscript) else node)


def _function(node: FunctionNode, prefix: str, is_abstract: bool) -> Function:
    stub, loud = _stub(node)
    is_meant = is_abstract or any(last(it) in ABSTRACT for it in node.decorator_list)
    return Function(
        name=f"{prefix}{node.name}",
        line=node.lineno,
        stub=stub,
        loud=loud,
        unused=_is_unused(node),
        is_abstract=is_meant,
    )


def parameters(node: FunctionNode) -> list[str]:
    given = node.args
    names = [it.arg for it in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    names.extend(it.arg for it in (given.vararg, given.kwarg) if it is not None)
    return [name for name in names if name not in ("self", "cls", "mcs")]


def _is_unused(node: FunctionNode) -> bool:
    names = set(parameters(node))
    if not names:
        return False
    inside = (part for statement in node.body for part in walk(statement))
    return not any(isinstance(part, ast.Name) and part.id in names for part in inside)


def _stub(node: FunctionNode) -> tuple[str, bool]:
    """Why it does nothing, and whether it says so itself."""
    body = [it for it in node.body if not is_docstring(it)]
    said = [it for it in body if _talks(it)]
    rest = [it for it in body if not _talks(it)]
    is_loud = any(UNFINISHED.search(shown(it)) for it in said)
    if said and not is_loud:
        return _raised(body[0])
    if not rest:
        return _empty(node), is_loud
    stub, loud = _raised(rest[0])
    if not stub:
        stub = _returned(rest, parameters(node))
    return stub, bool(stub) and (loud or is_loud)


def _empty(node: FunctionNode) -> str:
    if any(isinstance(it, ast.Expr) and _is_dots(it) for it in node.body):
        return "..."
    return "only a docstring" if is_docstring(node.body[0]) else "only a message"


def _is_dots(statement: ast.Expr) -> bool:
    return isinstance(statement.value, ast.Constant) and statement.value.value is ...


def _talks(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Call() as call):
            return last(call) in TALKING
        case _:
            return False


def _raised(statement: ast.stmt) -> tuple[str, bool]:
    match statement:
        case ast.Raise(exc=ast.expr() as raised):
            if last(raised) == "NotImplementedError":
                return "raise NotImplementedError", True
            says = [string(it) or "" for it in getattr(raised, "args", ())]
            is_unfinished = any(UNFINISHED.search(text) for text in says)
            return (f"raise {shown(raised)}", True) if is_unfinished else ("", False)
        case ast.Assert(test=ast.Constant(value=False | 0), msg=message):
            if message is not None and UNFINISHED.search(shown(message)):
                return shown(statement), True
            return "", False
        case _:
            return "", False


def _returned(body: list[ast.stmt], names: list[str]) -> str:
    match body:
        case [ast.Pass(), *rest] if not rest:
            return "pass"
        case [ast.Pass(), *rest]:
            return _returned(rest, names)
        case [ast.Return(value=None), *_]:
            return "return"
        case [ast.Return(value=ast.expr() as value), *_]:
            return f"return {shown(value)}"[:80] if _is_nothing(value, names) else ""
        case [
            ast.Assign(targets=[ast.Name(id=name)], value=value),
            ast.Return(value=ast.Name(id=again)),
        ] if name == again and _is_nothing(value, []):
            return f"return {shown(value)}"[:80]
        case _:
            return ""


def _is_nothing(value: ast.expr, names: list[str]) -> bool:
    match value:
        case ast.Constant():
            return True
        case ast.UnaryOp(operand=ast.Constant()):
            return True
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Tuple(elts=elements):
            return all(isinstance(it, ast.Constant) for it in elements)
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[]):
            return name in ("dict", "list", "set", "tuple", "str", "int", "frozenset", "float")
        case ast.Name(id=name):
            return name in names or name == "NotImplemented"
        case _:
            return dotted(value) == "NotImplemented"
