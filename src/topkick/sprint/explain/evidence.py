"""Show the evidence for a verdict: the commands that were run, test counts, findings,
and waivers.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from topkick.checks.model import CheckResult, Counts, Evidence, Finding, Where
from topkick.engine import messages as h
from topkick.sprint import status
from topkick.sprint.blockers import unit as blockers_unit
from topkick.sprint.blockers.model import Blocked
from topkick.sprint.check_wording import name_of
from topkick.sprint.check_wording import told as told_check
from topkick.sprint.explain import page as explained
from topkick.sprint.explain.page import Chain
from topkick.sprint.gates import views as gates
from topkick.sprint.model import Mission, Outcome, Sprint, Unit, held_against
from topkick.sprint.status import proof_told
from topkick.sprint.views import blocker_lines
from topkick.text import escape
from topkick.text import format as fmt
from topkick.text.format import counted

WHERE = {
    Where.COMMIT: "in topkick's own tree at the commit",
    Where.COLD: "in a new tree of topkick's own",
    Where.PLACE: "where the work was done",
}


@dataclass(slots=True)
class SprintRecord:
    """The journal's records of one sprint: its last evidence, its last verdict, each waiver.

    `gate` is the gate whose failure the sprint repairs.
    """

    evidence: Evidence | None = None
    evidence_seq: int = 0
    outcome: Outcome | None = None
    judged_seq: int = 0
    judged_at_us: int = 0
    before: h.RunDispatched | None = None
    gate: str = ""
    waived: list[tuple[int, int, h.FindingWaived]] = field(default_factory=list)


def told_of(
    happenings: Iterable[tuple[int, int, h.Happening]], unit: str, sprint: str
) -> SprintRecord:
    """Collect the records of one sprint. `happenings` carry their numbers and times, as in the
    journal.
    """
    told, runs, was_added = SprintRecord(), set[str](), False
    for seq, at_us, happening in happenings:
        match happening:
            case h.RunOpened(run_id, of_unit, of_sprint) if (of_unit, of_sprint) == (unit, sprint):
                runs.add(run_id)
            case h.RunDispatched(run_id) if run_id in runs:
                told.before = told.before or happening
            case h.WorkChecked(run_id, evidence) if run_id in runs:
                told.evidence, told.evidence_seq = evidence, seq
            case h.SprintJudged(of_unit, of_sprint, outcome) if (of_unit, of_sprint) == (
                unit,
                sprint,
            ):
                told.outcome, told.judged_seq, told.judged_at_us = outcome, seq, at_us
            case h.SprintAdded(of_unit, plan) if (of_unit, plan.id) == (unit, sprint):
                was_added = plan.repair
            case h.GateClosed(gate_id) if was_added:
                told.gate, was_added = gate_id, False
            case h.FindingWaived(of_unit, of_sprint) if (of_unit, of_sprint) == (unit, sprint):
                told.waived.append((seq, at_us, happening))
            case _:
                pass
    return told


# --- as text -------------------------------------------------------------------------------


def render(
    mission: Mission,
    unit: Unit,
    sprint: Sprint,
    told: SprintRecord,
    utc_offset_s: int,
    *,
    whole: bool,
    chain: Chain = (),
    also: tuple[Blocked, ...] = (),
    diff: tuple[str, ...] = (),
) -> list[str]:
    x = status.handle(unit, sprint)
    how = f" ({proof_told(sprint)})" if sprint.proof is not None else ""
    head = f"{x} {escape.line(unit.name)}: Sprint {escape.line(sprint.id)}, "
    lines = [f"{head}{escape.line(sprint.plan.name, 60)}: {sprint.state}{how}"]
    lines += [f"  {text}" for text in explained.now(_now(mission, unit, sprint, also))]
    lines += [f"  {text}" for text in explained.model_and_attempts(mission, sprint, chain)]
    if told.outcome is not None:
        at = fmt.day_and_clock(told.judged_at_us, utc_offset_s)
        lines.append(f"  Verdict: {told.outcome.verdict}, {at} (record {told.judged_seq})")
        lines += [f"    - {escape.line(reason, 300)}" for reason in told.outcome.reasons]
    lines += [f"  {told_}" for told_ in _of_gates(mission, unit, sprint, told)]
    if told.evidence is not None:
        lines += _evidence(sprint, told, whole=whole)
    elif sprint.outcome is None:
        lines.append("  It has not been judged yet.")
    lines += _diff(sprint, diff)
    lines += _waived(told, utc_offset_s)
    lines += [f"  {text}" for text in explained.chain(chain, utc_offset_s)]
    return lines


def _now(
    mission: Mission, unit: Unit, sprint: Sprint, also: tuple[Blocked, ...]
) -> tuple[Blocked, ...]:
    found = blockers_unit.of_sprint(mission, unit, sprint)
    return (*also, *found) if found else ()


def _of_gates(mission: Mission, unit: Unit, sprint: Sprint, told: SprintRecord) -> Iterator[str]:
    """Yield how gates concern the sprint: criteria held for a gate, and the gate whose failure it
    repairs.
    """
    gate = gates.waits_for(mission, unit)
    if sprint.held:
        where = gate or f"the gate of {gates.phase(unit)}"
        yield f"Held: {gates.held_of(sprint)}: run at {where.partition(':')[0]}, not before"
        yield f"  ({_why_held(sprint)})"
    elif gate and sprint is unit.sprints[unit.at - 1 if unit.current is None else unit.at]:
        yield f"The unit waits for {gate}"
    if told.gate:
        yield f"It repairs what gate {told.gate} found. Why: topkick explain {told.gate}"
    if unit.hold:
        output = blocker_lines.excerpt(unit.hold).splitlines()
        yield f"The unit may not begin: {escape.line(blocker_lines.told(unit.hold), 200)}"
        yield from (f"  │ {escape.cut(line.expandtabs(4), 150)}" for line in output[-10:])


def _why_held(sprint: Sprint) -> str:
    if sprint.plan.judged_at_gate:
        return "they also fail for reasons that other units repair"
    return "other agents worked in the same tree, so nothing was built there"


def _evidence(sprint: Sprint, told: SprintRecord, *, whole: bool) -> Iterator[str]:
    seen = told.evidence
    assert seen is not None
    at = f", commit {seen.head[:10]}" if seen.head else ""
    tree = f", tree {seen.tree[:10]}" if seen.tree else ""
    yield f"  Checked {WHERE[seen.where]}{at}{tree} (record {told.evidence_seq}):"
    before = told.before.dispatch.passing if told.before is not None else ()
    for result in (*seen.results, *seen.always):
        mark = ", passed before the order too" if result.command in before else ""
        yield f"    {result_line(result)}{mark}"
        if whole:
            yield from _output(result)
    for result in seen.earlier:
        yield f"    the tests as they were: {result_line(result)}"
        if whole:
            yield from _output(result)
    yield from _work(seen)
    yield from _findings(sprint, seen)


def result_line(result: CheckResult) -> str:
    took = fmt.lasted(result.duration_ms * 1000)
    return f"{result.outcome.value:<10} {result_words(result)}, {took}"


def result_words(result: CheckResult) -> str:
    """Describe the check as the plan states it, its result, and what it counted."""
    code = f", exit {result.code}" if result.code is not None else ""
    if result.criterion and not result.passed:
        name, code = told_check(result), ""
    else:
        name = name_of(result)
    counts = f", {told_counts(result.counts)}" if result.counts is not None else ""
    return f"{escape.line(name, 200)}{code}{counts}"


def told_counts(counts: Counts) -> str:
    parts = [f"{counts.passed} passed"]
    parts += [f"{counts.failed} failed"] if counts.failed else []
    parts += [f"{counts.skipped} skipped"] if counts.skipped else []
    return " ".join(parts)


def _output(result: CheckResult) -> Iterator[str]:
    if result.criterion:
        yield f"      ran: {escape.line(result.command, 400)}"
    for line in escape.block(result.excerpt).rstrip().split("\n"):
        if line:
            yield f"      │ {escape.cut(line.expandtabs(4), 160)}"


def _work(seen: Evidence) -> Iterator[str]:
    if seen.commits:
        shown = " ".join(c[:10] for c in seen.commits[:8])
        yield f"  Commits since the order: {len(seen.commits)} ({shown})"
    if seen.outside is not None:
        yield f"  Elsewhere: {escape.line(seen.outside.told, 200)}"
    if seen.uncommitted:
        files = ", ".join(escape.line(f, 60) for f in seen.uncommitted[:8])
        yield f"  Not committed: {files}"
    if seen.claim is not None:
        said = escape.line(f"{seen.claim.status}: {seen.claim.summary}", 160)
        yield f"  The agent said (a hint, no evidence): {said}"
    if seen.unread:
        files = ", ".join(escape.line(f, 60) for f in seen.unread[:8])
        yield f"  Compared as files only (topkick does not read their language): {files}"


def _findings(sprint: Sprint, seen: Evidence) -> Iterator[str]:
    if not seen.findings:
        return
    judged = sprint.outcome.findings if sprint.outcome is not None else ()
    held = {f.id for f in held_against(sprint, judged)}
    waived = {w.finding for w in sprint.waivers}
    yield f"  {counted(len(seen.findings), 'finding')}:"
    for finding in seen.findings:
        yield f"    {_finding(finding)}"
        if finding.permitted:
            yield f"      the plan permits it: {escape.line(finding.permitted, 160)}"
        elif finding.id in waived:
            yield "      waived"
        elif finding.id not in held:
            yield "      settled by a criterion that is newly met"


def _finding(finding: Finding) -> str:
    where = escape.line(finding.file, 80) + (f":{finding.line}" if finding.line else "")
    told = escape.line(finding.what, 240)
    return f"{finding.id}  {finding.kind}: {told}" + (f"  [{where}]" if finding.file else "")


def _diff(sprint: Sprint, diff: tuple[str, ...]) -> Iterator[str]:
    if not diff or sprint.base_at_first is None or sprint.outcome is None:
        return
    yield f"  Changed there, {sprint.base_at_first[:10]}..{sprint.outcome.head[:10]}:"
    yield from (f"    │ {escape.cut(escape.block(line).expandtabs(4), 160)}" for line in diff)


def _waived(told: SprintRecord, utc_offset_s: int) -> Iterator[str]:
    for seq, at_us, event in told.waived:
        by = f" by {escape.line(event.waiver.by, 40)}" if event.waiver.by else ""
        at = fmt.day_and_clock(at_us, utc_offset_s)
        why = escape.line(event.waiver.why, 200)
        yield f"  {event.waiver.finding} waived{by}, {at} (record {seq}): {why}"


# --- as JSON -------------------------------------------------------------------------------


def as_json(
    mission: Mission,
    unit: Unit,
    sprint: Sprint,
    told: SprintRecord,
    chain: Chain = (),
    also: tuple[Blocked, ...] = (),
) -> dict[str, Any]:
    seen, outcome = told.evidence, told.outcome
    return {
        "handle": status.handle(unit, sprint),
        "state": sprint.state.value,
        "proof": sprint.proof.value if sprint.proof is not None else None,
        "verdict": outcome.verdict.value if outcome is not None else None,
        "reasons": list(outcome.reasons) if outcome is not None else [],
        "record": told.judged_seq or None,
        "held_criteria": list(sprint.held),
        "repairs_gate": told.gate or None,
        "unit_held": blocker_lines.whole(unit.hold) or None,
        "evidence": _seen_json(sprint, seen) if seen is not None else None,
        "waived": [
            {
                "finding": e.waiver.finding,
                "why": e.waiver.why,
                "by": e.waiver.by or None,
                "at": fmt.iso(at_us),
                "record": seq,
            }
            for seq, at_us, e in told.waived
        ],
        **explained.as_json(_now(mission, unit, sprint, also), chain),
    }


def _seen_json(sprint: Sprint, seen: Evidence) -> dict[str, Any]:
    held = {f.id for f in held_against(sprint, seen.findings)}
    return {
        "where": seen.where.value,
        "commit": seen.head,
        "tree": seen.tree or None,
        "results": [result_json(r) for r in seen.results],
        "always": [result_json(r) for r in seen.always],
        "tests_as_they_were": [result_json(r) for r in seen.earlier],
        "commits": list(seen.commits),
        "uncommitted": list(seen.uncommitted),
        "compared_as_files_only": list(seen.unread),
        "findings": [
            {
                "id": f.id,
                "kind": f.kind.value,
                "what": f.what,
                "file": f.file or None,
                "line": f.line or None,
                "subject": f.subject or None,
                "permitted_by_the_plan": f.permitted or None,
                "held_against_it": f.id in held,
            }
            for f in seen.findings
        ],
    }


def result_json(result: CheckResult) -> dict[str, Any]:
    counts = result.counts
    return {
        "command": result.command,
        "criterion": result.criterion or None,
        "expected": result.expected or None,
        "got": result.got or None,
        "outcome": result.outcome.value,
        "exit_code": result.code,
        "duration_ms": result.duration_ms,
        "counts": None
        if counts is None
        else {"passed": counts.passed, "failed": counts.failed, "skipped": counts.skipped},
        "output": result.excerpt,
    }
