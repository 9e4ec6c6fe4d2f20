"""Load scenarios from files (JSON, TOML) and scripts from the line `REHEARSE: [...]` of a
prompt.
"""

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topkick.outside.rehearsal.scenarios import (
    Broken,
    Cut,
    Fail,
    Fault,
    Fine,
    Hang,
    Refuse,
    Scenario,
    Sh,
    Step,
    Text,
    Tokens,
    Tool,
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
    "text": lambda value, rest: Text(str(value), **rest),
    "tool": lambda value, rest: Tool(*_words(value, 2), **rest),
    "refuse": lambda value, rest: Refuse(str(value), **rest),
    "truncate": lambda value, rest: Truncate(str(value), **rest),
    "fail": _fail,
    "hang": lambda value, rest: Hang(float(value), **rest),
    "cut": lambda value, rest: Cut(int(value), **rest),
    "broken": _broken,
    "fine": lambda value, rest: Fine(int(value), **rest),
}
