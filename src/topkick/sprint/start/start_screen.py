"""The page that `start` shows before its question (ST-05)."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from topkick.app.agents.configured import permissions_of, untold_cost
from topkick.checks.model import Where
from topkick.engine.acting_settings import acting
from topkick.engine.agents.budgets import Budget, Budgets
from topkick.engine.agents.program import Tier
from topkick.engine.settings import OnLimit, Settings
from topkick.git.isolation import Isolation
from topkick.plan_format.model import CheckpointPlan, Plan
from topkick.sprint.gates.model import GateMode
from topkick.sprint.model import Mission, Sprint, Unit
from topkick.text import escape
from topkick.text.format import counted

LISTED = 8
GATE_COMMANDS_SHOWN = 3
GATE_COMMAND_WIDTH = 60
_SHOWN = ("[verify] always", "[verify] prepare", "[verify] at", "[gate] mode")
_RISKY = re.compile(
    r"\b(?:sudo|rm|mv|dd|chmod|chown|curl|wget|ssh|scp|rsync|docker|kubectl|terraform|psql|mysql"
    r"|npm|npx|pip|pipx|uvx|brew|apt|apt-get|gh|deploy|publish|push|kill|eval)\b|(?<!\d)>|\|\s*\w*sh\b"
)


@dataclass(frozen=True, slots=True)
class TreeState:
    """The page's facts about the tree. `uncommitted` is None without git; `manifests` are the
    commands that manifests call for now; `names` is the plan file if it will get the operation
    name; `absent` says which commands cannot run here, and the remedy.
    """

    uncommitted: tuple[str, ...] | None
    writes: tuple[str, ...]
    manifests: tuple[str, ...] = ()
    names: str = ""
    absent: tuple[str, ...] = ()


def page(mission: Mission, ground: TreeState) -> list[str]:
    plan, settings = mission.plan, mission.settings
    assert plan is not None
    assert settings is not None
    return [
        *_operation(plan, ground),
        *_units(mission, settings),
        *_agent(settings),
        *_commands(plan, settings, git=ground.uncommitted is not None),
        *_absent(ground),
        *_settings(settings),
        f"Gate       {gate(plan, settings, ground.manifests)}",
        *(f"Checkpoint {checkpoint(one, mission)}" for one in plan.checkpoints),
        *_limits(settings),
        *_isolation(mission.isolation),
        *_unchecked(mission, settings),
        *_tree(ground, seen=mission.isolation is None),
        f"Writes     {', '.join([*_named_file(ground), *ground.writes])}",
    ]


def _operation(plan: Plan, ground: TreeState) -> Iterator[str]:
    name = escape.line(plan.feature_name, 70)
    if ground.names:
        yield f"Plan       {escape.line(plan.title, 70)}"
        yield f"Name       {name} (new)"
    else:
        yield f"Operation  {name}" if name else f"Plan       {escape.line(plan.title, 70)}"


def _named_file(ground: TreeState) -> Iterator[str]:
    if ground.names:
        yield f"{escape.line(ground.names, 60)} (feature_name, once)"


def _units(mission: Mission, settings: Settings) -> Iterator[str]:
    units = list(mission.units.values())
    sprints = sum(len(u.sprints) for u in units)
    yield f"Units      {counted(len(units), 'work unit')}, {counted(sprints, 'sprint')}"
    for unit in units[:LISTED]:
        waits = ", ".join(mission.units[n].handle for n in unit.plan.waits_for)
        after = f", after {waits}" if waits else ""
        count = counted(len(unit.sprints), "sprint")
        yield f"             {unit.handle} {escape.line(unit.name, 40)}: {count}{after}"
    if len(units) > LISTED:
        yield f"             … and {len(units) - LISTED} more (topkick plan show)"
    if settings.only:
        yield f"Only       {', '.join(escape.line(n, 40) for n in settings.only)}"
    yield f"First      {', '.join(_first_wave(mission, settings)) or 'nothing can begin'}"


def _first_wave(mission: Mission, settings: Settings) -> list[str]:
    free = [
        u
        for u in mission.units.values()
        if not u.plan.waits_for and (not settings.only or u.name in settings.only) and u.sprints
        if not u.sprints[0].plan.waits_for
    ]
    wave = [f"{u.handle}/{u.sprints[0].id} {escape.line(u.name, 30)}" for u in free]
    return wave[: settings.max_agents]


def _as_typed(word: str) -> str:
    """Quote a word as a shell needs it; placeholders stay readable."""
    return word if "{" in word and " " not in word else shlex.quote(word)


def _agent(settings: Settings) -> Iterator[str]:
    agent = settings.agent
    models = " → ".join(
        dict.fromkeys(escape.line(agent.model_for(t), 30) for t in _tiers(settings))
    )
    yield f"Agent      {escape.line(agent.name)} ({models or 'its own model'})"
    yield f"             {escape.line(' '.join(_as_typed(w) for w in agent.command), 160)}"
    if may := permissions_of(agent):
        yield f"             may: {escape.line(may, 160)}"
    if settings.on_limit is OnLimit.SWITCH and settings.other_agent is not None:
        other = settings.other_agent
        may = permissions_of(other)
        told = escape.line(other.name) + (f" (may: {escape.line(may, 120)})" if may else "")
        yield f"             at its usage limit: {told}"
    yield from _budgets(settings.budgets)
    for one in filter(None, (agent, settings.other_agent)):
        if why := untold_cost(one, settings.budgets):
            yield f"           ! {escape.line(why, 160)} (topkick.toml)"


def _budgets(budgets: Budgets) -> Iterator[str]:
    """Yield the budgets that are set."""
    told = [
        f"{name}: {', '.join(limits)}"
        for name in ("sprint", "unit", "run", "day")
        if (limits := list(_amounts(getattr(budgets, name))))
    ]
    if told:
        yield f"Budget     {'; '.join(told)}"


def _amounts(budget: Budget) -> Iterator[str]:
    if budget.usd is not None:
        yield f"${budget.usd:g}"
    if budget.tokens is not None:
        yield f"{budget.tokens:,} tokens"
    if budget.minutes is not None:
        yield f"{budget.minutes:g} min"


def _tiers(settings: Settings) -> list[Tier]:
    tiers = list(Tier)
    first = settings.first_tier
    return tiers if first is None else tiers[tiers.index(first) :]


def commands_of(plan: Plan, settings: Settings) -> list[str]:
    """Return the commands that the supervisor will run itself, each once; those that look dangerous
    come first.
    """
    found = [
        c.command
        for u in plan.units
        for s in u.sprints
        for c in (*s.entry, *s.exit)
        if c.command is not None
    ]
    gates = [*plan.gate, *(command for u in plan.units for command in u.verify)]
    gates += [one.command for one in plan.checkpoints]
    once = list(dict.fromkeys([*found, *gates, *settings.verify_always]))
    return sorted(once, key=lambda c: _RISKY.search(c) is None)


def _commands(plan: Plan, settings: Settings, *, git: bool) -> Iterator[str]:
    commands = commands_of(plan, settings)
    yield f"Checks     {counted(len(commands), 'command')} of the plan that topkick itself will run"
    for command in commands[:LISTED]:
        mark = "!" if _RISKY.search(command) else " "
        yield f"           {mark} {verbatim(command, 13)}"
    if len(commands) > LISTED:
        yield f"             … and {len(commands) - LISTED} more (topkick plan show --commands)"
    yield from _where(settings, git=git)


def _absent(ground: TreeState) -> Iterator[str]:
    for told in ground.absent[:LISTED]:
        yield f"           ! {escape.line(told, 200)}"
    if len(ground.absent) > LISTED:
        yield f"             … and {len(ground.absent) - LISTED} more (topkick doctor)"


def _settings(settings: Settings) -> Iterator[str]:
    """Yield every setting that runs or shares something and that no other line of the page shows in
    full.
    """
    main = f"[agents.{settings.agent.name}]"
    shown = {*_SHOWN, *(f"{main} {key}" for key in ("adapter", "command", "permissions"))}
    gate_commands = settings.gate_commands
    whole = all(len(command) <= GATE_COMMAND_WIDTH for command in gate_commands)
    if whole and len(gate_commands) <= GATE_COMMANDS_SHOWN:
        shown.add("[gate] command")
    rows = [(name, v) for name, v in acting(settings).items() if v and name not in shown]
    if rows:
        yield "Settings   that also run something or hand something over (topkick.toml)"
    for name, values in rows:
        yield f"             {escape.line(name)}: {', '.join(verbatim(v, 15) for v in values)}"


def verbatim(command: str, indent: int) -> str:
    """Return the command unshortened: a person accepts exactly what will run."""
    return escape.verbatim(command).replace("\n", "\n" + " " * indent)


def _where(settings: Settings, *, git: bool) -> Iterator[str]:
    """Yield where the commands run, and what prepares that place; without git there are no commits
    to check at.
    """
    if settings.verify_at is Where.PLACE or not git:
        yield "             in the tree that agents work in, with whatever lies there"
        return
    yield "             in a tree of topkick's own, at each commit that is judged"
    prepare = settings.verify_prepare
    if prepare is None:
        prepare = settings.tree.setup
        if not prepare:
            yield "             made ready by what lock files call for (npm ci, uv sync …)"
    for command in prepare[:LISTED]:
        yield f"             made ready by: {verbatim(command, 28)}"


def gate(plan: Plan, settings: Settings, manifests: tuple[str, ...]) -> str:
    """Describe the commands of the gate and where they come from (GT-02)."""
    if settings.gate is GateMode.OFF:
        return "off: nothing is built and tested together"
    asks = "; then asks a person" if settings.gate is GateMode.ASK else ""
    commands, whose = plan.gate, "from the plan"
    if not commands:
        commands, whose = settings.gate_commands, "from topkick.toml"
    if not commands:
        commands, whose = manifests, "by manifests, as they are now"
    if not commands:
        return f"after each phase: not run, no build or test command is known{asks}"
    shown = ", ".join(
        f"`{escape.line(c, GATE_COMMAND_WIDTH)}`" for c in commands[:GATE_COMMANDS_SHOWN]
    )
    left = len(commands) - GATE_COMMANDS_SHOWN
    more = f" and {left} more" if left > 0 else ""
    return f"after each phase: {shown}{more} ({whose}){asks}"


def checkpoint(one: CheckpointPlan, mission: Mission) -> str:
    """Describe where the checkpoint is, what judges it, and which units wait for it (CK-14)."""
    held = [mission.units[name].handle for name in one.holds if name in mission.units]
    more = f" and {len(held) - LISTED} more" if len(held) > LISTED else ""
    waits = "waits" if len(held) == 1 else "wait"
    by = f"by {escape.line(one.role_spec, 60)} in {escape.line(one.session, 60)}"
    where = f"{one.id} after {escape.line(one.place, 40)}"
    return f"{where}, {by}; {', '.join(held[:LISTED])}{more} {waits} for it"


def _limits(settings: Settings) -> Iterator[str]:
    yield (
        f"Limits     {counted(settings.max_agents, 'agent')} at once, "
        f"{counted(settings.max_retries, 'attempt')} a sprint, "
        f"{counted(settings.max_turns, 'turn')} and {settings.sprint_timeout_s / 60:g} min each"
    )


def unchecked(mission: Mission) -> list[tuple[Unit, Sprint]]:
    """Return the sprints that no check can prove done (DP-11)."""
    return [(u, s) for u in mission.units.values() for s in u.sprints if s.plan.lacks_check]


def _unchecked(mission: Mission, settings: Settings) -> Iterator[str]:
    found = unchecked(mission)
    if not found:
        yield "Unchecked  none: every sprint has a check"
        return
    names = ", ".join(f"{u.handle}/{escape.line(s.id)}" for u, s in found[:LISTED])
    more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
    them = "it" if len(found) == 1 else "them"
    fate = "accepted" if settings.accept_unchecked else f"nothing would prove {them} done"
    yield f"Unchecked  {counted(len(found), 'sprint')} ({fate}): {names}{more}"


def _isolation(isolation: Isolation | None) -> Iterator[str]:
    if isolation is None:
        yield "Isolation  none: all agents work in this very tree"
        return
    branch = escape.line(isolation.branch, 60)
    yield f"Isolation  a clone for each unit; their work meets on {branch}"
    yield f"             in {escape.line(isolation.place, 100)}"
    if len(isolation.repositories) > 1:
        names = ", ".join(escape.line(r.path, 40) for r in isolation.repositories[:LISTED])
        yield f"             of {len(isolation.repositories)} repositories: {names}"


def _tree(ground: TreeState, *, seen: bool) -> Iterator[str]:
    if ground.uncommitted is None:
        yield "Tree       no git here: what agents change cannot be told apart from before"
    elif ground.uncommitted:
        files = ", ".join(escape.line(f, 40) for f in ground.uncommitted[:4])
        more = f" and {len(ground.uncommitted) - 4} more" if len(ground.uncommitted) > 4 else ""
        will = "agents will see it" if seen else "agents get it only with --include-dirty"
        yield f"Tree       uncommitted, and {will}: {files}{more}"
    else:
        yield "Tree       clean"
