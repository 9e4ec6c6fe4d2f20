"""Planted bugs in gates, blame, merges and repairs."""

from proof.simulation.mutant import Mutant

GATING = "sprint/gates/due.py"
ATTRIBUTION = "sprint/gates/attribution.py"
GATE_FOLDS = "sprint/gates/fold.py"
ORDERS = "sprint/orders.py"
KERNEL = "engine/kernel.py"
AT_GATES = "sprint/gates/policy.py"
MOVES = "sprint/policy/moves.py"
INTEGRATING = "sprint/policy/integration.py"

GATE_BUGS = (
    Mutant(
        "a unit is done before its gate",
        MOVES,
        "    if awaits_gate(mission, unit):\n        return ()\n    return (unit_moves",
        "    return (unit_moves",
    ),
    Mutant(
        "a unit begins without its clearance",
        MOVES,
        "        if not needs_clearance(mission, unit):\n",
        "        if True:\n",
    ),
    Mutant(
        "everybody mends",
        AT_GATES,
        "    for unit, group in zip(chosen, found.groups, strict=True):\n",
        "    everyone = [mission.units[name] for name in gate.units]\n"
        "    for unit, group in ((u, (u.name,)) for u in everyone):\n",
    ),
    Mutant(
        "what came last is blamed first",
        ATTRIBUTION,
        "low, high = (low, middle) if bad(rest[:middle]) else (middle, high)",
        "low, high = (middle, high) if bad(rest[:middle]) else (low, middle)",
    ),
    Mutant(
        "nobody is asked at the gate",
        AT_GATES,
        "        elif mission.settings.gate is not GateMode.ASK:\n",
        "        else:\n",
    ),
    Mutant(
        "a gate that did not pass lets pass",
        GATE_FOLDS,
        "    if not gate.passed or gate.kind is GateKind.CHECKPOINT:\n",
        "    if gate.kind is GateKind.CHECKPOINT:\n",
    ),
    Mutant(
        "a gate has every FATAL sprint checked again",
        GATE_FOLDS,
        "        if unit.current is not None and _failed_by_checks(unit.current):\n",
        "        if unit.current is not None:\n",
    ),
    Mutant(
        "a conflict is merged anyway",
        INTEGRATING,
        "    if found.conflicts:\n",
        "    if False:\n",
    ),
    Mutant(
        "a unit is done before its work is merged",
        MOVES,
        "if mission.isolation is not None and unit.integrated < len(unit.sprints):",
        "if False:",
    ),
)
