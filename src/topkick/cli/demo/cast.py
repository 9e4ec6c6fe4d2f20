"""The agents and the plan of the demo: scripted agents, or a real program with either model."""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from topkick.cli.demo.agent import WORK
from topkick.cli.setup.known_agents import BY_NAME, TEMPLATES, AgentTemplate
from topkick.engine.errors import UsageError
from topkick.fake_model import MARK

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
        PLAN,
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
            rehearsed(),
            settings(template, words, tuple(keys)),
            {**_without_accounts(), **_fresh(home), **keys},
        )


def real_model(agent: str) -> Cast:
    program, template = program_of(agent), BY_NAME[agent]
    return Cast(
        "A plan with three work units, and the real program, with its own model on your account."
        f"\nThe program is {program}",
        "The model decides what happens.",
        PLAN,
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


# --- plans ---------------------------------------------------------------------------------------


PLAN = """\
# EXECUTION_PLAN.md — Greeter

A page that greets its visitors. Three work units in two layers; `site` needs the other two.

## Work Units

| Work Unit | Directory | Sprints | Layer | Dependencies |
|-----------|-----------|---------|-------|--------------|
| words     | words     | 2       | 0     | none         |
| page      | page      | 1       | 0     | none         |
| site      | site      | 1       | 1     | words, page  |

## words

### Sprint 1: A list of greetings

**Entry criteria**:
- [ ] First sprint, no prerequisites

**Tasks**:
1. Write `words/greetings.txt` with at least three greetings, one a line.

**Exit criteria**:
- [ ] `test "$(wc -l < words/greetings.txt)" -ge 3`

### Sprint 2: Pick one of them

**Entry criteria**:
- [ ] `test -f words/greetings.txt`

**Tasks**:
1. Write `words/pick.py` with `pick(hour)`: the second greeting before ten, else the first.

**Exit criteria**:
- [ ] `python3 -c "from words.pick import pick; assert pick(8) == 'Good morning'"`
- [ ] `python3 -c "from words.pick import pick; assert pick(12) == 'Hello'"`

## page

### Sprint 1: A template

**Tasks**:
1. Write `page/template.html` with a heading that holds `{greeting}`.

**Exit criteria**:
- [ ] `grep -q '{greeting}' page/template.html`

## site

### Sprint 1: Put it together

**Tasks**:
1. Write `site/build.py` that prints the page with the greeting for noon.

**Exit criteria**:
- [ ] `python3 site/build.py | grep -q Hello`
"""

_GIVES_UP = ("words", "2")
_LIES = ("page", "1")
_WORDS = {
    _GIVES_UP: "I do not understand where the greetings come from. Giving up.",
    _LIES: "All checks pass, everything is committed, the sprint is complete.\n"
    '{"status": "done", "summary": "Template written and committed."}',
}


def rehearsed() -> str:
    """The same plan; every task brings the script that a scripted model follows."""
    scripts = _scripts()
    lines = [
        f"{line}\n2. {next(scripts)}" if line.startswith("1. ") else line
        for line in PLAN.split("\n")
    ]
    return "\n".join(lines)


def _scripts() -> Iterator[str]:
    """Yield the scripts in the order of the plan, which is that of `WORK`."""
    for sprint, (path, text) in WORK.items():
        message = f"Sprint {sprint[1]} of {sprint[0]}"
        yield f"{MARK} {json.dumps(_script(sprint, path, text, message))}"


def _script(sprint: tuple[str, str], path: str, text: str, message: str) -> list[object]:
    if sprint not in _WORDS:
        written = f"{path} written and committed."
        return [{"write": [path, text]}, {"sh": _commit(path, message)}, {"text": written}]
    folder, file = path.split("/")
    work = f"mkdir -p {folder} && printf %s {shlex.quote(text)} > {folder}/{file}"
    again = f'[ "$TOPKICK_ATTEMPT" = 1 ] || {{ {work}; {_commit(path, message)}; }}'
    return [{"sh": again}, {"text": _WORDS[sprint]}]


def _commit(path: str, message: str) -> str:
    """Two agents share this tree, and git locks its index for a moment."""
    once = f"git add {path} && git commit -q -m {shlex.quote(message)} -- {path}"
    return f"for try in $(seq 30); do {once} && break; done"
