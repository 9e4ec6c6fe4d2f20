"""Planted bugs in the core and in the sprint policy; the oracle has to notice every one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from gate_mutants import GATE_MUTANTS
from planted import Mutant

from proof.altered_package import linked

TESTS = Path(__file__).parent.parent
CAUGHT = 9


KERNEL = "engine/kernel.py"
ORDERS = "sprint/orders.py"
VERDICT = "sprint/policy/verdict.py"
MODEL = "sprint/model.py"
TRANSITIONS = "sprint/transitions.py"
STANDING = "sprint/status.py"
REVISION = "sprint/fold.py"
RUN_FOLDS = "engine/run_fold.py"
SPRINT_FOLDS = "sprint/fold.py"
WITHIN = "sprint/fold.py"
MOVES = "sprint/policy/moves.py"
JUDGING = "sprint/policy/judgement.py"
WATCHING = "sprint/policy/run_trouble.py"
REFUSALS = "sprint/obey/refusals.py"
RESUMING = "sprint/obey/resume.py"
STOPPING = "sprint/obey/stop.py"
DECIDING = "sprint/obey/commands.py"

INTEGRATING = "sprint/policy/integration.py"
READINESS, UNIT_INDEX = "sprint/readiness.py", "sprint/unit_index.py"
ORDER_BLOCKERS = "sprint/blockers/order.py"
UNIT_BLOCKERS = "sprint/blockers/unit.py"
BLOCKERS = "sprint/blockers/model.py"

CLAIMS = "sprint/policy/judgement.py"
NOTING = "sprint/needs/policy.py"

MUTANTS = (
    Mutant("a claim is believed unseen", CLAIMS, "    if unmet:\n", "    if False:\n"),
    Mutant("a claim that nothing shows is believed", CLAIMS, "if claim.taken:", "if True:"),
    Mutant(
        "a person's word is called a check",
        CLAIMS,
        "evidence, Proof.ACCEPTED, why)",
        "evidence, Proof.CHECKED, why)",
    ),
    Mutant("a need is never resolved", NOTING, "if key not in listed and", "if False and"),
    Mutant(
        "a need is told of again and again",
        NOTING,
        "if before is not None and not before.resolved:",
        "if False:",
    ),
    Mutant(
        "what two define is not noticed",
        NOTING,
        "if u != unit and name in names",
        "if u == unit and name in names",
    ),
    Mutant(
        "every need is an import",
        "sprint/needs/model.py",
        "if target and allowed:",
        "if target or allowed:",
    ),
    Mutant(
        "reconciled before all are done",
        NOTING,
        "any(u.state is not UnitState.COMPLETED for u in units)",
        "all(u.state is not UnitState.COMPLETED for u in units)",
    ),
    Mutant("passes without end", NOTING, "if last <= {", "if last < {"),
    Mutant("nothing is reconciled", NOTING, "    if all(need", "    if True or all(need"),
    Mutant(
        "reconciled although a person said not to",
        NOTING,
        "if not mission.settings.reconcile or",
        "if",
    ),
    Mutant(
        "an edited plan takes the pass away",
        REVISION,
        " | {n for n, u in now.items() if u.plan.reconciles}",
        "",
    ),
    Mutant("nobody looks at a claim", ORDER_BLOCKERS, " or sprint.claim is not None\n", "\n"),
    Mutant(
        "what was claimed begins without a look at its ground",
        RUN_FOLDS,
        "evolve(sprint, claim=None, ground=None)",
        "evolve(sprint, claim=None)",
    ),
    Mutant(
        "a unit is done before its work is merged",
        MOVES,
        "if mission.isolation is not None and unit.integrated < len(unit.sprints):",
        "if False:",
    ),
    Mutant("nothing is ever merged", MOVES, "    integrate,\n", ""),
    Mutant(
        "a conflict is met again while it is being resolved",
        READINESS,
        " or _is_merging(unit):",
        ":",
    ),
    Mutant("two merges at once", ORDERS, "if run is _first_to_integrate(mission):", "if True:"),
    Mutant(
        "a merge takes an agent's place",
        MOVES,
        "run.stage not in WITHOUT_AGENT for",
        "run.stage is not Stage.WAITING for",
    ),
    Mutant(
        "a sprint begins before what it waits for is merged",
        READINESS,
        "done = unit.at if mission.isolation is None else unit.integrated",
        "done = unit.at",
    ),
    Mutant(
        "a tree does not catch up",
        ORDERS,
        "catch_up=bool(plan.waits_for) or plan.repair,",
        "",
    ),
    Mutant(
        "a conflict is merged all the same",
        INTEGRATING,
        "    if found.conflicts:\n",
        "    if False:\n",
    ),
    Mutant(
        "a conflict met on the way is not heeded",
        MOVES,
        "    if ground.conflicts and sprint.state is SprintState.PENDING:\n",
        "    if False:\n",
    ),
    Mutant(
        "a conflict comes in before what has begun",
        MOVES,
        "    if ground.conflicts and sprint.state is SprintState.PENDING:\n",
        "    if ground.conflicts:\n",
    ),
    Mutant(
        "a merge need not be one",
        INTEGRATING,
        'Criterion(f"`{merged}` exits 0", CriterionKind.COMMAND, merged, named=merged),',
        "",
    ),
    Mutant(
        "a revised plan forgets a merge",
        REVISION,
        "return has_begun(sprint) or sprint.plan.generated",
        "return has_begun(sprint)",
    ),
    Mutant(
        "something is merged after killall",
        INTEGRATING,
        "or mission.stance is Stance.KILLED:",
        "or False:",
    ),
    Mutant(
        "trouble with a merge is nobody's to see",
        UNIT_BLOCKERS,
        "            if finished is not None and finished.hold is not None:\n",
        "            if False:\n",
    ),
    Mutant(
        "what was not checked is merged",
        ORDERS,
        "commit=checked.head if checked is not None else",
        "commit=",
    ),
    Mutant(
        "a merge is looked for in the unit's directory",
        ORDERS,
        "whole=sprint.plan.generated,",
        "",
    ),
    Mutant(
        "FATAL without BLOCKED",
        MOVES,
        "        unit_moves(unit, UnitCause.SPRINT_FATAL),\n",
        "",
    ),
    Mutant(
        "PARTIAL charges",
        JUDGING,
        "_judged(run, found, evidence),\n        sprint_moves(run.unit, sprint, SprintCause.PROGR",
        "_judged(run, found, evidence, charged=True),\n"
        "        sprint_moves(run.unit, sprint, SprintCause.PROGR",
    ),
    Mutant(
        "a kill charges",
        SPRINT_FOLDS,
        "        sprint,\n        interrupted=run.dispatch,",
        "        sprint,\n        failures=sprint.failures + 1,\n        interrupted=run.dispatch,",
    ),
    Mutant(
        "a retry does not reset the counter",
        SPRINT_FOLDS,
        "s = evolve(s, failures=0, f",
        "s = evolve(s, f",
    ),
    Mutant(
        "the lifetime count is reset",
        SPRINT_FOLDS,
        "s = evolve(s, failures=0, f",
        "s = evolve(s, failures=0, failures_ever=0, f",
    ),
    Mutant(
        "one attempt too many",
        MOVES,
        "if sprint.failures >= settings.max_retries:",
        "if sprint.failures > settings.max_retries:",
    ),
    Mutant(
        "one attempt too few",
        MOVES,
        "if sprint.failures >= settings.max_retries:",
        "if sprint.failures + 1 >= settings.max_retries:",
    ),
    Mutant(
        "an exit counts twice",
        KERNEL,
        "            return _stage(mission, run_id) is not Stage.WORKING\n",
        "            return _stage(mission, run_id) is None\n",
    ),
    Mutant(
        "a verdict counts twice",
        KERNEL,
        "            return _stage(mission, run_id) is not Stage.CHECKING\n",
        "            return _stage(mission, run_id) is None\n",
    ),
    Mutant(
        "dispatch while stopped",
        MOVES,
        "if mission.stance is not Stance.WORKING:\n        return ()\n    return (\n        check",
        "return (\n        check",
    ),
    Mutant(
        "dispatch without a driver",
        MOVES,
        "    if not mission.driven:\n        return ()\n",
        "",
    ),
    Mutant(
        "launch while stopping",
        ORDERS,
        "launch = mission.stance is Stance.WORKING and not draining",
        "launch = True",
    ),
    Mutant(
        "launch while one unit is stopping",
        ORDERS,
        "mission.stance is Stance.WORKING and not draining",
        "mission.stance is Stance.WORKING",
    ),
    Mutant(
        "two runs a unit",
        UNIT_INDEX,
        "UnitState.RUNNING and run is None and unit.current",
        "UnitState.RUNNING and unit.current",
    ),
    Mutant("one agent too many", MOVES, "max_agents - busy", "max_agents + 1 - busy"),
    Mutant(
        "a waiting condition takes an agent's place",
        MOVES,
        "busy = sum(run.stage not in WITHOUT_AGENT for run in mission.runs.values())",
        "busy = len(mission.runs)",
    ),
    Mutant(
        "the next sprint before the last is completed",
        WITHIN,
        "sprints[at].state is SprintState.COMPLETED:\n",
        "sprints[at].state in {SprintState.COMPLETED, SprintState.PARTIAL}:\n",
    ),
    Mutant(
        "COMPLETED reopened by resume",
        TRANSITIONS,
        "    (U.STOPPED, UnitCause.RESUME): U.RUNNING,\n",
        "    (U.STOPPED, UnitCause.RESUME): U.RUNNING,\n"
        "    (U.COMPLETED, UnitCause.RESUME): U.RUNNING,\n",
        ((RESUMING, "case UnitState.STOPPED:", "case UnitState.STOPPED | UnitState.COMPLETED:"),),
    ),
    Mutant(
        "a dependency is enough if it has begun",
        READINESS,
        "mission.units[n].state is UnitState.COMPLETED for n in unit.plan.waits_for",
        "mission.units[n].state is not UnitState.NOT_STARTED for n in unit.plan.waits_for",
        (
            (
                UNIT_INDEX,
                "unit is not None and unit.state is UnitState.COMPLETED",
                "unit is not None and unit.state is not UnitState.NOT_STARTED",
            ),
        ),
    ),
    Mutant(
        "manual completed by a machine",
        VERDICT,
        "if sprint.plan.effective_type is SprintType.MANUAL:",
        "if False:",
    ),
    Mutant(
        "a deferred sprint fails by waiting",
        JUDGING,
        '        return (decided(run, "Still waiting", waits),)\n',
        "        return _declared_failure(run, sprint, evidence)\n",
    ),
    Mutant(
        "a declared failure is waited out",
        JUDGING,
        "if declared is not None and any(",
        "if declared is None and any(",
    ),
    Mutant(
        "a killed run is not looked at again",
        ORDER_BLOCKERS,
        "    return sprint.interrupted is not None or sprint.claim",
        "    return sprint.claim",
    ),
    Mutant(
        "a killed run at its last dispatch is given up unlooked",
        MOVES,
        "    if sprint.interrupted is not None:  # its work",
        "    if False:  # its work",
    ),
    Mutant(
        "the ground of another moment is built on",
        MOVES,
        "is_fresh = sprint.ground is not None and sprint.ground_at_us == mission.at_us",
        "is_fresh = sprint.ground is not None",
    ),
    Mutant(
        "an entry criterion looked at ahead is not heeded",
        MOVES,
        "unmet = [r for r in ground.entry if not r.passed]",
        "unmet = []",
    ),
    Mutant(
        "what lay uncommitted before counts as work",
        JUDGING,
        "if f not in sprint.uncommitted_at_first]",
        "]",
    ),
    Mutant(
        "a resume in the middle of a stop",
        REFUSALS,
        "    if draining and mission.stance is Stance.STOPPING:\n",
        "    if False:\n",
    ),
    Mutant(
        "a limit set below what was used of it",
        REFUSALS,
        "    if sprint.failures > settings.max_retries:\n",
        "    if False:\n",
    ),
    Mutant(
        "work found done is done again",
        JUDGING,
        "if found.verdict is not Verdict.SUCCESS or not found.newly_met:",
        "if True:",
    ),
    Mutant(
        "a hold is ignored", ORDER_BLOCKERS, "    if sprint.hold is not None:\n", "    if False:\n"
    ),
    Mutant(
        "an entry criterion is ignored",
        MOVES,
        "    if unmet:\n        hold = EntryUnmet",
        "    if not unmet:\n        hold = EntryUnmet",
    ),
    Mutant(
        "what rests for a person is given out",
        ORDER_BLOCKERS,
        "    if sprint.rest is not None:\n",
        "    if False:\n",
    ),
    Mutant(
        "stop forces at once",
        "sprint/timers.py",
        "since_us + round(mission.settings.stop_patience_s * 1e6)",
        "since_us",
    ),
    Mutant(
        "stop never forces",
        MOVES,
        "    lose_patience,\n    end_",
        "    end_",
    ),
    Mutant(
        "killall leaves a unit RUNNING",
        MOVES,
        "if mission.stance is not Stance.KILLED or unit.state not in LIVE:",
        "if mission.stance is not Stance.KILLED or unit.state is not UnitState.STOPPING:",
    ),
    Mutant(
        "killall judges instead of killing",
        STOPPING,
        'yield h.RunClosed(run.id, "killall")',
        "pass",
    ),
    Mutant(
        "a lost run is charged",
        JUDGING,
        "return spared or _failed(run, sprint, found, evidence)",
        "return _failed(run, sprint, found, evidence)",
    ),
    Mutant(
        "trouble does not rest",
        ORDER_BLOCKERS,
        "    if sprint.not_before_us > mission.at_us:\n",
        "    if False:\n",
    ),
    Mutant(
        "an agent that cannot start is tried again",
        ORDER_BLOCKERS,
        "    if down is not None:\n",
        "    if False:\n",
    ),
    Mutant(
        "silence is not charged",
        WATCHING,
        "if run.cancel is not None and run.cancel.why in JUDGED:",
        "if False:",
    ),
    Mutant(
        "silence is never too long", WATCHING, "if polls >= QUIET_ENDED:", "if polls > QUIET_ENDED:"
    ),
    Mutant(
        "what passed before counts as checked",
        VERDICT,
        "set(evidence.passing) - set(sprint.passing_at_first)",
        "set(evidence.passing)",
    ),
    Mutant(
        "a claim raises a verdict",
        VERDICT,
        "    if unmet:\n",
        '    if unmet and not (evidence.claim and evidence.claim.status == "done"):\n',
    ),
    Mutant(
        "modest words turn nothing into progress",
        VERDICT,
        "    claim = evidence.claim\n    if found.verdict is not Verdict.SUCCESS:\n",
        "    claim = evidence.claim\n    if False:\n",
    ),
    Mutant(
        "a progress file lowers nothing",
        VERDICT,
        "    if evidence.progress in LOWERING_PROGRESS:",
        "    if False:",
    ),
    Mutant(
        "findings are only shown",
        VERDICT,
        "contradicted if held else",
        "contradicted if False else",
    ),
    Mutant("findings go back for ever", VERDICT, "        and not sprint.returned\n", ""),
    Mutant(
        "a finding goes back beyond the limit of orders",
        VERDICT,
        "        and sprint.counted_dispatches < settings.max_dispatches\n    )",
        "    )",
    ),
    Mutant(
        "an agent that leaves a returned finding is charged",
        VERDICT,
        "sprint.committed and (progress or answers)",
        "sprint.committed and progress",
    ),
    Mutant(
        "a returned finding is an idle continuation",
        "sprint/fold.py",
        "is Verdict.PARTIAL and not e.returned:",
        "is Verdict.PARTIAL:",
    ),
    Mutant(
        "after FATAL a finding does not go back",
        "sprint/fold.py",
        "troubles=0, returned=False)",
        "troubles=0)",
    ),
    Mutant(
        "a waived finding is still shown",
        SPRINT_FOLDS,
        "return evolve(s, rest=FindingsOpen(left)) if s.rest and left else s",
        "return s",
    ),
    Mutant(
        "work that was there before is charged",
        VERDICT,
        "if not ended and _was_done_before(sprint, evidence):",
        "if False:",
    ),
    Mutant(
        "an agent that broke down is taken for one with nothing to do",
        VERDICT,
        "if not ended and _was_done_before(sprint, evidence):",
        "if _was_done_before(sprint, evidence):",
    ),
    Mutant(
        "what the plan permits is held against the agent",
        MODEL,
        "if not f.permitted and f.id not in waived",
        "if f.id not in waived",
    ),
    Mutant(
        "a finding that a person waived is held against the agent",
        MODEL,
        "if not f.permitted and f.id not in waived",
        "if not f.permitted",
    ),
    Mutant(
        "one waiver is for all findings",
        MODEL,
        "if not f.permitted and f.id not in waived",
        "if not f.permitted and not waived",
    ),
    Mutant(
        "a waiver outlives what was seen",
        "checks/model.py",
        "parts = (self.kind, self.file, self.subject, self.seen)",
        "parts = (self.kind, self.file, self.subject)",
    ),
    Mutant(
        "what is proven is called beside the point",
        VERDICT,
        "if not proven or f.kind is not beside",
        "if True",
    ),
    Mutant(
        "a change beside the point passes",
        VERDICT,
        "if not proven or f.kind is not beside",
        "if f.kind is not beside",
    ),
    Mutant(
        "the first waiver completes the sprint",
        DECIDING,
        "if outcome.but_for is None or len(held) > 1:",
        "if outcome.but_for is None:",
    ),
    Mutant(
        "a waiver is good for a finding that nobody has seen",
        DECIDING,
        "if command.finding not in {f.id for f in held}:",
        "if False:",
    ),
    Mutant(
        "a sprint is compared with its last order and not with its first",
        RUN_FOLDS,
        "base_at_first=s.base_at_first if s.dispatches else d.base,",
        "base_at_first=d.base,",
    ),
    Mutant(
        "files that are not committed are progress",
        VERDICT,
        "    if progress:\n        return Judgment(Verdict.PARTIAL, reasons)\n    if evidence",
        "    if progress or evidence.uncommitted:\n"
        "        return Judgment(Verdict.PARTIAL, reasons)\n    if evidence",
    ),
    Mutant(
        "files that are not committed are not named",
        VERDICT,
        "reasons = (*_not_committed(evidence), *reasons)",
        "pass",
    ),
    Mutant(
        "code is checked where it was written",
        "sprint/orders.py",
        "    if plan.type is not SprintType.CODE or mission.settings.verify_at is Where.PLACE:",
        "    if True:",
    ),
    Mutant(
        "the last check of a unit is a warm one",
        "sprint/orders.py",
        "return Where.COLD if last else",
        "return Where.COMMIT if last else",
    ),
    Mutant(
        "words do not lower a verdict",
        VERDICT,
        "    return _lowered(_all_met(sprint, progress, evidence, agent_exit), evidence)\n",
        "    return _all_met(sprint, progress, evidence, agent_exit)\n",
    ),
    Mutant(
        "an empty commit counts",
        VERDICT,
        "committed = evidence.substance or (",
        "committed = evidence.commits or (",
    ),
    Mutant(
        "a check that was not run is taken as met",
        VERDICT,
        "*_never_run(sprint, evidence))",
        ")",
    ),
    Mutant(
        "an earlier commit is forgotten",
        RUN_FOLDS,
        "committed=s.committed or e.substance",
        "committed=False",
    ),
    Mutant(
        "the same failure thrice is not noticed",
        JUDGING,
        "if seen >= SAME_FAILURE_LIMIT else",
        "if seen > SAME_FAILURE_LIMIT else",
    ),
    Mutant(
        "one continuation too many",
        VERDICT,
        "idle >= settings.max_continuations",
        "idle > settings.max_continuations",
    ),
    Mutant(
        "dispatches are not limited",
        MOVES,
        "    if sprint.counted_dispatches >= settings.max_dispatches:\n        return FatalCause",
        "    if False:\n        return FatalCause",
    ),
    Mutant(
        "resume buys new tries unasked",
        RESUMING,
        "case UnitState.BLOCKED if command.retry_blocked or unit.name in command.units:",
        "case UnitState.BLOCKED:",
    ),
    Mutant(
        "a spent attempt is put back by a kill",
        RESUMING,
        "if not spent and sprint",
        "if sprint",
    ),
    Mutant(
        "resume judges by the old settings",
        RESUMING,
        "        mission = apply(mission, event, mission.at_us)\n",
        "",
    ),
    Mutant(
        "a refused retry sets to work",
        RESUMING,
        "return events if refused else (*events, *_work_on(mission))",
        "return (*events, *_work_on(mission))",
    ),
    Mutant(
        "an old look is taken for a new one",
        RUN_FOLDS,
        "evolve(r, look=r.look + 1)",
        "r",
    ),
    Mutant(
        "a revised plan forgets what has begun",
        REVISION,
        "for s in unit.sprints if _stays(s)]\n    if",
        "for s in unit.sprints if not _stays(s)]\n    if",
    ),
    Mutant(
        "a revised plan leaves a survey of what is gone",
        RESUMING,
        "        yield from _close_surveys(mission)\n",
        "",
    ),
    Mutant(
        "a revised plan changes the kind of what is out",
        REVISION,
        "if _done(sprint) or (out and",
        "if _done(sprint) or (False and",
    ),
    Mutant(
        "a wait that nobody polls survives killall",
        STOPPING,
        "    if sprint.state is SprintState.RUNNING:\n",
        "    if sprint.state is SprintState.DISPATCHED:\n",
    ),
    Mutant(
        "a background process is begun after killall",
        REFUSALS,
        "return None if _is_at_work(mission, command.run_id) else",
        "return None if command.run_id in mission.runs else",
    ),
    Mutant(
        "killall leaves background processes",
        STOPPING,
        "yield h.BackgroundCancelled(background.id, mission.settings.kill_grace_s)",
        "pass",
    ),
    Mutant(
        "stopped between two units, and no word to anyone",
        UNIT_BLOCKERS,
        "if mission.stance is Stance.WORKING or mission.runs:",
        "if True:",
    ),
    Mutant(
        "a background process need not run",
        JUDGING,
        "if not any(b.running for b in mine):",
        "if not mine:",
    ),
    Mutant(
        "blocked, and no word to anyone",
        UNIT_BLOCKERS,
        "if unit.name in only and out:",
        "if False:",
    ),
    Mutant(
        "a need that would be refused",
        BLOCKERS,
        "return () if blocked.spent else",
        "return () if False else",
    ),
    Mutant(
        "a completed mission is called killed",
        STANDING,
        "    if mission.units and all(u.state is",
        "    if False and all(u.state is",
    ),
)


def package(where: Path, mutant: Mutant | None) -> Path:
    """Make the package with the one change, for PYTHONPATH."""
    return linked(where / "changed", mutant.edits if mutant else ())


def ask_the_oracle(where: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(map(str, (where, TESTS, TESTS / "sprint")))
    return subprocess.run(
        [sys.executable, TESTS / "sprint" / "oracle.py"],
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


@pytest.mark.spec("SM-02")
def test_the_core_as_it_is_survives(tmp_path: Path):
    done = ask_the_oracle(package(tmp_path, None))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "mutant", [*MUTANTS, *GATE_MUTANTS], ids=lambda m: m.breaks.replace(" ", "-")
)
def test_a_planted_bug_is_caught(mutant: Mutant, tmp_path: Path):
    done = ask_the_oracle(package(tmp_path, mutant))
    assert done.returncode == CAUGHT, f"survived: {mutant.breaks}\n{done.stdout}{done.stderr}"
    assert done.stdout.strip(), "caught by nobody"


def test_the_copy_is_what_is_asked(tmp_path: Path):
    """Otherwise every mutant would be judged by the installed package."""
    edit = (KERNEL, "from dataclasses import", "raise SystemExit(77)\nfrom dataclasses import")
    where = linked(tmp_path / "changed", (edit,))
    assert ask_the_oracle(where).returncode == 77
