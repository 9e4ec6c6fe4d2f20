"""What an agent said of its own work: the last line of its output, if that is our JSON."""

import json
from pathlib import Path

from topkick.core.model import Claim
from topkick.outside.ground import output
from topkick.outside.ground.run_dir import read_limits

WORDS = frozenset({"done", "partial", "failed", "blocked"})
LOOKED_AT_BYTES = 1 << 16
SUMMARY_CHARS = 500


def read_claim(run_dir: Path) -> Claim | None:
    limits = read_limits(run_dir)
    if limits is None:
        return None
    end = output.size_bytes(run_dir, limits.output_cap_bytes)
    start = max(0, end - LOOKED_AT_BYTES)
    data = output.read(run_dir, limits.output_cap_bytes, start, LOOKED_AT_BYTES).data
    lines = data.decode("utf-8", "replace").strip().splitlines()
    return parse_claim(lines[-1]) if lines else None


def parse_claim(line: str) -> Claim | None:
    try:
        said = json.loads(line)
    except ValueError:
        return None
    if not isinstance(said, dict) or said.get("status") not in WORDS:
        return None
    remaining = said.get("remaining")
    items = remaining if isinstance(remaining, list) else []
    return Claim(
        status=said["status"],
        summary=str(said.get("summary", ""))[:SUMMARY_CHARS],
        remaining=tuple(str(item)[:SUMMARY_CHARS] for item in items[:20]),
    )
