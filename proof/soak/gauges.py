"""Quantities that must not grow: memory, descriptors, processes, zombies, files."""

import os
from dataclasses import dataclass
from pathlib import Path

from proof.races.arena import Arena

PER_RUN = ("current/runs", "archive")
SLACK_KIB = 16 * 1024


@dataclass(frozen=True, slots=True)
class Sample:
    at_s: float
    rss_kib: int
    descriptors: int
    processes: int
    zombies: int
    files: int


def sample(arena: Arena, supervisor: int, at_s: float) -> Sample | None:
    """Take a sample; None if the supervisor is just ending."""
    try:
        status = Path(f"/proc/{supervisor}/status").read_text()
        rss_kib = int(status.partition("VmRSS:")[2].split()[0])
        descriptors = len(os.listdir(f"/proc/{supervisor}/fd"))
    except (OSError, IndexError, ValueError):
        return None
    living = arena.processes()
    files = _files(arena.project.state_dir)
    return Sample(at_s, rss_kib, descriptors, len(living), _zombies(set(living)), files)


def _zombies(parents: set[int]) -> int:
    """Count dead children that topkick's processes have not reaped."""
    found = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found += fields[0] == "Z" and int(fields[1]) in parents
    return found


def _files(state_dir: Path) -> int:
    """Count files that belong to no single run; a draft may be among them for a moment."""
    found = [p.relative_to(state_dir).as_posix() for p in state_dir.rglob("*") if p.is_file()]
    return sum(not name.startswith(PER_RUN) for name in found)


def growth(samples: list[Sample], agents: int) -> list[str]:
    """Compare the last third with the first; a short soak has only the limits."""
    found = []
    most = 24 + 4 * agents
    if (worst := max((s.descriptors for s in samples), default=0)) > most:
        found.append(f"{worst} descriptors open, at most {most} expected")
    if (worst := max((s.files for s in samples), default=0)) > 24:
        found.append(f"{worst} files in the state directory that belong to no run")
    third = len(samples) // 3
    if third < 20:
        return found
    first, last = samples[:third], samples[-third:]
    before, after = _high(s.rss_kib for s in first), _high(s.rss_kib for s in last)
    if after > before * 1.2 + SLACK_KIB:
        found.append(f"memory grew from {before} to {after} KiB")
    before, after = _high(s.descriptors for s in first), _high(s.descriptors for s in last)
    if after > before + 8:
        found.append(f"descriptors grew from {before} to {after}")
    before, after = _high(s.zombies for s in first), _high(s.zombies for s in last)
    if after > before + 4:
        found.append(f"zombies grew from {before} to {after}")
    before, after = _high(s.files for s in first), _high(s.files for s in last)
    if after > before + 2:
        found.append(f"files in the state directory grew from {before} to {after}")
    return found


def _high(values: "object") -> int:
    """Return the 90th percentile: one moment says nothing about growth."""
    ordered = sorted(values)  # type: ignore[call-overload]
    return int(ordered[len(ordered) * 9 // 10])
