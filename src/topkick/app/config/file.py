"""topkick.toml and the user's own settings: read, put together, and refused in clear words."""

import difflib
import json
import os
import tomllib
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from topkick.app.config.model import Config
from topkick.app.project import Project
from topkick.engine.errors import UsageError
from topkick.engine.io.files import read_plain

LONGEST_BYTES = 1 << 20
ADAPTER = TypeAdapter(Config)


def user_config_path() -> Path:
    given = os.environ.get("XDG_CONFIG_HOME")
    base = Path(given) if given else Path.home() / ".config"
    return base / "topkick" / "config.toml"


def load_config(project: Project) -> Config:
    return load_config_at(project.config_path)


def load_config_at(path: Path) -> Config:
    """Merge the project's file over the user's, table by table, and return the settings."""
    own, here = _checked(user_config_path()), _checked(path)
    merged = {**own, **here}
    for name in own.keys() & here.keys():
        if isinstance(own[name], dict) and isinstance(here[name], dict):
            merged[name] = {**own[name], **here[name]}
    return ADAPTER.validate_python(merged)


def as_json(config: Config) -> dict[str, Any]:
    """Return every setting in force, by the tables of topkick.toml."""
    found: dict[str, Any] = ADAPTER.dump_python(config, mode="json")
    return found


def _checked(path: Path) -> dict[str, Any]:
    """Validate each file by itself, so that an error names the file with the mistake."""
    given = _spelled_out(_read(path))
    try:
        ADAPTER.validate_python(given)
    except ValidationError as error:
        raise UsageError(_explain(error, path)) from error
    return given


def _spelled_out(given: dict[str, Any]) -> dict[str, Any]:
    """Expand the short forms `gate = "ask"` and `[gate] command = "make test"`."""
    gate = given.get("gate")
    if isinstance(gate, str):
        gate = {"mode": gate}
    if isinstance(gate, dict) and isinstance(gate.get("command"), str):
        gate = {**gate, "command": [gate["command"]]}
    return given if gate is None else {**given, "gate": gate}


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.exists() and not path.is_file():  # reading a FIFO would block
            raise UsageError(
                f"{path} is not a plain file, so no setting was read.\n"
                "Replace it by a file that you may read."
            )
        data = read_plain(path, LONGEST_BYTES + 1, follow_links=True)
        if len(data) > LONGEST_BYTES:
            raise UsageError(
                f"{path} is longer than {LONGEST_BYTES >> 20} MiB, so no setting was read.\n"
                "Shorten it; every setting: docs/reference/configuration.md"
            )
        text = data.decode("utf-8")
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not UTF-8 text ({error}), so no setting was read. Save it as UTF-8."
        ) from error
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}. No setting was read.\n"
            "Make it a file that you may read."
        ) from error
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"{path} is not valid TOML: {error}. No setting was read; correct that line."
        ) from error
    except RecursionError as error:
        raise UsageError(
            f"{path} nests lists or tables too deep, so no setting was read.\n"
            "Use at most three levels; every setting: docs/reference/configuration.md"
        ) from error
    except ValueError as error:  # a number of thousands of digits
        raise UsageError(
            f"{path} has a number that is too long ({error}), so no setting was read. Shorten it."
        ) from error


def _explain(error: ValidationError, path: Path) -> str:
    lines = [f"{path} has settings that topkick does not understand, so none of them is used:"]
    for problem in error.errors():
        key = ".".join(str(part) for part in problem["loc"])
        lines.append(f"  {key}: {_plainly(problem)}")
    return "\n".join([*lines, "Correct them; every setting: docs/reference/configuration.md"])


def _plainly(problem: ErrorDetails) -> str:
    match problem["type"]:
        case "unexpected_keyword_argument":
            near = _near(tuple(map(str, problem["loc"])))
            return "no such setting" + (f"; did you mean {near}?" if near else "")
        case "string_type":
            is_table = isinstance(problem["input"], dict)
            return "write a text in quotes" + (", not a table" if is_table else "")
        case "tuple_type":
            return 'write a list of texts, such as ["make", "lint"]'
        case "dataclass_type" | "dict_type":
            return "write a table, not a value"
        case "enum" | "literal_error":
            allowed = problem["ctx"]["expected"].replace("'", '"')
            given = json.dumps(str(problem["input"])[:60])  # no control characters on the screen
            return f"{given} is not understood. Write {allowed}"
        case _:
            return problem["msg"].removeprefix("Value error, ")


def _near(key: tuple[str, ...]) -> str:
    """Return a setting of almost this name in the same table, or of this name in another one."""
    *place, wanted = key
    same = [name for table in _tables(place) for name in get_type_hints(table)]
    if near := difflib.get_close_matches(wanted, same, n=1):
        return near[0]
    others = (path for path in every_setting() if path.rpartition(".")[2] == wanted)
    return next(others, "")


def _tables(place: list[str]) -> list[type]:
    found: list[type] = [Config]
    for part in place:  # the user's name of a table, as in [agents.mine], is no field
        kinds = [get_type_hints(table).get(part) for table in found]
        found = [inner for kind in kinds for inner in _tables_in(kind)] or found
    return found


def every_setting(table: type = Config, above: str = "") -> Iterator[str]:
    """Yield the path of every setting, without the names that users give to tables."""
    for name, kind in get_type_hints(table).items():
        yield above + name
        for inner in _tables_in(kind):
            yield from every_setting(inner, f"{above}{name}.")


def _tables_in(annotation: Any) -> Iterator[type]:
    if is_dataclass(annotation) and isinstance(annotation, type):
        yield annotation
    for inner in get_args(annotation):
        yield from _tables_in(inner)
