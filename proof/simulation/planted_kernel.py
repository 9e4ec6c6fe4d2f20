"""Planted bugs in the core and in the sprint policy."""

from proof.simulation.mutant import Mutant

SPRINT_FOLDS = "sprint/fold.py"
KERNEL = "engine/kernel.py"
ORDERS = "sprint/orders.py"
VERDICT = "sprint/policy/verdict.py"
STANDING = "sprint/status.py"
MOVES = "sprint/policy/moves.py"
JUDGING = "sprint/policy/judgement.py"
WATCHING = "sprint/policy/run_trouble.py"
RESUMING = "sprint/obey/resume.py"
STOPPING = "sprint/obey/stop.py"
TROUBLE = "sprint/policy/run_trouble.py"

READINESS, UNIT_INDEX, WORKLIST = (
    "sprint/readiness.py",
    "sprint/unit_index.py",
    "engine/worklist.py",
)
ORDER_BLOCKERS = "sprint/blockers/order.py"

KERNEL_BUGS = (
    Mutant(
        "FATAL without BLOCKED", MOVES, "        unit_moves(unit, UnitCause.SPRINT_FATAL),\n", ""
    ),
    Mutant(
        "PARTIAL charges",
        JUDGING,
        "_judged(run, found, evidence),\n        sprint_moves(run.unit, sprint, SprintCause.PROGR",
        "_judged(run, found, evidence, charged=True),\n"
        "        sprint_moves(run.unit, sprint, SprintCause.PROGR",
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
        "a lost agent is charged",
        JUDGING,
        "return spared or _failed(run, sprint, found, evidence)",
        "return _failed(run, sprint, found, evidence)",
    ),
    Mutant(
        "dispatch while stopped",
        MOVES,
        "if mission.stance is not Stance.WORKING:\n        return ()\n    return (\n        check",
        "return (\n        check",
    ),
    Mutant(
        "launch while stopping",
        ORDERS,
        "launch = mission.stance is Stance.WORKING and not draining and not run.active",
        "launch = not run.active",
    ),
    Mutant(
        "what was seen at work is launched again",
        ORDERS,
        " and not draining and not run.active\n",
        " and not draining\n",
    ),
    Mutant(
        "two runs a unit",
        UNIT_INDEX,
        "UnitState.RUNNING and run is None and unit.current",
        "UnitState.RUNNING and unit.current",
    ),
    Mutant(
        "facts about a run touch no unit",
        WORKLIST,
        "return () if run is None else (run.unit,)",
        "return ()",
    ),
    Mutant("a unit's move touches no unit", WORKLIST, "UnitMoved: _its_unit", "UnitMoved: _none"),
    Mutant("a stop touches no unit", WORKLIST, "StanceTaken: _all", "StanceTaken: _none"),
    Mutant("a lifted hold touches no unit", WORKLIST, "HoldLifted: _its_unit", "HoldLifted: _none"),
    Mutant(
        "an index forgets who waits for a unit",
        UNIT_INDEX,
        "                yield from self.dependents.get(name, ())\n",
        "                pass\n",
    ),
    Mutant(
        "time moves nobody who is not touched",
        WORKLIST,
        "        self.to_look_at.update(index_of(self.mission).with_run())\n",
        "        index_of(self.mission)\n",
    ),
    Mutant("one agent too many", MOVES, "max_agents - busy", "max_agents + 1 - busy"),
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
        "a killed run is not looked at again",
        ORDER_BLOCKERS,
        "    return sprint.interrupted is not None or sprint.claim",
        "    return sprint.claim",
    ),
    Mutant("stop never forces", MOVES, "    lose_patience,\n    end_", "    end_"),
    Mutant(
        "killall leaves a unit RUNNING",
        MOVES,
        "if mission.stance is not Stance.KILLED or unit.state not in LIVE:",
        "if mission.stance is not Stance.KILLED or unit.state is not UnitState.STOPPING:",
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
        "a usage limit is charged to a sprint",
        TROUBLE,
        "            return tuple(_limited(mission, run, sprint, report))\n",
        "            return ()\n",
    ),
    Mutant(
        "orders are given to an account at its limit",
        ORDER_BLOCKERS,
        "    if (limit := limit_of(mission)) is not None:\n",
        "    if (limit := limit_of(mission)) is not None and False:\n",
    ),
    Mutant(
        "nobody is asked about a limit",
        TROUBLE,
        "    elif mission.settings.on_limit is OnLimit.ASK:\n",
        "    elif False:\n",
    ),
    Mutant(
        "who is not let in is tried again",
        TROUBLE,
        "        h.AgentDown(AgentUnusable(run.dispatch.agent, told)),\n",
        "",
    ),
    Mutant(
        "an exit counts twice",
        KERNEL,
        "            return _stage(mission, run_id) is not Stage.WORKING\n",
        "            return _stage(mission, run_id) is None\n",
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
        "an empty commit counts",
        VERDICT,
        "committed = evidence.substance or (",
        "committed = bool(evidence.commits) or (",
    ),
    Mutant(
        "a claim raises a verdict",
        VERDICT,
        "    if unmet:\n",
        '    if unmet and not (evidence.claim and evidence.claim.status == "done"):\n',
    ),
    Mutant(
        "words do not lower a verdict",
        VERDICT,
        "    return _lowered(_all_met(sprint, progress, evidence, agent_exit), evidence)\n",
        "    return _all_met(sprint, progress, evidence, agent_exit)\n",
    ),
    Mutant(
        "killall leaves background processes",
        STOPPING,
        "yield h.BackgroundCancelled(background.id, mission.settings.kill_grace_s)",
        "pass",
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
        "a sprint that waits for a person is dispatched",
        ORDER_BLOCKERS,
        "    if sprint.rest is not None:\n",
        "    if False:\n",
    ),
    Mutant(
        "silence is never too long", WATCHING, "if polls >= QUIET_ENDED:", "if polls > QUIET_ENDED:"
    ),
    Mutant(
        "an entry criterion is ignored",
        MOVES,
        "    if unmet:\n        hold = EntryUnmet",
        "    if not unmet:\n        hold = EntryUnmet",
    ),
    Mutant(
        "a rest wakes nobody",
        "sprint/timers.py",
        "moments = (*_rests(mission), *_patience(mission), *spent_at_us(mission), *polls)",
        "moments = (*_patience(mission), *spent_at_us(mission), *polls)",
    ),
    Mutant(
        "killall takes the wait for an agent",
        STOPPING,
        "if run.stage is Stage.WORKING:\n",
        "if True:\n",
    ),
)
