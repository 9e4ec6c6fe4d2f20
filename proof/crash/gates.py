"""Observe gates from outside: the journal's rows, the locks, and leftover files."""

import fcntl
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from proof.crash.ledgers import Row
from proof.crash.place import Place

FLEETING = ("cold-", "compose-")
LETTING_PASS = ("passed",)


def blamed(rows: Iterable[Row]) -> Mapping[str, str]:
    """Return what each gate found, except those that simply passed."""
    found = {}
    for row in rows:
        if row.kind == "GateJudged" and row.body["verdict"] not in LETTING_PASS:
            groups = ("+".join(group) for group in row.body.get("groups", ()))
            found[row.body["gate_id"]] = " ".join((row.body["verdict"], *groups))
    return found


def waiting(rows: Iterable[Row]) -> str:
    """Return the gate that a person is asked about; empty if there is none."""
    asked: list[str] = []
    for row in rows:
        name = row.body.get("gate_id", "") if isinstance(row.body, dict) else ""
        if row.kind == "GateJudged":
            asked.append(name)
        elif row.kind in ("GateClosed", "GateDropped", "GateRan") and name in asked:
            asked.remove(name)
    return asked[0] if asked else ""


def doubled(rows: Iterable[Row]) -> list[str]:
    """Return runs, ends or repairs that were recorded twice, and runs that are missing."""
    ran: dict[str, int] = {}
    ends: Counter[str] = Counter()
    added: Counter[str] = Counter()
    found = []
    for row in rows:
        match row.kind:
            case "GateOpened":
                ran[row.body["gate"]["id"]] = 0
            case "GateRan":
                name, number = row.body["gate_id"], row.body["number"]
                if number != ran.get(name, 0) + 1:
                    found.append(f"run {number} of {name} came after {ran.get(name, 0)}")
                ran[name] = number
            case "GateClosed" | "GateDropped":
                ends[row.body["gate_id"]] += 1
            case "SprintAdded":
                added[f"{row.body['unit']}/{row.body['plan']['id']}"] += 1
            case "MissionBegan":
                ran, ends, added = {}, Counter(), Counter()
            case _:
                continue
    found += [f"{name} ended {n} times" for name, n in ends.items() if n > 1]
    return found + [f"{name} was added {n} times" for name, n in added.items() if n > 1]


def left_lying(place: Place) -> list[str]:
    """Return leftover trees that should not outlast a check."""
    checks = _state(place) / "checks"
    found = [p for p in checks.glob("*/*") if p.name.startswith(FLEETING)]
    return sorted(str(p.relative_to(place.root)) for p in found)


def taken_slots(place: Place) -> list[str]:
    """Return build slots that are still held when no process lives any more."""
    return [f"{path.name} is still held" for path in _locks(place) if not _is_free(path)]


def _locks(place: Place) -> Iterator[Path]:
    building = _state(place) / "building"
    yield from sorted(building.iterdir()) if building.is_dir() else ()


def _is_free(path: Path) -> bool:
    fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
    return True


def _state(place: Place) -> Path:
    return place.home / ".local" / "state" / "topkick"
