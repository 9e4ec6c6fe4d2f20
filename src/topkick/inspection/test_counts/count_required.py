"""Which commands can be expected to tell how many tests they ran."""

import re

from topkick.inspection.tampering.commands import ProgramCall, calls
from topkick.inspection.test_counts.runners import PYTHON

_SILENT = re.compile(
    r">|\||<<|(?:^|\s)-qq|--quiet\s.*--quiet|--no-summary|--co\b|--collect-only|--version|--help"
    r"|(?:^|\s)-h\b|--reporters?\b|--test-reporter|--json\b|--no-run|--list\b|--fixtures|--markers"
)
_TELLING = frozenset({"jest", "vitest", "mocha"})


def must_report(command: str) -> bool:
    """Whether pytest itself is called, which has been asked for a report at its end."""
    return _SILENT.search(command) is None and any(_is_pytest(call) for call in calls(command))


def must_count(command: str) -> bool:
    """Whether a runner is called that always prints how many tests it ran."""
    return _SILENT.search(command) is None and any(_tells(call) for call in calls(command))


def _is_pytest(call: ProgramCall) -> bool:
    is_module = PYTHON.fullmatch(call.program) and _module(call) == "pytest"
    return call.program in {"pytest", "py.test"} or bool(is_module)


def _tells(call: ProgramCall) -> bool:
    words = call.words[1:]
    match call.program:
        case "cargo":
            return words[:1] == ("test",)
        case "node":
            return "--test" in words
        case program if program in _TELLING:
            return True
        case program if PYTHON.fullmatch(program):
            return _module(call) in {"pytest", "unittest"}
        case program:
            return program in {"pytest", "py.test"}


def _module(call: ProgramCall) -> str:
    words = call.words[1:]
    at = words.index("-m") + 1 if "-m" in words else len(words)
    return words[at] if at < len(words) else ""
