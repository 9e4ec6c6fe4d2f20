"""The commands of `topkick bus` and the MCP tools are made from one table and answer alike."""

import json
import re
from pathlib import Path

import pytest

from topkick.cli.main import run
from topkick.team.bus.mcp_server import ONE_TOOL, PREFIX, call, tools
from topkick.team.bus.session import OPERATIONS, BusArgument
from topkick.team.commands import bus

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:\+00:00|Z)|\d\d:\d\d:\d\d")
ONLY_ON_THE_COMMAND_LINE = {"session_dir", "as_json", "goes_on", "yes"}
GIVEN = {"from": "writer", "to": "judge", "summary": "ready", "id": "MSG-001", "role": "writer"}


@pytest.mark.spec("CK-21", "CK-22")
@pytest.mark.parametrize("name", OPERATIONS)
def test_both_sides_take_the_arguments_of_the_row(name: str, tmp_path: Path) -> None:
    row = OPERATIONS[name]
    parameters = {p.name for p in bus.command.commands[name].params} - ONLY_ON_THE_COMMAND_LINE
    assert parameters == {argument.field for argument in row.arguments}
    tool = {tool.name: tool for tool in tools(tmp_path)}[PREFIX + name]
    assert tool.schema["properties"].keys() == {a.name for a in row.arguments}  # type: ignore[attr-defined]
    assert tool.schema["required"] == [a.name for a in row.arguments if a.required]
    assert row.help in (bus.command.commands[name].help or "")
    assert tool.description == row.help


def test_nothing_is_offered_that_is_not_in_the_table() -> None:
    assert set(bus.command.commands) == set(OPERATIONS)
    assert {tool.name for tool in tools(None)} == {
        ONE_TOOL,
        *(PREFIX + name for name in OPERATIONS),
    }


@pytest.mark.spec("CK-21", "CK-22")
@pytest.mark.parametrize("name", OPERATIONS)
def test_both_sides_give_the_same_answer(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each side has a bus of its own; all but the time of a message is equal."""
    row = OPERATIONS[name]
    given = {a.name: GIVEN[a.name] for a in row.arguments if a.name in GIVEN}
    answers = []
    for side in ("cli", "mcp"):
        session = tmp_path / side
        session.mkdir()
        for more in ({"type": "state_update", "data": {"n": 1}}, {"to": "judge"}):
            assert call(session, "bus_log", {"from": "writer", **more}).success
        if side == "mcp":
            answers.append(_timeless(call(session, PREFIX + name, given).body))
            continue
        words = [w for a in row.arguments if a.name in given for w in _words(a, given)]
        run(["bus", name, str(session), *words, "--json", *["--yes"] * row.destroys_all])
        answers.append(_timeless(capsys.readouterr().out))
    assert answers[0] == answers[1]
    assert '"success": true' in json.dumps(answers[0])


def _words(argument: BusArgument, given: dict[str, str]) -> list[str]:
    value = given[argument.name]
    return [f"--{argument.name}", value] if argument.metavar else [value]


def _timeless(body: str) -> object:
    """Replace times, which differ between two calls."""
    return json.loads(MOMENT.sub("then", body))
