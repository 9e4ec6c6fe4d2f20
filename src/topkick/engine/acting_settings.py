"""Settings that act: they run a command, or hand something of the user's to an agent or a check.

An agent that can write topkick.toml could otherwise have topkick run its commands, or give it a
secret, at the user's next `resume`. So these settings are accepted like the commands of a plan.
What was accepted is what the journal holds as the run's settings. A change of one of them takes
effect only after a person has seen the difference and accepted it. The tables below are the only
list of these settings; limits, budgets and prompts are not among them.
"""

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from topkick.engine.agents.program import PLAIN, AgentProgram
from topkick.engine.settings import Settings

Values = tuple[str, ...]
BY_LOCK_FILES = "what lock files call for"


def _argv(words: Values) -> Values:
    return (shlex.join(words),) if words else ()


def _if_set(value: str) -> Values:
    return (value,) if value else ()


def _prepare(settings: Settings) -> Values:
    """Without a setting, `[tree] setup` prepares the tree; without that, the lock files do."""
    if settings.verify_prepare is not None:
        return settings.verify_prepare
    return settings.tree.setup or (BY_LOCK_FILES,)


def _projects(settings: Settings) -> Values:
    places = settings.epic.projects if settings.epic is not None else ()
    return tuple(f"{place.name} = {place.directory}" for place in places)


def _models_in_command(agent: AgentProgram) -> Values:
    """A model's name acts only where it becomes part of the command line of a plain program."""
    if agent.adapter != PLAIN or not any("{model}" in word for word in agent.command):
        return ()
    return tuple(f"{tier} = {model}" for tier, model in sorted(agent.models.items()))


_OF_RUN: Mapping[str, Callable[[Settings], Values]] = {
    "on_event": lambda s: _argv(s.on_event),
    "[verify] always": lambda s: s.verify_always,
    "[verify] prepare": _prepare,
    "[verify] pass_env": lambda s: s.verify_pass_env,
    "[verify] at": lambda s: (s.verify_at.value,),
    "[tree] setup": lambda s: s.tree.setup,
    "[tree] copy": lambda s: s.tree.copy,
    "[tree] link": lambda s: s.tree.link,
    "[gate] mode": lambda s: (s.gate.value,),
    "[gate] command": lambda s: s.gate_commands,
    "[epic] projects": _projects,
    "[epic] review": lambda s: (s.epic.surface.value,) if s.epic is not None else (),
    "[epic] share": lambda s: _if_set(s.epic.share) if s.epic is not None else (),
}
_OF_AGENT: Mapping[str, Callable[[AgentProgram], Values]] = {
    "adapter": lambda a: () if a.adapter == PLAIN else (a.adapter,),
    "command": lambda a: _argv(a.command),
    "permissions": lambda a: _if_set(a.permissions),
    "pass_env": lambda a: a.pass_env,
    "models": _models_in_command,
}


@dataclass(frozen=True, slots=True)
class ChangedSetting:
    """One setting that acts, by its name in topkick.toml, with its values before and now."""

    name: str
    before: Values
    now: Values

    @property
    def removed(self) -> Values:
        return tuple(value for value in self.before if value not in self.now)

    @property
    def added(self) -> Values:
        return tuple(value for value in self.now if value not in self.before)


def acting(settings: Settings) -> Mapping[str, Values]:
    """Return each setting that acts with its values; a setting that is not set has none."""
    found = {name: values(settings) for name, values in _OF_RUN.items()}
    for agent in _agents(settings):
        found |= {f"[agents.{agent.name}] {key}": of(agent) for key, of in _OF_AGENT.items()}
    return found


def changed(before: Settings | None, now: Settings) -> tuple[ChangedSetting, ...]:
    """Return the settings that act now in another way than those that were accepted.

    The agents are compared by name: after a usage limit, the main agent and the other agent may
    have changed places. An agent that is no longer used is left out, for it does nothing.
    """
    accepted = acting(before) if before is not None else {}
    pairs = ((name, accepted.get(name, ()), values) for name, values in acting(now).items())
    return tuple(ChangedSetting(name, was, now) for name, was, now in pairs if was != now)


def _agents(settings: Settings) -> Iterator[AgentProgram]:
    yield settings.agent
    if settings.other_agent is not None:
        yield settings.other_agent
    yield from (role.agent for role in settings.roles)
    if settings.epic is not None:
        yield from (worker.agent for worker in settings.epic.workers)
