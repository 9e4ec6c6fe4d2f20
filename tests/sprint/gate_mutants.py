"""Planted bugs in what holds gates, blames, and lets several share a tree."""

from planted import Mutant

GATING = "sprint/gates/due.py"
ATTRIBUTION = "sprint/gates/attribution.py"
GATE_FOLDS = "sprint/gates/fold.py"
DISPATCH = "sprint/dispatch/prompt.py"
ORDERS = "sprint/orders.py"
READINESS = "sprint/readiness.py"
KERNEL = "engine/kernel.py"
AT_GATES = "sprint/gates/policy.py"
SHARING = "sprint/gates/shared_tree.py"
MOVES = "sprint/policy/moves.py"
ORDER_BLOCKERS = "sprint/blockers/order.py"

GATE_MUTANTS = (
    Mutant(
        "a unit is done before its gate",
        MOVES,
        "    if awaits_gate(mission, unit):\n        return ()\n    return (unit_moves",
        "    return (unit_moves",
    ),
    Mutant(
        "a sprint is given out before its dependencies are built",
        ORDER_BLOCKERS,
        "        yield gate\n    is_deferred",
        "        pass\n    is_deferred",
    ),
    Mutant(
        "a unit begins without its clearance",
        MOVES,
        "        if not needs_clearance(mission, unit):\n",
        "        if True:\n",
    ),
    Mutant(
        "a clearance that failed clears",
        AT_GATES,
        "passed = found.verdict is GateVerdict.PASSED",
        "passed = True",
    ),
    Mutant(
        "a unit that is held is never tried again",
        MOVES,
        "        if unit.hold:\n            yield h.UnitHeld(unit.name)\n",
        "",
    ),
    Mutant(
        "a gate does not wait for its phase",
        GATING,
        "if rests[phase] or _is_awaited(mission, unit):",
        "if True:",
    ),
    Mutant(
        "who is waited for waits for its phase",
        GATING,
        "if rests[phase] or _is_awaited(mission, unit):",
        "if rests[phase]:",
    ),
    Mutant(
        "a gate while somebody works in the tree",
        GATING,
        "if mission.isolation is None and any(in_tree):",
        "if False:",
    ),
    Mutant(
        "a gate is run again although nothing has changed",
        GATING,
        "return None if _was_red(mission, gate) else gate",
        "return gate",
        ((GATING, " or any(_is_mending(mission)):", ":"),),
    ),
    Mutant(
        "what is held is forgotten when gates are turned off",
        GATING,
        "    if any(s.proof is Proof.HELD for s in unit.sprints[unit.gated :]):\n",
        "    if False:\n",
    ),
    Mutant(
        "what is held is not run",
        GATING,
        "        held=tuple(_held(mission, covers)),\n",
        "",
    ),
    Mutant(
        "what came last is blamed first",
        ATTRIBUTION,
        "low, high = (low, middle) if bad(rest[:middle]) else (middle, high)",
        "low, high = (middle, high) if bad(rest[:middle]) else (low, middle)",
    ),
    Mutant(
        "one culprit is enough",
        ATTRIBUTION,
        "if not rest or not bad(rest):",
        "if True:",
    ),
    Mutant(
        "of two that fail together one is not named",
        ATTRIBUTION,
        "    while others and bad(needed) is False:",
        "    while False:",
    ),
    Mutant(
        "the base is not looked at",
        ATTRIBUTION,
        "    known = _marks(base)\n",
        "    known = frozenset()\n",
    ),
    Mutant(
        "a flake is somebody's fault",
        ATTRIBUTION,
        "        if not is_bad(again):\n",
        "        if False:\n",
    ),
    Mutant(
        "what cannot run is called not run",
        ATTRIBUTION,
        "    if missing and not (run.detected and _is_optional(gate, missing)):\n",
        "    if False:\n",
    ),
    Mutant(
        "nothing to run is called passed",
        ATTRIBUTION,
        "        return Blame(GateVerdict.NOT_RUN, why)\n",
        "        return Blame(GateVerdict.PASSED, why)\n",
    ),
    Mutant(
        "no test is called green",
        "sprint/gates/model.py",
        "        return result.command in held\n",
        "        return False\n",
    ),
    Mutant(
        "what was held is never proven",
        GATE_FOLDS,
        "return evolve(sprint, proof=proof, held=()) if sprint.proof is Proof.HELD else sprint",
        "return sprint",
    ),
    Mutant(
        "a gate that did not pass lets pass",
        GATE_FOLDS,
        "    if not gate.passed or gate.kind is GateKind.CHECKPOINT:",
        "    if gate.kind is GateKind.CHECKPOINT:",
    ),
    Mutant(
        "an old build is taken for a new one",
        GATE_FOLDS,
        "evolve(g, look=g.look + 1)",
        "g",
    ),
    Mutant(
        "a build counts twice",
        KERNEL,
        "gate.verdict is None and number == len(gate.runs) + 1\n",
        "gate.verdict is None\n",
    ),
    Mutant(
        "a gate is run while work is stopped",
        ORDERS,
        "    if gate is None or mission.stance is not Stance.WORKING:\n        return\n",
        "    if gate is None:\n        return\n",
    ),
    Mutant(
        "nobody is asked",
        AT_GATES,
        "        elif mission.settings.gate is not GateMode.ASK:\n",
        "        else:\n",
    ),
    Mutant(
        "the last gate lets pass what it has not proved",
        AT_GATES,
        "        if waits_at_the_end(gate):\n",
        "        if False:\n",
    ),
    Mutant(
        "the first of a group mends",
        AT_GATES,
        "chosen = [mission.units[group[-1]] for group in found.groups]",
        "chosen = [mission.units[group[0]] for group in found.groups]",
    ),
    Mutant(
        "everybody mends",
        AT_GATES,
        "    for unit, group in zip(chosen, found.groups, strict=True):\n",
        "    everyone = [mission.units[name] for name in gate.units]\n"
        "    for unit, group in ((u, (u.name,)) for u in everyone):\n",
    ),
    Mutant(
        "repairs without end",
        AT_GATES,
        "return unit.state is UnitState.RUNNING and tried < MOST_REPAIRS",
        "return unit.state is UnitState.RUNNING",
    ),
    Mutant(
        "a red gate stays open beside its repair",
        AT_GATES,
        "        yield from repairs\n        yield h.GateClosed(gate.id, passed=False)\n",
        "        yield from repairs\n",
    ),
    Mutant(
        "a resume does not try again",
        AT_GATES,
        "        if is_stuck(gate):\n            yield h.GateDropped(gate.id)\n    for",
        "        pass\n    for",
    ),
    Mutant(
        "a yes before there is a verdict",
        AT_GATES,
        "    if gate is None or gate.verdict is None:\n"
        "        return (_refused(mission, CommandName.ACCEPT, command.gate),)\n"
        "    closed =",
        "    if gate is None:\n"
        "        return (_refused(mission, CommandName.ACCEPT, command.gate),)\n"
        "    closed =",
    ),
    Mutant(
        "a repair is not judged by what failed",
        AT_GATES,
        "            *(_exits_0(command) for command in commands),\n",
        "",
    ),
    Mutant(
        "a second agent where one may build",
        ORDER_BLOCKERS,
        "    if (run := alone_in_tree(mission)) is not None:\n",
        "    if (run := alone_in_tree(mission)) is not None and False:\n",
    ),
    Mutant(
        "two build in one tree",
        SHARING,
        "mission.settings.max_agents == 1 or not any(_could_begin(mission, u) for u in others)",
        "True",
    ),
    Mutant(
        "one builds where others are at work",
        SHARING,
        "r.stage not in WITHOUT_AGENT and r.unit != unit.name",
        "False",
        ((SHARING, "not any(_could_begin(mission, u) for u in others)", "True"),),
    ),
    Mutant(
        "nothing is built in a tree of its own",
        SHARING,
        "    if mission.isolation is not None or not is_gated(mission):\n        return True\n",
        "",
    ),
    Mutant(
        "dependencies are not merged before they are built on",
        READINESS,
        "if due or _is_for_all(mission, fresh) else None",
        "if due else None",
    ),
    Mutant(
        "what is held is checked all the same",
        ORDERS,
        "for c in _commands(mission, run) if c not in sprint.held),",
        "for c in _commands(mission, run)),",
    ),
)
