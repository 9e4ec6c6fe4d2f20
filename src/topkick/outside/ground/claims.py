"""Read an agent's own claim about its work: the last line of its output, if it is topkick's
JSON.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from topkick.boards import safe
from topkick.core.evidence import Claim
from topkick.outside.ground import output
from topkick.outside.ground.run_dir import read_limits

WORDS = frozenset({"done", "partial", "failed", "blocked"})
LOOKED_AT_BYTES = 1 << 16
ANSWER_BYTES = 1 << 18
SUMMARY_CHARS = 500


def read_claim(run_dir: Path, secrets: Iterable[str] = ()) -> Claim | None:
    lines = _end_of(run_dir, LOOKED_AT_BYTES).strip().splitlines()
    return parse_claim(safe.redact(lines[-1], secrets)) if lines else None


def last_words(run_dir: Path, secrets: Iterable[str] = ()) -> str:
    """Return the output of a plain command, or the end of it: that is its answer."""
    return safe.redact(_end_of(run_dir, ANSWER_BYTES), secrets)


def _end_of(run_dir: Path, most_bytes: int) -> str:
    limits = read_limits(run_dir)
    if limits is None:
        return ""
    end = output.size_bytes(run_dir, limits.output_cap_bytes)
    start = max(0, end - most_bytes)
    data = output.read(run_dir, limits.output_cap_bytes, start, most_bytes).data
    return data.decode("utf-8", "replace")


def parse_claim(line: str) -> Claim | None:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return None
    status = said.get("status") if isinstance(said, dict) else None
    if not isinstance(status, str) or status not in WORDS:
        return None
    remaining = said.get("remaining")
    items = remaining if isinstance(remaining, list) else []
    return Claim(status, _words(said.get("summary", "")), tuple(_words(i) for i in items[:20]))


def _words(said: object) -> str:
    """Return text that can be encoded: half a surrogate pair cannot."""
    text = said if isinstance(said, str) else json.dumps(said)
    return text[:SUMMARY_CHARS].encode("utf-8", "replace").decode()
