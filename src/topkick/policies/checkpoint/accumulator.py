"""The judge's memory of a checkpoint: exactly what can be read back from its report."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from topkick.policies.checkpoint.scoring import Word

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
class Entry:
    """One checkpoint; `artifact` is the path of the report."""

    task: str
    artifact: str
    verdict: Word
    score: float
    key_findings: tuple[str, ...] = ()
    artifacts_read: tuple[ArtifactRead, ...] = ()
    quality_trend: Trend = Trend.STABLE


def trend(earlier: Sequence[Entry], score: float) -> Trend:
    """Return the trend against the checkpoint before; the first one is stable."""
    if not earlier:
        return Trend.STABLE
    moved = round(score * 100) - round(earlier[-1].score * 100)
    if moved >= NOTABLE_HUNDREDTHS:
        return Trend.IMPROVING
    return Trend.DEGRADING if moved <= -NOTABLE_HUNDREDTHS else Trend.STABLE


def known_hashes(earlier: Sequence[Entry]) -> dict[str, str]:
    """Return each artifact that was read, with its last hash."""
    return {read.path: read.sha256 for entry in earlier for read in entry.artifacts_read}
