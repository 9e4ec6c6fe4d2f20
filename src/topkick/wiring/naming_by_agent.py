"""Ask an agent's cheapest model for an operation's name, outside any run (NM-02)."""

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from topkick.core.agents import Tier
from topkick.core.plan import Plan
from topkick.core.settings import Settings
from topkick.outside.agents.vocabulary import Event, Result, Said
from topkick.plans.naming.form import name_in
from topkick.wiring.trying import Trial, Tried, try_out

TRIES = 2
MOST_TURNS = 4
LONGEST_S = 180.0
UNITS_TOLD = 20

_ORDER = """\
Give a software plan a humorous operation name. Change no file and run no command.

The plan is called: {title}
Its work units are: {units}

Rules:
- One line, and nothing else: OPERATION and two to four words, all in capital letters.
- An action word or an adjective, then a concrete noun: a metaphor for what the work does.
- No word of the plan's title. Kind and funny; no real people, brands, nations or weapons.
- Not this one: {present}
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer; `name` is empty if there was none, `stopped` if the user ended it."""

    name: str
    stopped: str = ""


def ask_for_name(settings: Settings, plan: Plan, present: str) -> Answer:
    """Ask an agent in an empty directory, where there is nothing to read or change."""
    limited = replace(
        settings,
        max_turns=min(settings.max_turns, MOST_TURNS),
        sprint_timeout_s=min(settings.sprint_timeout_s, LONGEST_S),
    )
    for _ in range(TRIES):
        answer = _once(limited, plan, present)
        if answer.name or answer.stopped:
            return answer
    return Answer("")


def _once(settings: Settings, plan: Plan, present: str) -> Answer:
    heard: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Said):
            heard.append(event.text)
        elif isinstance(event, Result):
            heard.append(event.said)

    with tempfile.TemporaryDirectory(prefix="topkick-name-", ignore_cleanup_errors=True) as place:
        model = settings.agent.model_for(Tier.HAIKU)
        order = _order(plan, present)
        tried = try_out(Trial(settings, order, model, Tier.HAIKU, Path(place).resolve()), listen)
    return _answer(tried, heard, plan, present)


def _answer(tried: Tried, heard: list[str], plan: Plan, present: str) -> Answer:
    said = "\n".join([*heard, tried.report.said])
    name = name_in(said.replace(present, "") if present else said, plan.title)
    return Answer("" if name == present else name, tried.stopped)


def _order(plan: Plan, present: str) -> str:
    units = ", ".join(unit.name[:80] for unit in plan.units[:UNITS_TOLD])
    return _ORDER.format(title=plan.title[:200], units=units, present=present or "none")
