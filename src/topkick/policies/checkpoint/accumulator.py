"""What the judge remembers of a checkpoint: exactly what its report can be read back to."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from topkick.policies.checkpoint.scoring import Word

NOTABLE_HUNDREDTHS = 5


class Since(StrEnum):
    """How an artifact stands to what was read of it at an earlier checkpoint."""

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
class Entry:
    """`artifact` is the path of the report."""

    task: str
    artifact: str
    verdict: Word
    score: float
    key_findings: tuple[str, ...] = ()
    artifacts_read: tuple[ArtifactRead, ...] = ()
    quality_trend: Trend = Trend.STABLE


def trend(earlier: Sequence[Entry], score: float) -> Trend:
    """Against the checkpoint before; the first one has none, and is stable."""
    if not earlier:
        return Trend.STABLE
    moved = round(score * 100) - round(earlier[-1].score * 100)
    if moved >= NOTABLE_HUNDREDTHS:
        return Trend.IMPROVING
    return Trend.DEGRADING if moved <= -NOTABLE_HUNDREDTHS else Trend.STABLE


def known_hashes(earlier: Sequence[Entry]) -> dict[str, str]:
    """Each artifact that was read, by the hash that it last had."""
    return {read.path: read.sha256 for entry in earlier for read in entry.artifacts_read}
