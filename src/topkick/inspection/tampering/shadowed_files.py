"""New files that stand where a program or library of the checks would be looked for."""

import re
from collections.abc import Iterator

from topkick.inspection.change import SYMLINK_MODE, File, FileChange
from topkick.inspection.tampering.commands import ProgramCall, joined

_PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
_PYTHON_PROGRAMS = frozenset(
    {"pytest", "py.test", "coverage", "tox", "nox", "mypy", "ruff", "pylint", "flake8", "pyright"}
)
_TOOLS = frozenset(
    {"pytest", "_pytest", "pluggy", "unittest", "coverage", "mypy", "hypothesis", "nose", "nose2"}
    | {"tox", "nox", "pylint", "flake8", "xdist", "pytest_cov", "py", "iniconfig", "doctest"}
    | {"pytest_asyncio", "pytest_mock", "execnet", "trial", "behave", "black", "isort", "ruff"}
)
_LIBRARY = frozenset(
    re.findall(
        r"\w+",
        """
    abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar
    cmath cmd code codecs codeop collections colorsys compileall concurrent configparser
    contextlib contextvars copy copyreg csv ctypes curses dataclasses datetime dbm decimal
    difflib dis email encodings enum errno faulthandler fcntl filecmp fileinput fnmatch
    fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip
    hashlib heapq hmac html http imaplib importlib inspect io ipaddress itertools json keyword
    linecache locale logging lzma mailbox marshal math mimetypes mmap modulefinder
    multiprocessing netrc ntpath numbers opcode operator optparse os pathlib pdb pickle
    pickletools pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd
    pyclbr pydoc queue quopri random re readline reprlib resource rlcompleter runpy sched
    secrets select selectors shelve shlex shutil signal smtplib socket socketserver sqlite3
    ssl stat statistics string stringprep struct subprocess symtable sys sysconfig syslog
    tarfile tempfile termios textwrap threading time timeit token tokenize tomllib trace
    traceback tracemalloc tty types typing unicodedata urllib uuid venv warnings wave weakref
    webbrowser wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
    """,
    )
)
_INSTALLED = re.compile(r"(?:^|.*/)(node_modules|\.?venv|site-packages)/(.*)", re.DOTALL)
_VENDORED = re.compile(
    r"(?:^|.*/)vendor/.*(?:testify|gomega|ginkgo|go-cmp|gotest\.tools|rspec|phpunit|minitest).*",
    re.DOTALL,
)
_MOST = 20


def shadowing(
    changes: list[FileChange], used: list[ProgramCall]
) -> Iterator[tuple[File, str, str]]:
    """The file, whose place it takes, and why that matters."""
    roots: dict[str, int] = {}
    found = 0
    for change in changes:
        file = change.after
        if file is None or (change.before is not None and change.before.path == file.path):
            if file is None or not _VENDORED.fullmatch(file.path):
                continue
            if change.before is not None and change.before.data == file.data:
                continue
        for subject, why in _of_file(file, used):
            roots[subject] = roots.get(subject, 0) + 1
            if roots[subject] == 1 and found < _MOST:
                found += 1
                yield file, subject, why


def _of_file(file: File, used: list[ProgramCall]) -> Iterator[tuple[str, str]]:
    if installed := _INSTALLED.fullmatch(file.path):
        root = file.path[: installed.start(2)].rstrip("/")
        yield root, f"{root} holds installed programs and libraries, and is committed now"
        return
    if _VENDORED.fullmatch(file.path):
        yield file.path, f"{file.path} is part of a test library"
        return
    if not used:
        return
    if file.name in ("sitecustomize.py", "usercustomize.py") or file.name.endswith(".pth"):
        yield file.path, f"{file.path} is new, and Python runs it before every program"
        return
    yield from _of_module(file, used)
    yield from _of_program(file, used)


def _of_module(file: File, used: list[ProgramCall]) -> Iterator[tuple[str, str]]:
    for call in used:
        is_python = _PYTHON.fullmatch(call.program) is not None
        if not is_python and call.program not in _PYTHON_PROGRAMS:
            continue
        for folder in dict.fromkeys((call.cwd, *_beside(call, is_python=is_python))):
            module = _module(file.path, folder)
            at_call = folder == call.cwd and is_python
            if module in _TOOLS or (
                module in _LIBRARY and (at_call or folder not in ("src", call.cwd))
            ):
                yield f"{folder}/{module}".lstrip("/"), _instead(file, module)
                return


def _beside(call: ProgramCall, *, is_python: bool) -> Iterator[str]:
    """Other folders that Python looks into first: that of its script, those of the tests."""
    for word in call.words[1:]:
        if is_python and word.endswith(".py"):
            yield joined(call.cwd, word.rpartition("/")[0])
            return
    yield joined(call.cwd, "src")


def _instead(file: File, module: str) -> str:
    return f"{file.path} is new, and Python takes it for the module {module}"


def _module(path: str, folder: str) -> str:
    """The name by which a program that runs in the folder would import the file, or ""."""
    if folder and not path.startswith(folder + "/"):
        return ""
    rest = path[len(folder) + 1 :] if folder else path
    head, slash, tail = rest.partition("/")
    if not slash:
        stem, dot, suffix = head.partition(".")
        return stem if dot and suffix.rpartition(".")[2] in ("py", "pyc", "so", "pyd") else ""
    return head if tail in ("__init__.py", "__main__.py", "__init__.pyc") else ""


def _of_program(file: File, used: list[ProgramCall]) -> Iterator[tuple[str, str]]:
    """`./pytest`, `bin/make`: something executable with the name of what a criterion calls."""
    runs = file.mode & 0o111 or file.mode == SYMLINK_MODE
    names = {call.words[0] for call in used if "/" not in call.words[0]}
    folder = file.path.rpartition("/")[0]
    in_path = folder in ("", "bin", "scripts", ".bin", "tools") or folder.endswith("/bin")
    if runs and in_path and file.name in names:
        yield file.path, f"{file.path} is new, and has the name of a program that a criterion calls"
