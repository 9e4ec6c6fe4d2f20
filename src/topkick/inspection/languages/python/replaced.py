"""Test files that put something else in the place of the code they test, for all tests at once."""

import ast
from collections.abc import Iterator

from topkick.inspection.compare.reader import words
from topkick.inspection.inventory import Mark
from topkick.inspection.languages.python.names import (
    FunctionNode,
    dotted,
    expressions,
    last,
    shown,
    statements,
    string,
    walk,
)
from topkick.inspection.languages.python.skips import is_automatic

OTHERS = words(
    """
    abc argparse array asyncio atexit base64 builtins calendar codecs collections concurrent
    configparser contextlib copy csv ctypes curses dataclasses datetime decimal difflib email enum
    faulthandler fcntl functools gc getpass glob gzip hashlib heapq hmac html http importlib inspect
    io ipaddress itertools json locale logging math mimetypes multiprocessing operator os pathlib
    pickle platform pprint pwd queue random re resource sched secrets select selectors shelve shlex
    shutil signal site smtplib socket socketserver sqlite3 ssl stat statistics string struct
    subprocess sys sysconfig tarfile tempfile textwrap threading time timeit tkinter token tokenize
    traceback types typing unicodedata urllib uuid warnings weakref webbrowser xml zipfile zlib
    zoneinfo aiohttp anthropic asyncpg boto3 botocore celery click cryptography django docker
    elasticsearch fastapi faker flask freezegun google grpc gunicorn httpcore httpx hypothesis
    jinja2 jwt kafka keyring matplotlib mock moto mysql networkx numpy openai pandas paramiko PIL
    plotly prometheus_client psutil psycopg psycopg2 pydantic pymongo pytest_mock redis requests
    responses rich scipy sentry_sdk sklearn slack_sdk sqlalchemy starlette stripe structlog
    tensorflow torch tornado tqdm transformers trio twilio uvicorn urllib3 vcr websockets
    werkzeug yaml
    """
)
"""Replacing these keeps tests away from the world, and not from the code."""
IMPORTING = frozenset(("import_module", "__import__", "reload"))
MAKING = frozenset(("partial", "Mock", "MagicMock", "AsyncMock", "create_autospec", "staticmethod"))


def replaced(tree: ast.Module, nodes: list[ast.AST], is_conftest: bool) -> Iterator[Mark]:
    """Functions of the product that a test file replaces at import or in a fixture."""
    imported = _imported(nodes)
    own = {it.name for it in tree.body if isinstance(it, FunctionNode | ast.ClassDef)}
    for statement in statements(tree.body):
        if isinstance(statement, FunctionNode):
            uses = is_automatic(statement) if _is_fixture(statement) else None
            if uses is None:
                continue
            inside = own | {it.name for it in walk(statement) if isinstance(it, FunctionNode)}
            for part in statements(statement.body):
                yield from _of_statement(part, imported, inside)
                if uses and is_conftest:
                    yield from _patched(part, imported)
        else:
            yield from _of_statement(statement, imported, own)


def _imported(nodes: list[ast.AST]) -> frozenset[str]:
    """What stands for a module or a class of the project."""
    found: set[str] = set()
    for node in nodes:
        match node:
            case ast.Import(names=names):
                found.update(
                    it.asname or it.name.partition(".")[0]
                    for it in names
                    if it.name.partition(".")[0] not in OTHERS
                )
            case ast.ImportFrom(module=module, names=names):
                if (module or "").partition(".")[0] not in OTHERS:
                    found.update(it.asname or it.name for it in names)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                if last(call) in IMPORTING:
                    found.add(name)
            case _:
                pass
    return frozenset(found - {"pytest", "unittest"})


def _is_fixture(function: FunctionNode) -> bool:
    return any(last(it) == "fixture" for it in function.decorator_list)


def _of_statement(statement: ast.stmt, imported: frozenset[str], own: set[str]) -> Iterator[Mark]:
    match statement:
        case ast.Assign(targets=targets, value=value):
            is_callable = _is_callable(value, imported, own)
            for target in targets:
                if _is_module(target) or (is_callable and _is_of_project(target, imported)):
                    yield _mark(statement, f"replaces({dotted(target) or 'sys.modules'})")
        case ast.Expr(value=ast.Call(args=[owner, _, value]) as call):
            is_set = dotted(call) in ("setattr", "object.__setattr__", "type.__setattr__")
            if is_set and _owner(owner) in imported and _is_callable(value, imported, own):
                yield _mark(statement, f"setattr({dotted(owner)})")
        case _:
            pass


def _is_callable(value: ast.expr, imported: frozenset[str], own: set[str]) -> bool:
    match value:
        case ast.Lambda():
            return True
        case ast.Name(id=name):
            return name in own or name in imported
        case ast.Call():
            return last(value) in MAKING or last(value) in own
        case ast.Attribute():
            return _owner(value) in imported
        case _:
            return False


def _is_of_project(target: ast.expr, imported: frozenset[str]) -> bool:
    match target:
        case ast.Attribute(value=owner):
            return _owner(owner) in imported or _is_import(owner)
        case ast.Subscript(value=ast.Attribute(attr="__dict__", value=owner)):
            return _owner(owner) in imported
        case ast.Subscript(value=ast.Call(func=ast.Name(id="vars"), args=[owner])):
            return _owner(owner) in imported
        case _:
            return False


def _is_module(target: ast.expr) -> bool:
    if not isinstance(target, ast.Subscript) or dotted(target.value) != "sys.modules":
        return False
    key = string(target.slice)
    owner = (key or "").partition(".")[0]
    return bool(owner) and owner not in OTHERS | {"pytest", "_pytest", "unittest"}


def _owner(node: ast.expr) -> str:
    return dotted(node).partition(".")[0] if isinstance(node, ast.Name | ast.Attribute) else ""


def _is_import(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last(node) in IMPORTING


def _patched(statement: ast.stmt, imported: frozenset[str]) -> Iterator[Mark]:
    """`monkeypatch.setattr` on the project, in a fixture that every test gets."""
    for node in expressions(statement):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = dotted(node)
        is_patch = name.endswith((".setattr", ".patch", "patch.object", "patch.dict"))
        if not is_patch and name != "patch":
            continue
        text = string(node.args[0])
        owner = text.partition(".")[0] if text else _owner(node.args[0])
        is_ours = bool(text) and "." in (text or "") and owner not in OTHERS
        if is_ours or owner in imported:
            yield _mark(statement, f"{name}({text or dotted(node.args[0])})")


def _mark(node: ast.stmt, name: str) -> Mark:
    return Mark(node.lineno, shown(node).partition("\n")[0][:160], name[:80])
