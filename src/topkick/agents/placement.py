"""Turn an order into the command that a runner starts: options, limits and few variables."""

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from topkick.agents.registry import adapter_named
from topkick.agents.vocabulary import Assignment
from topkick.engine import messages as h
from topkick.engine.agents.budgets import MICRO
from topkick.engine.agents.program import AgentProgram
from topkick.engine.errors import UsageError
from topkick.engine.settings import Settings
from topkick.git.read.directory import find_git
from topkick.runner.environment import allowed
from topkick.runner.run_dir import Placement

# --- permissions -------------------------------------------------------------------------------
# The settings name each by one word; every adapter has a few of its own.


@dataclass(frozen=True, slots=True)
class Permission:
    """Command line options, and a description of what they allow."""

    words: tuple[str, ...]
    allows: str


def permission_of(program: AgentProgram, known: Mapping[str, Permission]) -> Permission:
    """Return the permission that the settings name; the empty word names the default."""
    if program.permissions in known:
        return known[program.permissions]
    words = ", ".join(f'"{word}"' for word in known if word)
    raise UsageError(
        f'The agent {program.name} has permissions = "{program.permissions}", which its adapter '
        f"does not know, so the agent is not started. Write one of {words}, or remove the line."
    )


KEYS = {
    "claude": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    "codex": ("CODEX_API_KEY",),  # OPENAI_API_KEY alone is not enough
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
}
"""A program with one of these variables needs no login."""


def place(
    order: h.RunAgent,
    prompt: str,
    settings: Settings,
    root: Path,
    runs: Path,
    environ: Mapping[str, str],
    told: Mapping[str, str],
) -> Placement:
    """Return the placement of an order; `told` are variables that describe the order to the
    agent.
    """
    program = order.dispatch.program or settings.agent
    adapter = adapter_named(program.adapter)
    launch = adapter.launch(program, _assignment(order, prompt, settings, root, runs, environ))
    return Placement(
        argv=launch.argv,
        cwd=str(root),
        env={**allowed(environ), **launch.env, **told},
        secrets={name: environ[name] for name in program.pass_env if name in environ},
        stdin_text=prompt,
        deadline_s=settings.sprint_timeout_s,
        grace_s=settings.stop_grace_s,
        stdin_closed=not launch.prompt_on_stdin,
        stop_signal=int(adapter.stop_signal),
    )


def _assignment(
    order: h.RunAgent,
    prompt: str,
    settings: Settings,
    root: Path,
    runs: Path,
    environ: Mapping[str, str],
) -> Assignment:
    dispatch = order.dispatch
    program = dispatch.program or settings.agent
    return Assignment(
        run_id=order.id,
        prompt=prompt,
        prompt_file=str(runs / order.id / "prompt"),
        model=dispatch.model,
        tier=dispatch.tier.value,
        unit=order.unit,
        sprint=order.sprint,
        root=str(root),
        max_turns=dispatch.max_turns or settings.max_turns,
        new_conversation=str(uuid.uuid5(uuid.NAMESPACE_URL, f"topkick:{order.id}")),
        resumes=dispatch.resumes,
        max_cost_usd=_usd(dispatch.cost_left_microusd),
        git_dirs=tuple(_git_dirs(root, root / order.directory)),
        own_config=_own_config(program, runs, environ),
    )


def _usd(microusd: int | None) -> float | None:
    """Return dollars, but never 0, which a program may take for no limit."""
    return None if microusd is None else max(0.01, microusd / MICRO)


def _git_dirs(*places: Path) -> Iterator[str]:
    """Yield the directories that commits are written to; a linked worktree has two."""
    found = [git for place in places if (git := find_git(place)) is not None]
    yield from dict.fromkeys(str(p) for git in found for p in (git.common, git.own))


def _own_config(program: AgentProgram, runs: Path, environ: Mapping[str, str]) -> str:
    """Return a configuration directory for programs that get their key through the environment.

    Parallel agents would overwrite one file in the user's home. A program with a login keeps the
    login there, so it gets no directory of its own.
    """
    known = KEYS.get(program.adapter, ())
    if not any(environ.get(name) for name in program.pass_env if name in known):
        return ""
    place = runs.parent / "agents" / program.name
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:  # fall back to the user's own
        return ""
    return str(place)
