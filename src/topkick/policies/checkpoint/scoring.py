"""The verdict on a stage: the mean of its checks, and the reasons for a block or a warning."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from topkick.policies.checkpoint.findings import Finding, Result, settled
from topkick.text.escape import one_line

PASS_FROM = 80
WARN_FROM = 50
_HALVES = {Result.PASS: 2, Result.WARN: 1, Result.FAIL: 0}


class Word(StrEnum):
    PASS = "pass"  # noqa: S105
    WARN = "warn"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict; `risks` are recorded unless the stage passes, `blocks` are why it must stop."""

    word: Word
    score: float
    risks: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()


def score(findings: Sequence[Finding]) -> Verdict:
    """Return the verdict; without any check it is a warning."""
    counted = tuple(settled(finding) for finding in findings)
    hundredths = _hundredths(counted)
    critical = tuple(finding for finding in counted if finding.blocks)
    word = Word.BLOCK if critical else _word(hundredths)
    failed = tuple(finding for finding in counted if finding.result is Result.FAIL)
    blocking = (critical or failed) if word is Word.BLOCK else ()
    risky = () if word is Word.PASS else counted
    return Verdict(
        word=word,
        score=hundredths / 100,
        risks=tuple(_line(f) for f in risky if f.result is not Result.PASS and f not in blocking),
        blocks=tuple(_line(f) for f in blocking),
    )


def shown(value: float) -> str:
    """Format a score."""
    return f"{value:.2f}"


def _hundredths(findings: Sequence[Finding]) -> int:
    """Return the mean rounded down: 0.795 is 0.79 and a warning, in number and word alike."""
    if not findings:
        return WARN_FROM
    return sum(_HALVES[finding.result] for finding in findings) * 50 // len(findings)


def _word(hundredths: int) -> Word:
    if hundredths >= PASS_FROM:
        return Word.PASS
    return Word.WARN if hundredths >= WARN_FROM else Word.BLOCK


def _line(finding: Finding) -> str:
    unsaid = (line for line in finding.evidence if line.strip() and line not in finding.details)
    first = next(unsaid, "")
    told = f"{finding.check}: {finding.details}"
    return one_line(f"{told} [{first}]" if first else told)
