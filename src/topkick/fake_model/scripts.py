"""Load scenarios from files (JSON, TOML) and scripts from the line `REHEARSE: [...]` of a
prompt.
"""

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from topkick.fake_model.exchange import Line, ModelQuestion, ToolAnswered, UserSaid
from topkick.fake_model.scenarios import (
    Broken,
    Cut,
    Fail,
    Fault,
    Fine,
    Hang,
    Refuse,
    Scenario,
    ScriptText,
    ScriptTool,
    Sh,
    Step,
    Tokens,
    Truncate,
    Write,
)

MARK = "REHEARSE:"
_FAULTS = (Fail, Hang, Cut, Broken, Fine)


class BadScenario(ValueError):
    """The message says which entry is wrong, and how."""


@dataclass(frozen=True, slots=True)
class Script:
    steps: tuple[Step, ...]
    faults: tuple[Fault, ...]


def load_scenarios(path: Path) -> dict[str, Scenario]:
    """Load `{"name": {"steps": [...], "again": false, "delay_s": 0, ...}}`, or the same in TOML."""
    raw = path.read_text("utf-8")
    try:
        table = tomllib.loads(raw) if path.suffix == ".toml" else json.loads(raw)
    except ValueError as error:
        raise BadScenario(f"{path}: {error}") from error
    if not isinstance(table, dict):
        raise BadScenario(f"{path}: expected a table of scenarios by name")
    return {name: _scenario(name, entry) for name, entry in table.items()}


def parse_script(entries: object) -> Script:
    if not isinstance(entries, list):
        raise BadScenario(f"a script is a list of steps, not {type(entries).__name__}")
    things = [_thing(entry) for entry in entries]
    return Script(
        tuple(thing for thing in things if not isinstance(thing, _FAULTS)),
        tuple(thing for thing in things if isinstance(thing, _FAULTS)),
    )


def script_in(prompt: str) -> Script | None:
    """Return the script of the first marked line; the mark may follow a bullet or a quote."""
    for line in prompt.split("\n"):
        _, mark, rest = line.partition(MARK)
        if mark and rest.lstrip().startswith("["):
            try:
                entries, _ = json.JSONDecoder().raw_decode(rest.lstrip())
            except ValueError as error:
                raise BadScenario(f"{MARK} {error}") from error
            return parse_script(entries)
    return None


def _scenario(name: str, entry: Any) -> Scenario:
    try:
        fields = dict(entry)
        script = parse_script(fields.pop("steps", []))
        tokens = Tokens(**fields.pop("tokens", {}))
        return Scenario(name, script.steps, script.faults, tokens=tokens, **fields)
    except (TypeError, ValueError) as error:
        raise BadScenario(f"scenario {name}: {error}") from error


def _thing(entry: Any) -> Step | Fault:
    if not isinstance(entry, dict):
        raise BadScenario(f"a step is a table such as {{'sh': 'make'}}, not {entry!r}")
    for word, make in _MAKERS.items():
        if word in entry:
            rest = {key: value for key, value in entry.items() if key != word}
            try:
                return make(entry[word], rest)
            except (TypeError, ValueError) as error:
                raise BadScenario(f"{entry!r}: {error}") from error
    raise BadScenario(f"{entry!r}: no such step; known: {', '.join(_MAKERS)}")


def _words(value: Any, count: int) -> Sequence[Any]:
    if not isinstance(value, list) or len(value) != count:
        raise BadScenario(f"expected a list of {count}")
    return value


def _fail(value: Any, rest: Mapping[str, Any]) -> Fail:
    return Fail(**value, **rest) if isinstance(value, dict) else Fail(int(value), **rest)


def _broken(value: Any, rest: Mapping[str, Any]) -> Broken:
    return Broken(*_words(value, 2), **rest)


_MAKERS: Mapping[str, Callable[[Any, Mapping[str, Any]], Step | Fault]] = {
    "write": lambda value, rest: Write(*map(str, _words(value, 2)), **rest),
    "sh": lambda value, rest: Sh(str(value), **rest),
    "text": lambda value, rest: ScriptText(str(value), **rest),
    "tool": lambda value, rest: ScriptTool(*_words(value, 2), **rest),
    "refuse": lambda value, rest: Refuse(str(value), **rest),
    "truncate": lambda value, rest: Truncate(str(value), **rest),
    "fail": _fail,
    "hang": lambda value, rest: Hang(float(value), **rest),
    "cut": lambda value, rest: Cut(int(value), **rest),
    "broken": _broken,
    "fine": lambda value, rest: Fine(int(value), **rest),
}


# --- Find a request's script and its step from the transcript; nothing is stored.

# Programs send their own notes as user messages; these are not prompts.
_NOTES = (
    "<system-reminder>",
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "<turn_aborted>",
    "# AGENTS.md instructions",
)


def scripted(scenario: Scenario, question: ModelQuestion) -> tuple[Scenario, str]:
    """Return the scenario with the prompt's script, if there is one, and a name for that script.

    The name counts faults separately for each prompt.
    """
    script, _ = _found(question.transcript)
    if script is None:
        return scenario, ""
    ours = replace(scenario, steps=script.steps, faults=(*scenario.faults, *script.faults))
    return ours, repr(script) if script.faults else ""


def step_of(scenario: Scenario, question: ModelQuestion) -> tuple[Step, bool]:
    """Return the step, and whether the shell must do it because a tool refused.

    A prompt without a script continues the one before it, so resumed work continues too.
    """
    script, at = _found(question.transcript)
    anchor = at if script is not None else _last_prompt(question.transcript)
    later = question.transcript[anchor + 1 :]
    results = [line for line in later if isinstance(line, ToolAnswered)]
    number = sum(not result.unread for result in results)
    return scenario.step(number), bool(results) and results[-1].unread


def _found(transcript: tuple[Line, ...]) -> tuple[Script | None, int]:
    for at in range(len(transcript) - 1, -1, -1):
        line = transcript[at]
        if isinstance(line, UserSaid) and (script := script_in(line.text)) is not None:
            return script, at
    return None, -1


def _last_prompt(transcript: tuple[Line, ...]) -> int:
    for at in range(len(transcript) - 1, -1, -1):
        line = transcript[at]
        if isinstance(line, UserSaid) and not line.text.lstrip().startswith(_NOTES):
            return at
    return -1
