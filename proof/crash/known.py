"""The counts of each scenario without a crash, kept in `known.json`.

They are kept so that a small share of the campaign need not count everything first; `--count`
renews them. A point that is no longer reached does no harm, and a changed end state shows at once.
"""

import json
from pathlib import Path
from typing import NamedTuple

from proof.crash.observer import Baseline
from proof.crash.points import Counts

PATH = Path(__file__).with_name("known.json")


class Known(NamedTuple):
    baseline: Baseline
    counts: Counts


def read() -> dict[str, Known]:
    if not PATH.exists():
        return {}
    return {
        name: Known(Baseline(row["standing"], row["starts"]), Counts(**row["counts"]))
        for name, row in json.loads(PATH.read_text()).items()
    }


def write(found: dict[str, Known]) -> None:
    rows = {
        name: {
            "standing": dict(known.baseline.standing),
            "starts": dict(known.baseline.starts),
            "counts": {
                key: {call: n for call, n in value.items() if n}
                for key, value in known.counts._asdict().items()
            },
        }
        for name, known in found.items()
    }
    PATH.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n")
