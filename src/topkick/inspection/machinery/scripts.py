"""Which files of the tree a call runs as a check."""

import re
from collections.abc import Iterator

from topkick.inspection.machinery.commands import SHELLS, Call, joined

_INTERPRETERS = re.compile(
    r"(?:python|pypy|perl|ruby|php|lua)[\d.]*|node|nodejs|bun|deno|tsx|ts-node|Rscript|pwsh|expect|awk"
)
_SHELL_FILE = re.compile(r".*\.(?:sh|bash|zsh|bats|ps1|expect|awk)")
_SHELL_TEST = re.compile(r"(?:.*/)?(?:test[_-][^/]*|[^/]*[._-]test)\.\w+|.*\.bats")
_TEST_FILE = re.compile(
    r"(?:.*/)?(?:test_[^/]*\.py|[^/]*_test\.(?:py|go)|tests?\.py|[^/]*[.-](?:test|spec)\.[cm]?[jt]sx?"
    r"|[^/]*Tests?\.swift)"
)
_CHECKING = re.compile(
    r"(?:.*[/_.-])?(?:check\w*|verif\w*|tests?|lint\w*|validat\w*|ci|smoke\w*|e2e|gates?|audit|qa|spec"
    r"|cover\w*|assert\w*|selftest|run[_-]?tests?|harness|accept\w*|judge|grade\w*|eval\w*)"
    r"(?:[/_.-].*)?",
    re.IGNORECASE,
)
_WORKSHOP = ("scripts/", "script/", "tools/", "ci/", ".ci/", "hack/", ".github/", "dev/", "util/")
_ASKS_TO_TEST = frozenset({"test", "check", "lint", "verify", "validate"})


def script_paths(call: Call) -> tuple[str, ...]:
    """Paths from the top of the tree. Tests have inventories, and a program that the work is
    about may change: neither is among them."""
    return tuple(path for path in _candidates(call) if path and not path.startswith("/"))


def _candidates(call: Call) -> Iterator[str]:
    first = call.words[0]
    if call.program in SHELLS or first in (".", "source"):
        script = _first_plain(call.words[1:])
        yield joined(call.cwd, script) if script else ""
    elif _INTERPRETERS.fullmatch(call.program):
        yield from _interpreted(call)
    elif "/" in first:
        path = joined(call.cwd, first)
        if _is_check(path, call.words[1:]):
            yield path
    elif call.program == "go" and call.words[1:2] == ("run",) and len(call.words) > 2:
        yield joined(call.cwd, call.words[2])


def _interpreted(call: Call) -> Iterator[str]:
    rest = call.words[1:]
    for place, word in enumerate(rest):
        if word == "-m" and place + 1 < len(rest):
            module = rest[place + 1].replace(".", "/")
            if _is_check(module, rest[place + 2 :]):
                yield joined(call.cwd, f"{module}.py")
                yield joined(call.cwd, f"{module}/__main__.py")
            return
        if word in ("-c", "-e", "--eval", "-p", "--print"):
            return
        if not word.startswith("-") and word != "run":
            path = joined(call.cwd, word)
            if _is_check(path, rest[place + 1 :]):
                yield path
            return


def _is_check(path: str, words: tuple[str, ...]) -> bool:
    if _TEST_FILE.fullmatch(path[:400]):
        return False
    if _SHELL_FILE.fullmatch(path[:400]) or path.startswith(_WORKSHOP):
        return True
    asks = any(word in _ASKS_TO_TEST for word in words[:1])
    return asks or _CHECKING.fullmatch(path[:400]) is not None


def is_runner(path: str) -> bool:
    """By its name, a shell script that checks something, and not a test written in shell."""
    if not _SHELL_FILE.fullmatch(path[:400]) or _SHELL_TEST.fullmatch(path[:400]):
        return False
    return _CHECKING.fullmatch(path[:400]) is not None


def _first_plain(words: tuple[str, ...]) -> str:
    return next((word for word in words if not word.startswith(("-", "+"))), "")
