"""Check when a sprint may count as done, failed or FATAL, from the evidence alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from proof.simulation import oracle_reports
from proof.simulation.views import RunView, SprintView
from topkick.checks.model import CheckOutcome, Evidence
from topkick.engine import messages as h

if TYPE_CHECKING:
    from proof.simulation.oracle import Oracle

SAME_FAILURE_LIMIT = 3
MAX_TROUBLES = 12


def proven(o: Oracle, name: str, view: SprintView, fact: h.Fact) -> None:
    """Check that a machine's COMPLETED follows from a check in which every command criterion
    passed.
    """
    o.require(view.kind != "manual", "V6", f"{name} is for a person")
    if not isinstance(fact, h.WorkChecked | h.ConditionPolled):
        o.complain("V1", f"{name} was completed by {type(fact).__name__}")
        return
    passed = {r.command for r in fact.evidence.results if r.passed}
    unmet = [c for c in view.checks if c not in passed and c not in view.held]
    o.require(not unmet, "V1", f"{name} is COMPLETED with {unmet} unmet")
    seen = (*fact.evidence.results, *fact.evidence.always)
    failing = [r.command for r in seen if not r.passed and r.command not in view.held]
    o.require(not failing, "N2", f"{name} is COMPLETED although {failing} failed")
    if view.type == "code":
        done = fact.evidence.substance or view.committed
        o.require(done, "VF-03", f"{name} is COMPLETED without a commit")


def exhausted(o: Oracle, name: str, view: SprintView) -> None:
    books = o.books
    same = any(view.marks.count(m) >= SAME_FAILURE_LIMIT for m in view.marks)
    why = (
        view.failures >= books.max_retries
        or view.counted >= books.max_dispatches
        or view.troubles > MAX_TROUBLES
        or view.declared
    )
    o.require(why or same, "C4", f"{name} is FATAL after {view.failures} of {books.max_retries}")
    o.require(not view.unlooked, "N5", f"{name} is FATAL, its last work not looked at")


def judged(o: Oracle, fact: h.Fact, event: h.SprintJudged) -> None:
    view = o.books.sprint(event.unit, event.sprint)
    name, verdict = f"{event.unit}/{event.sprint}", event.outcome.verdict.value
    runs = o.books.open_runs(event.unit)
    run = runs[0] if runs else None
    rejected = isinstance(fact, h.CommandGiven) and isinstance(fact.command, h.Reject)
    if event.charged:
        o.require(verdict == "FAILURE", "C3", f"{name}: {verdict} was charged")
        judged = isinstance(fact, h.WorkChecked) and run is not None and run.dispatched
        o.require(judged or rejected, "C3", f"{name} was charged by {type(fact).__name__}")
        lost = run is not None and run.exit_how == "lost"
        o.require(not lost or rejected, "C3", f"{name} was charged for a lost agent")
        ended_itself = run is not None and oracle_reports.ended_itself(run)
        spared = oracle_reports.of_fact(o, fact) if ended_itself else None
        o.require(not spared, "C3", f"{name} was charged for {spared and spared.conclusion}")
    elif verdict == "FAILURE":
        o.require(event.fatal, "C2", f"{name} failed and was not charged")
    if isinstance(fact, h.WorkChecked) and run is not None and run.dispatched:
        _fair(o, name, view, run, _left(o, run, event, fact.evidence), verdict)
    if event.newly_met or event.charged:
        view.idle = 0
    elif view.verdict == verdict == "PARTIAL":
        view.idle += 1
    limit = o.books.max_continuations
    goes_on = verdict == "PARTIAL" and not event.rest
    o.require(
        view.idle < limit or not goes_on, "C8", f"{name}: {view.idle} idle continuations of {limit}"
    )
    if event.charged:
        view.failures += 1
        view.ever += 1
        view.marks.append(event.fingerprint)
        seen = view.marks.count(event.fingerprint)
        told = seen < SAME_FAILURE_LIMIT or event.fatal or rejected
        o.require(told, "SM-10", f"{name}: the same failure {seen} times")
    o.require(view.failures <= o.books.max_retries, "C1", f"{name} counts {view.failures} failures")
    view.verdict, view.rest = verdict, str(event.rest or "")
    view.declared = str(event.fatal or "")
    view.proof = event.proof.value if event.proof is not None else ""
    view.held = (*view.held, *event.held)
    view.red = bool(event.outcome.failing) and not event.outcome.findings


def _left(o: Oracle, run: RunView, event: h.SprintJudged, seen: Evidence) -> Evidence:
    """Return the evidence without held criteria: red before and after the order, in a tree with
    other units' untested work (GT-02).
    """
    red = {r.command for r in seen.results if r.outcome is CheckOutcome.FAILED}
    unfair = [c for c in event.held if c not in red or c in run.passing]
    o.require(not unfair, "GT-02", f"{run.unit}/{run.sprint} holds {unfair} for the gate")
    others = [u for u in o.books.units.values() if u.name != run.unit and o.gates.is_before(u)]
    shared = others and not o.gates.isolated
    o.require(shared or not event.held, "GT-02", f"{run.unit} holds {event.held} for nobody")
    left = tuple(r for r in seen.results if r.command not in event.held)
    return replace(seen, results=left)


def _fair(
    o: Oracle, name: str, view: SprintView, run: RunView, seen: Evidence, verdict: str
) -> None:
    """Check that words raise nothing, progress is PARTIAL, and a check that cannot run fails no
    unit.
    """
    unmet = [r for r in (*seen.results, *seen.always) if not r.passed]
    newly_met = set(seen.passing) - set(run.passing)
    silence = run.cancel == "no sign of life"
    if verdict == "SUCCESS":
        o.require(
            not unmet, "V2", f"{name}: SUCCESS with {unmet[0].command if unmet else ''} unmet"
        )
        lowered = seen.claim is not None and seen.claim.status in ("partial", "failed", "blocked")
        o.require(not lowered or view.type == "background", "V3", f"{name}: its own word was less")
    cannot = unmet and all(r.outcome is CheckOutcome.CANNOT_RUN for r in unmet)
    background = view.type == "background"
    if verdict == "FAILURE" and not silence and not background:
        o.require(not cannot, "V3", f"{name}: failed by a check that cannot run")
        bounded = view.counted >= o.books.max_dispatches
        o.require(not newly_met or bounded, "V3", f"{name}: failed although it met {newly_met}")
        first = view.verdict != "PARTIAL"
        progress = seen.substance and unmet and first
        o.require(not progress or bounded, "V3", f"{name}: failed although work was done")
    if (
        verdict == "PARTIAL"
        and unmet
        and not cannot
        and not seen.substance
        and view.kind != "manual"
    ):
        o.require(newly_met or background, "SM-07", f"{name}: PARTIAL without progress")
