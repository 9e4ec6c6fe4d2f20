"""Read an agent's own claim about its work: the last line of its output, if it is topkick's
JSON.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from topkick.checks.model import Claim
from topkick.checks.request import LastWords, LookRequest
from topkick.engine.agents.program import PLAIN, AgentExit, AgentReport, Ending
from topkick.runner.keeper import output
from topkick.runner.run_dir import read_limits
from topkick.text import escape

WORDS = frozenset({"done", "partial", "failed", "blocked"})
LOOKED_AT_BYTES = 1 << 16
ANSWER_BYTES = 1 << 18
SUMMARY_CHARS = 500


def read_claim(run_dir: Path, secrets: Iterable[str] = ()) -> Claim | None:
    lines = _end_of(run_dir, LOOKED_AT_BYTES).strip().splitlines()
    return parse_claim(escape.redact(lines[-1], secrets)) if lines else None


def last_words(run_dir: Path, secrets: Iterable[str] = ()) -> str:
    """Return the output of a plain command, or the end of it: that is its answer."""
    return escape.redact(_end_of(run_dir, ANSWER_BYTES), secrets)


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


# --- the agent's claim and report --------------------------------------------------------------
# Read the agent's claim or answer, and its program's report about the end of the run.


def said(look: LookRequest) -> tuple[Claim | None, AgentReport | None]:
    if not look.output_of:
        return None, None
    run_dir = Path(look.output_of)
    if look.program is None or look.program.adapter == PLAIN:
        return read_claim(run_dir, look.secrets), None
    from topkick.agents.transcript.tail import heard_all  # loaded only when needed: it is slow

    heard = heard_all(run_dir, look.program, look.resumed, escape.long_ones(look.secrets))
    lines = escape.redact(heard.last_said, look.secrets).strip().splitlines()
    claim = parse_claim(lines[-1]) if lines else None
    report = heard.report(look.ended or AgentExit(Ending.STOPPED))
    words = escape.redact(report.said, look.secrets)
    denied = tuple(escape.redact(tool, look.secrets) for tool in report.denied)
    return claim, replace(report, said=words, denied=denied, usage=heard.usage)


def heard(look: LookRequest) -> LastWords:
    """Return only the answer: outside a plan nothing else is checked."""
    run_dir = Path(look.output_of)
    if look.program is None or look.program.adapter == PLAIN:
        return LastWords(last_words(run_dir, look.secrets))
    from topkick.agents.transcript.tail import heard_all  # loaded only when needed: it is slow

    listener = heard_all(run_dir, look.program, look.resumed, escape.long_ones(look.secrets))
    report = listener.report(look.ended or AgentExit(Ending.STOPPED))
    words = escape.redact(report.said, look.secrets)
    report = replace(report, said=words, usage=listener.usage)
    return LastWords(escape.redact(listener.answer, look.secrets), report)
