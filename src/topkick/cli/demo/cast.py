"""The agents of the demo: scripted agents, or a real program with a scripted or a real model."""

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from topkick.cli.demo import plan as demo_plan
from topkick.cli.setup.agent_templates import BY_NAME, TEMPLATES, AgentTemplate
from topkick.engine.errors import UsageError

REAL = ("claude", "codex")
AGENT = Path(__file__).with_name("agent.py")
DUMMY_KEY = "sk-no-key-is-needed"
PACE_S = 0.7
"""A model that answers at once would leave nothing to see."""

RUN_USD, RUN_TOKENS = 2, 2_000_000


@dataclass(frozen=True, slots=True)
class Cast:
    """`settings` is the text of topkick.toml; `env` is what the commands of the demo see."""

    opening: str
    coming: str
    plan: str
    settings: str
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    limit_s: float = 120.0


def scripted_agents() -> Cast:
    words = json.dumps([sys.executable, "-I", str(AGENT)])
    return Cast(
        "A plan with three work units, and scripted agents that edit and commit.",
        "One agent will give up once. One will claim to be done.",
        demo_plan.PLAN,
        f'agent = "scripted"\n\n[agents.scripted]\ncommand = {words}\n'
        'pass_env = ["TOPKICK_DEMO_PACE"]\n',
    )


@contextmanager
def scripted_model(agent: str, home: Path) -> Iterator[Cast]:
    """Yield a cast of the real program with its own home and topkick's scripted model."""
    from topkick.fake_model import ModelServer, Scenario

    program, template = program_of(agent), BY_NAME[agent]
    with ModelServer({"demo": Scenario("demo", delay_s=PACE_S)}) as server:
        words, keys = to_model(agent, program, server.base_url("demo", agent))
        (home / "tmp").mkdir(parents=True)
        yield Cast(
            "A plan with three work units, and the real program, with a scripted model on "
            "loopback: no key and no cost; the dollars on the screens are not real.\n"
            f"The program is {program}",
            "One agent will give up once. One will claim to be done.",
            demo_plan.rehearsed(),
            settings(template, words, tuple(keys)),
            {**_without_accounts(), **_fresh(home), **keys},
        )


def real_model(agent: str) -> Cast:
    program, template = program_of(agent), BY_NAME[agent]
    return Cast(
        "A plan with three work units, and the real program, with its own model on your account."
        f"\nThe program is {program}",
        "The model decides what happens.",
        demo_plan.PLAN,
        settings(template, (program,), template.pass_env)
        + f"\n[budget]\nrun = {{ usd = {RUN_USD}, tokens = {RUN_TOKENS} }}\n",
        limit_s=1800.0,
    )


def price(agent: str) -> str:
    """Return a warning that says what a run with a real model may cost."""
    told = f"${RUN_USD} or " if agent == "claude" else ""
    return (
        f"This runs four small sprints with {agent}'s own model, on your key or subscription.\n"
        f"topkick starts no agent above {told}{RUN_TOKENS:,} tokens, and ends agents 10 % above."
    )


def program_of(agent: str) -> str:
    found = shutil.which(agent)
    if found is None:
        raise UsageError(
            f"{agent} is not on PATH, so nothing was run. Install it, or run `make demo AGENT="
            f"{agent}` in a clone of topkick, which installs it there. Without an agent program: "
            "topkick demo"
        )
    return found


def to_model(agent: str, program: str, url: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the command and the variables that connect a program to the model at this address."""
    if agent == "claude":
        return (program,), {"ANTHROPIC_API_KEY": DUMMY_KEY, "ANTHROPIC_BASE_URL": url}
    provider = (
        f'{{name="scripted",base_url="{url}/v1",env_key="SCRIPTED_KEY",wire_api="responses",'
        "supports_websockets=false,request_max_retries=2,stream_max_retries=2}"
    )
    settings = ('model_provider="scripted"', f"model_providers.scripted={provider}")
    words = [word for setting in settings for word in ("-c", setting)]
    return (program, *words), {"SCRIPTED_KEY": DUMMY_KEY}


def settings(template: AgentTemplate, words: tuple[str, ...], keys: tuple[str, ...]) -> str:
    tiers = zip(("haiku", "sonnet", "opus"), template.models, strict=True)
    models = ", ".join(f"{tier} = {json.dumps(model)}" for tier, model in tiers)
    return (
        f'agent = "{template.name}"\n\n[agents.{template.name}]\n'
        f'adapter = "{template.adapter}"\ncommand = {json.dumps(words)}\n'
        f"models = {{ {models} }}\npass_env = {json.dumps(keys)}\n"
    )


def _without_accounts() -> dict[str, str]:
    """Return the caller's variables without those that name an account or the caller's home."""
    theirs = {name for template in TEMPLATES for name in template.pass_env}
    return {
        name: value
        for name, value in os.environ.items()
        if name not in theirs and not name.startswith("XDG_")
    }


def _fresh(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "TMPDIR": str(home / "tmp")}
