"""The form of a built-in check: a name, what it reads, and a function of the material."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from topkick.team.judge.findings import Group, JudgeResult
from topkick.team.judge.material import Material
from topkick.text.escape import one_line

MOST_EVIDENCE = 20
TOLD = 4


@dataclass(frozen=True, slots=True)
class BuiltinOutcome:
    result: JudgeResult
    details: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Builtin:
    """A built-in check; `reads` are sources of the material, with a field after a dot if it is only
    one.
    """

    name: str
    group: Group
    about: str
    reads: tuple[str, ...]
    passes: str
    warns: str
    fails: str
    run: Callable[[Material], BuiltinOutcome]


def passed(details: str) -> BuiltinOutcome:
    return BuiltinOutcome(JudgeResult.PASS, one_line(details))


def warned(details: str, evidence: Sequence[str] = ()) -> BuiltinOutcome:
    return BuiltinOutcome(JudgeResult.WARN, one_line(details), _bounded(evidence))


def failed(details: str, evidence: Sequence[str]) -> BuiltinOutcome:
    return BuiltinOutcome(JudgeResult.FAIL, one_line(details), _bounded(evidence))


def absent(material: Material, *kinds: str) -> BuiltinOutcome | None:
    """Return a warning with the path if a document that the check needs is missing."""
    gone = [material.place(kind) for kind in kinds if not material.of(kind)]
    return warned(f"missing: {', '.join(gone)}", gone) if gone else None


def listed(names: Sequence[str]) -> str:
    """Return the first few names, and how many more there are."""
    more = len(names) - TOLD
    return ", ".join(names[:TOLD]) + (f" and {more} more" if more > 0 else "")


def _bounded(evidence: Sequence[str]) -> tuple[str, ...]:
    return tuple(one_line(line) for line in evidence[:MOST_EVIDENCE])
