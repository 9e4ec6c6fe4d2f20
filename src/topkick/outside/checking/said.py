"""What the agent said of its work, and what its program made known of how it ended."""

from dataclasses import replace
from pathlib import Path

from topkick.boards import safe
from topkick.core.agents import PLAIN, AgentExit, AgentReport, Ending
from topkick.core.evidence import Claim
from topkick.outside.ground.claims import parse_claim, read_claim
from topkick.outside.ground.looks import Look

LONG_SECRET_CHARS = 16


def said(look: Look) -> tuple[Claim | None, AgentReport | None]:
    if not look.output_of:
        return None, None
    run_dir = Path(look.output_of)
    if look.program is None or look.program.adapter == PLAIN:
        return read_claim(run_dir, look.secrets), None
    from topkick.outside.agents.listening import heard_all  # by those who need it: it takes time

    heard = heard_all(run_dir, look.program, look.resumed, _long(look.secrets))
    lines = safe.redact(heard.last_said, look.secrets).strip().splitlines()
    claim = parse_claim(lines[-1]) if lines else None
    report = heard.report(look.ended or AgentExit(Ending.STOPPED))
    words = safe.redact(report.said, look.secrets)
    denied = tuple(safe.redact(tool, look.secrets) for tool in report.denied)
    return claim, replace(report, said=words, denied=denied, usage=heard.usage)


def _long(secrets: tuple[str, ...]) -> tuple[str, ...]:
    """Those that no program uses as a word of its own: they can be hidden in the stream itself,
    before anything is shortened and a key cut in two."""
    return tuple(secret for secret in secrets if len(secret) >= LONG_SECRET_CHARS)
