"""Which Python conditions are true or false whatever happens."""

import ast
from collections.abc import Collection, Iterable, Mapping

from topkick.inspection.languages.python.names import DEEPEST, last, shown, walk

NOTHING: Mapping[str, bool] = {}


def constants_of(nodes: Iterable[ast.AST]) -> dict[str, bool]:
    """Names that are bound once, to a written value, with its truth: `expected = 5`."""
    bound: dict[str, int] = {}
    values: dict[str, bool] = {}
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                bound[name] = bound.get(name, 0) + 1
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                bound.update(dict.fromkeys(names, 2))
            case ast.arg(arg=name):
                bound[name] = 2
            case _:
                pass
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name) and isinstance(node.value, ast.Constant):
                values[target.id] = bool(node.value.value)
    return {name: truth for name, truth in values.items() if bound.get(name) == 1}


def is_constant(node: ast.AST, names: Collection[str], deep: int = 0) -> bool:
    """Whether only written values take part."""
    match node:
        case ast.Constant():
            return True
        case ast.Name(id=name):
            return name in names
        case ast.Call() | ast.Attribute() | ast.Lambda() | ast.Await() | ast.NamedExpr():
            return False
        case ast.Starred() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return False
        case _ if deep > DEEPEST:
            return False
        case _:
            children = [it for it in ast.iter_child_nodes(node) if isinstance(it, ast.expr)]
            return all(is_constant(child, names, deep + 1) for child in children)


def always(node: ast.expr, names: Mapping[str, bool] = NOTHING, deep: int = 0) -> bool | None:
    """What it comes to whatever happens; None if that depends, or cannot be told."""
    if deep > DEEPEST:
        return None
    match node:
        case ast.Constant(value=value):
            return bool(value)
        case ast.Name(id=name):
            return names.get(name)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inside = always(operand, names, deep + 1)
            return None if inside is None else not inside
        case ast.BoolOp(op=op, values=values):
            return _always_joined(isinstance(op, ast.Or), values, names, deep)
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return bool(elements)
        case ast.Dict(keys=keys):
            return bool(keys)
        case ast.JoinedStr(values=values):
            return True if any(isinstance(it, ast.Constant) for it in values) else None
        case ast.Lambda() | ast.GeneratorExp():
            return True
        case ast.NamedExpr(value=value):
            return always(value, names, deep + 1)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _always_compared(left, op, right, names)
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id="object")]):
            return True
        case ast.Call(func=ast.Name(id="bool"), args=[only]):
            return always(only, names, deep + 1)
        case _:
            return True if is_constant(node, names) else None


def _always_joined(
    is_or: bool, values: list[ast.expr], names: Mapping[str, bool], deep: int
) -> bool | None:
    each = [always(value, names, deep + 1) for value in values]
    if is_or in each:
        return is_or
    if is_or and _has_opposites(values):
        return True
    return None if None in each else not is_or


def _has_opposites(values: list[ast.expr]) -> bool:
    negated = {shown(v.operand) for v in values if isinstance(v, ast.UnaryOp)}
    return bool(negated) and any(shown(value) in negated for value in values)


def _always_compared(
    left: ast.expr, op: ast.cmpop, right: ast.expr, names: Collection[str]
) -> bool | None:
    if is_constant(left, names) and is_constant(right, names):
        return _compared(left, op, right)
    if isinstance(op, ast.GtE) and _is_zero(right) and last(left) == "len":
        return True
    if isinstance(op, ast.Gt) and shown(right) == "-1" and last(left) == "len":
        return True
    if any(isinstance(it, ast.Call | ast.Await) for it in walk(left)):
        return None
    if isinstance(op, ast.In) and isinstance(right, ast.Tuple | ast.List | ast.Set):
        return True if shown(left) in [shown(it) for it in right.elts[:50]] else None
    if isinstance(op, ast.Eq | ast.Is | ast.LtE | ast.GtE) and shown(left) == shown(right):
        return True
    return None


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0 and node.value is not False


def _compared(left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool:
    if not (isinstance(left, ast.Constant) and isinstance(right, ast.Constant)):
        return True  # written values only: it says the same in each run
    same = bool(left.value == right.value)
    if isinstance(op, ast.Eq | ast.Is):
        return same
    return not same if isinstance(op, ast.NotEq | ast.IsNot) else True
