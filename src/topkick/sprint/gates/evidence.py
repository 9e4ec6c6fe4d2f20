"""The page that explains a gate: every run, what was in it, what it showed, and what follows."""

import re
from collections.abc import Iterator

from topkick.checks.model import CheckResult
from topkick.sprint.blockers.model import Blocked
from topkick.sprint.blockers.waits import GateAsks
from topkick.sprint.explain import evidence
from topkick.sprint.gates import views as gates
from topkick.sprint.gates.model import Gate, GateKind, GateRun, GateVerdict
from topkick.sprint.model import Mission
from topkick.sprint.views.blocker_lines import offer_lines
from topkick.text import escape
from topkick.text import format as fmt
from topkick.text.format import counted

OUTPUT_LINES = 10
FAILING_SHOWN = 8
_SUM = re.compile(r"[0-9a-f]{12}")


def render(mission: Mission, gate: Gate, now_us: int, utc_offset_s: int) -> list[str]:
    of = f" of {gates.names(gate.units)}" if gate.covers else ""
    is_open = gate.verdict is None
    how = gates.under_way(mission, gate, now_us) if is_open else gates.outcome(gate)
    return [
        f"{gates.title(gate)}{of}: {how}",
        *_when(gate, utc_offset_s),
        *_by(gate),
        *(line for n, run in enumerate(gate.runs, start=1) for line in _run(gate, run, n)),
        *(f"  Why: {why}" for why in reasons(gate)),
        *_innocent(gate),
        *_follows(mission, gate),
    ]


def _when(gate: Gate, utc_offset_s: int) -> Iterator[str]:
    opened = fmt.day_and_clock(gate.opened_at_us, utc_offset_s)
    closed = fmt.day_and_clock(gate.closed_at_us, utc_offset_s) if gate.closed_at_us else ""
    end = f", closed {closed}" if closed else ""
    last = "; the last of the run" if gate.final else ""
    yield f"  Opened {opened}{end}{last}"


def _by(gate: Gate) -> Iterator[str]:
    for command in gate.commands:
        yield f"  Command: `{escape.line(command, 120)}`"
    if not gate.commands and any(run.detected and run.results for run in gate.runs):
        yield "  Commands: those that the manifests call for"
    for held in gate.held:
        yield f"  Held for it by {escape.line(held.unit, 40)}: {escape.line(held.named, 120)}"


def _run(gate: Gate, run: GateRun, number: int) -> Iterator[str]:
    at = f", at {gates.commits(run)}" if run.tips else ""
    yield f"  Run {number}: {gates.content(gate, run.units, number)}{at}"
    if run.trouble:
        yield f"    the work could not be merged: {escape.line(run.trouble, 200)}"
    elif not run.results:
        yield "    nothing was run"
    for result in run.results:
        yield f"    {evidence.result_line(result)}"
        if not result.passed or gate.verdict is GateVerdict.WARNED:
            yield from _output(gate, result, number)
    first = not any(r.failing == run.failing for r in gate.runs[: number - 1])
    failing = named_failures(run)
    if failing and first:
        told = [escape.line(name, 100) for name in failing[:FAILING_SHOWN]]
        more = len(failing) - len(told)
        yield f"    failing: {', '.join(told)}" + (f" and {more} more" if more > 0 else "")
    if run.suspects and first:
        yield f"    the failures name files of: {gates.names(run.suspects)}"


def named_failures(run: GateRun) -> list[str]:
    """Return the failing tests by name, without the hashes that mark an output which
    names no test.
    """
    marks = (mark.partition("\t")[2] for mark in run.failing)
    return [mark for mark in marks if not _SUM.fullmatch(mark)]


def _output(gate: Gate, result: CheckResult, number: int) -> Iterator[str]:
    """Yield the last lines of the output, or a reference to the earlier run that
    printed the same.
    """
    for earlier, run in enumerate(gate.runs[: number - 1], start=1):
        if result.excerpt and any(r.excerpt == result.excerpt for r in run.results):
            yield f"      │ (as in run {earlier})"
            return
    for line in escape.block(result.excerpt).rstrip().split("\n")[-OUTPUT_LINES:]:
        if line:
            yield f"      │ {escape.cut(line.expandtabs(4), 150)}"


def reasons(gate: Gate) -> Iterator[str]:
    """Yield how the verdict follows from the runs."""
    runs = counted(len(gate.runs), "run")
    match gate.verdict:
        case None:
            if gate.runs:
                yield "not clear yet; the gate runs again"
        case GateVerdict.PASSED:
            yield "the judge found nothing against it" if gate.task else "every command passed"
        case GateVerdict.WARNED:
            yield "the judge warns, and lets it pass; its report has the warnings"
        case GateVerdict.BLOCKED:
            yield "the judge does not let it pass; no unit is charged, and a person decides"
        case GateVerdict.NOT_RUN:
            yield "nothing was built or tested, so nothing shows that the work fits together"
        case GateVerdict.PRE_EXISTING:
            yield f"the same fails on the base, without this work ({runs}); no unit is charged"
        case GateVerdict.FLAKY:
            yield f"with the same work it did not fail each time ({runs}); no unit is charged"
        case GateVerdict.CANNOT_RUN:
            yield "it says nothing about the work; no unit is charged"
        case GateVerdict.UNCLEAR:
            yield f"it fails each time, and the unit that causes it was not found ({runs})"
        case GateVerdict.CULPRITS if gate.kind is GateKind.CLEARANCE:
            unit = escape.line(gate.clears, 40)
            yield f"{unit} may not begin before it passes; no unit is charged"
        case GateVerdict.CULPRITS | GateVerdict.INTERACTION:
            yield from _of_red(gate)


def _of_red(gate: Gate) -> Iterator[str]:
    if _is_old(gate):
        yield "it fails on the base as well, but as a held exit criterion the unit has to meet it"
        return
    yield "what fails does not fail on the base, and it failed again each time it was run again"
    for group in gate.groups:
        if len(group) > 1:
            others, last = gates.names(group[:-1]), gates.names(group[-1:])
            yield f"{others} and {last} fail only together; {last} came last and repairs it"
        elif len(gate.units) > 1:
            yield f"it fails only with the work of {gates.names(group)}"


def _is_old(gate: Gate) -> bool:
    """Return whether everything that fails with the units' work fails in each run of
    the base too.
    """
    bases = [set(run.failing) for run in gate.runs if not run.units]
    whole = gates.whole_run(gate)
    return bool(bases) and whole is not None and set(whole.failing) <= set.intersection(*bases)


def _innocent(gate: Gate) -> Iterator[str]:
    others = tuple(u for u in gate.units if not any(u in group for group in gate.groups))
    if gate.groups and others:
        yield f"  Not charged: {gates.names(others)}"


def _follows(mission: Mission, gate: Gate) -> Iterator[str]:
    if gate.id not in mission.gates or gate.verdict is None:
        return
    yield "  Waits for a person:"
    asks = Blocked(gate.id, GateAsks(gate))
    yield from (f"    {text}" for text in offer_lines(asks, looks=False))
