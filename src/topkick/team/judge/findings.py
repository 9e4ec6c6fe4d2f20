"""The result of a check: pass, warn or fail, with details and evidence."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from topkick.text.escape import one_line


class JudgeResult(StrEnum):
    PASS = "pass"  # noqa: S105
    WARN = "warn"
    FAIL = "fail"

    @property
    def worth(self) -> float:
        return _WORTH[self]


_WORTH = {JudgeResult.PASS: 1.0, JudgeResult.WARN: 0.5, JudgeResult.FAIL: 0.0}


class Group(StrEnum):
    """The three tables of a report."""

    CONSISTENCY = "consistency"
    PROCESS = "process"
    HEALTH = "health"


@dataclass(frozen=True, slots=True)
class JudgeFinding:
    """A finding; a `critical` failure blocks whatever the others say, a `style` one never
    blocks.
    """

    check: str
    group: Group
    result: JudgeResult
    details: str
    evidence: tuple[str, ...] = ()
    critical: bool = False
    style: bool = False

    @property
    def blocks(self) -> bool:
        return self.critical and settled(self).result is JudgeResult.FAIL


def settled(finding: JudgeFinding) -> JudgeFinding:
    """Return the finding as it counts: a failure without evidence, or of style, is a warning.

    So a block always has a failure with evidence, and style cannot lower a mean below 0.5.
    """
    if finding.result is not JudgeResult.FAIL:
        return finding
    if finding.style:
        return _lowered(finding, "style never blocks")
    if not any(line.strip() for line in finding.evidence):
        return _lowered(finding, "without evidence, it counts as a warning")
    return finding


def _lowered(finding: JudgeFinding, why: str) -> JudgeFinding:
    details = f"{finding.details} ({why})" if finding.details else why
    return replace(finding, result=JudgeResult.WARN, details=details)


# --- the verdict on a stage --------------------------------------------------------------------
# The mean of its checks, and the reasons for a block or a warning.

PASS_FROM = 80
WARN_FROM = 50
_HALVES = {JudgeResult.PASS: 2, JudgeResult.WARN: 1, JudgeResult.FAIL: 0}


class VerdictWord(StrEnum):
    PASS = "pass"  # noqa: S105
    WARN = "warn"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class StageVerdict:
    """A verdict; `risks` are recorded unless the stage passes, `blocks` are why it must stop."""

    word: VerdictWord
    score: float
    risks: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()


def score(findings: Sequence[JudgeFinding]) -> StageVerdict:
    """Return the verdict; without any check it is a warning."""
    counted = tuple(settled(finding) for finding in findings)
    hundredths = _hundredths(counted)
    critical = tuple(finding for finding in counted if finding.blocks)
    word = VerdictWord.BLOCK if critical else _word(hundredths)
    failed = tuple(finding for finding in counted if finding.result is JudgeResult.FAIL)
    blocking = (critical or failed) if word is VerdictWord.BLOCK else ()
    risky = () if word is VerdictWord.PASS else counted
    return StageVerdict(
        word=word,
        score=hundredths / 100,
        risks=tuple(
            _line(f) for f in risky if f.result is not JudgeResult.PASS and f not in blocking
        ),
        blocks=tuple(_line(f) for f in blocking),
    )


def shown(value: float) -> str:
    """Format a score."""
    return f"{value:.2f}"


def _hundredths(findings: Sequence[JudgeFinding]) -> int:
    """Return the mean rounded down: 0.795 is 0.79 and a warning, in number and word alike."""
    if not findings:
        return WARN_FROM
    return sum(_HALVES[finding.result] for finding in findings) * 50 // len(findings)


def _word(hundredths: int) -> VerdictWord:
    if hundredths >= PASS_FROM:
        return VerdictWord.PASS
    return VerdictWord.WARN if hundredths >= WARN_FROM else VerdictWord.BLOCK


def _line(finding: JudgeFinding) -> str:
    unsaid = (line for line in finding.evidence if line.strip() and line not in finding.details)
    first = next(unsaid, "")
    told = f"{finding.check}: {finding.details}"
    return one_line(f"{told} [{first}]" if first else told)


# --- the judge's memory of a checkpoint --------------------------------------------------------
# It holds exactly what can be read back from the checkpoint's report.

NOTABLE_HUNDREDTHS = 5


class Since(StrEnum):
    """The change of an artifact since an earlier checkpoint read it."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


class Trend(StrEnum):
    IMPROVING = "improving"
    STABLE = "stable"
    DEGRADING = "degrading"


@dataclass(frozen=True, slots=True)
class ArtifactRead:
    path: str
    sha256: str
    since: Since = Since.NEW


@dataclass(frozen=True, slots=True)
class StageEntry:
    """One checkpoint; `artifact` is the path of the report."""

    task: str
    artifact: str
    verdict: VerdictWord
    score: float
    key_findings: tuple[str, ...] = ()
    artifacts_read: tuple[ArtifactRead, ...] = ()
    quality_trend: Trend = Trend.STABLE


def trend(earlier: Sequence[StageEntry], score: float) -> Trend:
    """Return the trend against the checkpoint before; the first one is stable."""
    if not earlier:
        return Trend.STABLE
    moved = round(score * 100) - round(earlier[-1].score * 100)
    if moved >= NOTABLE_HUNDREDTHS:
        return Trend.IMPROVING
    return Trend.DEGRADING if moved <= -NOTABLE_HUNDREDTHS else Trend.STABLE


def known_hashes(earlier: Sequence[StageEntry]) -> dict[str, str]:
    """Return each artifact that was read, with its last hash."""
    return {read.path: read.sha256 for entry in earlier for read in entry.artifacts_read}
