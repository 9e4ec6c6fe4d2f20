"""Read the answer of a checkpoint's judge at a gate: its exit code and its output."""

import re

from topkick.checks.model import CheckOutcome, CheckResult
from topkick.sprint.gates.model import GateRun, GateVerdict

LONGEST = 300
_VERDICT = re.compile(
    r"^(?:\[supervisor\] )?(?:[0-9:]{8} CHECKPOINT-[0-9R-]{3,12}: )?Verdict:? (pass|warn|block)"
    r"(?:: ([0-9.]{1,8})(?:: (.*))?| \(score: ([0-9.]{1,8})\))$",
    re.MULTILINE,
)
_FINDINGS = re.compile(r"^(?:\[supervisor\] )?Findings: (.+)$", re.MULTILINE)
_BY_WORD = {"pass": GateVerdict.PASSED, "warn": GateVerdict.WARNED, "block": GateVerdict.BLOCKED}
_WORST_FIRST = ("block", "warn", "pass")
_PASSED, _BLOCKED = 0, 1


def answered(run: GateRun) -> tuple[GateVerdict, str]:
    """Return the verdict; exit code and text must agree, because a judge that crashed has judged
    nothing.
    """
    if run.trouble:
        return GateVerdict.CANNOT_RUN, run.trouble
    if not run.results:
        return GateVerdict.CANNOT_RUN, "the judge was not run"
    result = run.results[0]
    said = {found[1]: found for found in _VERDICT.finditer(result.excerpt)}
    word = next((word for word in _WORST_FIRST if word in said), "")
    lets_pass = result.outcome is not CheckOutcome.TIMED_OUT and result.code == _PASSED
    blocks = result.outcome is not CheckOutcome.TIMED_OUT and result.code == _BLOCKED
    if (lets_pass and word in {"pass", "warn"}) or (blocks and word == "block"):
        return _BY_WORD[word], _why(said[word], result) if word != "pass" else ""
    return GateVerdict.CANNOT_RUN, _fell_over(result, word)


def _why(said: re.Match[str], result: CheckResult) -> str:
    listed = _FINDINGS.search(result.excerpt)
    findings = said[3] or (listed[1] if listed else "")
    return "; ".join(filter(None, (f"score {said[2] or said[4]}", findings.strip())))[:LONGEST]


def _fell_over(result: CheckResult, word: str) -> str:
    if result.outcome is CheckOutcome.TIMED_OUT:
        return f"`{result.command}` did not end in time"
    if word:
        return f"`{result.command}` said {word} and ended with {result.code}"
    last = result.excerpt.strip().split("\n")[-1].removeprefix("[supervisor]").strip()
    return f"`{result.command}` ended with {result.code}: {last}"[:LONGEST].rstrip(": ")
