"""The wording of a check: its criterion as the plan states it, what was expected, what came.

A criterion such as "`grep -c route api.py` returns 3" is compiled to a shell program, which neither
a person nor an agent should have to read. So each result carries the plan's words with what was
expected and what came instead. `worded` writes them into a result once, when the check has been
run; `told` makes the sentence that every screen, log and order shows.
"""

from collections.abc import Iterable
from dataclasses import replace

from topkick.checks.model import CheckOutcome, CheckResult
from topkick.plan_format.model import Criterion, CriterionKind, Expectation, FoundIn

SYNTAX = "syntax"
LONGEST_ANSWER = 120


def told(result: CheckResult) -> str:
    """Return one sentence: which check it is, and how it ended."""
    colon = ":" if result.criterion else ""
    return f"{name_of(result)}{colon} {how_it_ended(result)}"


def name_of(result: CheckResult) -> str:
    return result.criterion or f"`{result.command}`"


def words_for(criteria: Iterable[Criterion], command: str) -> str:
    """Return what the plan calls the check that runs this command."""
    return plan_words(criteria, command) or f"`{command}`"


def plan_words(criteria: Iterable[Criterion], command: str) -> str:
    """Return the plan's words for the check; "" if the plan says no more than the command."""
    found = next((c for c in criteria if c.command == command), None)
    return _named(found) if found is not None else ""


def how_it_ended(result: CheckResult) -> str:
    counts = result.counts
    match result.outcome:
        case CheckOutcome.FAILED if result.code == 0 and counts is not None:
            return f"ended with 0 although {counts.failed} of its tests failed"
        case CheckOutcome.FAILED if result.expected:
            return f"expected {result.expected}, got {result.got}"
        case CheckOutcome.FAILED if counts is not None and counts.failed and not result.got:
            return f"failed ({counts.failed} test{'s' * (counts.failed != 1)})"
        case CheckOutcome.FAILED:
            return result.got or f"ended with {result.code}"
        case CheckOutcome.RAN_NOTHING:
            if counts is None or counts.ran:
                return "ended before it reported which tests it ran"
            return "ran no test" + (f", {counts.skipped} skipped" if counts.skipped else "")
        case CheckOutcome.TIMED_OUT:
            return "did not end in time"
        case CheckOutcome.CANNOT_RUN:
            return f"cannot run here{_lacking(result)}"
        case CheckOutcome.PASSED:
            return "passed"


def _lacking(result: CheckResult) -> str:
    return f": {result.missing}" if result.missing else f" ({result.code})"


# --- wording a result ----------------------------------------------------------------------


def worded(result: CheckResult, criteria: Iterable[Criterion]) -> CheckResult:
    """Return the result with the words of its criterion, and what came instead if it failed."""
    criterion = next((c for c in criteria if c.command == result.command), None)
    if criterion is None or result.criterion:
        return result
    result = replace(result, criterion=_named(criterion))
    if result.outcome is not CheckOutcome.FAILED or result.code is None or not result.criterion:
        return result
    if criterion.expects is not None:
        came = _came(criterion.expects, result.excerpt)
        return replace(result, expected=criterion.expects.said, got=came)
    if criterion.kind is CriterionKind.ASSERTION:
        return replace(result, got=f"not met (exit code {result.code})")
    return replace(result, expected="exit code 0", got=f"{result.code}{_of_tests(result)}")


def _named(criterion: Criterion) -> str:
    """Return the plan's words on one line; "" for a criterion that is only its command."""
    command = criterion.command or ""
    text = criterion.text.strip()
    if text in (command, f"`{command}`"):
        return ""
    if "`" not in text and text in command:
        return f"`{'; '.join(line.strip() for line in text.splitlines())}`"
    return " ".join(text.split())


def _came(expects: Expectation, output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    match expects.found_in:
        case FoundIn.LAST_LINE if lines:
            return lines[-1][:LONGEST_ANSWER]
        case FoundIn.LINES if lines:
            more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
            return f"{lines[0][:LONGEST_ANSWER]}{more}"
        case FoundIn.NONE:
            return lines[-1][:LONGEST_ANSWER] if lines else "none"
        case FoundIn.ZERO:
            return "0"
        case _:
            return "nothing"


def _of_tests(result: CheckResult) -> str:
    counts = result.counts
    return f" ({counts.failed} of {counts.ran} tests failed)" if counts and counts.failed else ""
