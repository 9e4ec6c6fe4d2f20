"""Read the agent's claim or answer, and its program's report about the end of the run."""

from dataclasses import replace
from pathlib import Path

from topkick.boards import safe
from topkick.core.agents import PLAIN, AgentExit, AgentReport, Ending
from topkick.core.evidence import Claim
from topkick.outside.ground.claims import last_words, parse_claim, read_claim
from topkick.outside.ground.looks import Heard, Look


def said(look: Look) -> tuple[Claim | None, AgentReport | None]:
    if not look.output_of:
        return None, None
    run_dir = Path(look.output_of)
    if look.program is None or look.program.adapter == PLAIN:
        return read_claim(run_dir, look.secrets), None
    from topkick.outside.agents.listening import heard_all  # by those who need it: it takes time

    heard = heard_all(run_dir, look.program, look.resumed, safe.long_ones(look.secrets))
    lines = safe.redact(heard.last_said, look.secrets).strip().splitlines()
    claim = parse_claim(lines[-1]) if lines else None
    report = heard.report(look.ended or AgentExit(Ending.STOPPED))
    words = safe.redact(report.said, look.secrets)
    denied = tuple(safe.redact(tool, look.secrets) for tool in report.denied)
    return claim, replace(report, said=words, denied=denied, usage=heard.usage)


def heard(look: Look) -> Heard:
    """Return only the answer: outside a plan nothing else is checked."""
    run_dir = Path(look.output_of)
    if look.program is None or look.program.adapter == PLAIN:
        return Heard(last_words(run_dir, look.secrets))
    from topkick.outside.agents.listening import heard_all  # by those who need it: it takes time

    listener = heard_all(run_dir, look.program, look.resumed, safe.long_ones(look.secrets))
    report = listener.report(look.ended or AgentExit(Ending.STOPPED))
    words = safe.redact(report.said, look.secrets)
    report = replace(report, said=words, usage=listener.usage)
    return Heard(safe.redact(listener.answer, look.secrets), report)
