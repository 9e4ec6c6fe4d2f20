"""Store verdicts as lines of JSON, so that an interrupted campaign continues."""

import json
from dataclasses import asdict
from pathlib import Path

from proof.crash.observer import Verdict
from proof.crash.points import Point, parse


def read(path: Path, mode: str) -> dict[Point, Verdict]:
    """Return the verdicts by point; the last one counts, and half a line is ignored."""
    found = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if row.pop("mode") == mode:
            asked, row["point"] = parse(row.pop("asked")), parse(row["point"])
            found[asked] = Verdict(**row)
    return found


def add(path: Path, mode: str, asked: Point, verdict: Verdict) -> None:
    row = {"asked": str(asked), "mode": mode, **asdict(verdict), "point": str(verdict.point)}
    with open(path, "a") as file:
        file.write(json.dumps(row) + "\n")
