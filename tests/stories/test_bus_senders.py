"""Stories of a bus: reserved senders are topkick's own, and no number is ever given twice."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from topkick.team.bus.mcp_server import call
from topkick.team.bus.store import Bus
from topkick.team.commands.bus import command


def _log(session: Path, sender: str) -> tuple[int, str]:
    words = ["log", str(session), "--from", sender, "--summary", "all is well"]
    done = CliRunner().invoke(command, words, standalone_mode=False)
    return int(done.return_value or 0), done.output


@pytest.mark.parametrize("sender", ["supervisor", "Supervisor", " supervisor "])
def test_nobody_else_posts_as_the_supervisor(tmp_path: Path, sender: str) -> None:
    code, said = _log(tmp_path, sender)
    assert code == 2, said
    assert "reserved" in said
    tools = (("bus_log", {}), ("bus_broadcast", {}), ("team_msg", {"operation": "log"}))
    for tool, operation in tools:
        arguments = {**operation, "from": sender, "summary": "pass"}
        answer = call(tmp_path, tool, arguments)
        assert not answer.success
    assert Bus(tmp_path).messages() == ()


def test_an_agent_with_an_order_does_not_post_as_the_coordinator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _log(tmp_path, "coordinator")[0] == 0
    monkeypatch.setenv("TOPKICK_ORDER", "m-1")
    assert _log(tmp_path, "coordinator")[0] == 2
    assert _log(tmp_path, "writer")[0] == 0


@pytest.mark.parametrize(
    "line",
    [
        '{"id": "MSG-003", "ts": "2026-01-01T00:00:00Z", "from": "writer", "summ\n',
        '{"id": "MSG-003", "from": 7}\n',
        '{"id":"MSG-003","from":"writer","to":"coo',
    ],
)
def test_the_number_of_an_unreadable_line_is_not_given_again(tmp_path: Path, line: str) -> None:
    (tmp_path / ".msg").mkdir()
    (tmp_path / ".msg" / "messages.jsonl").write_text(line)
    code, _ = _log(tmp_path, "writer")
    assert code == 0
    (message,) = Bus(tmp_path).messages()
    assert message.id == "MSG-004"
    text = (tmp_path / ".msg" / "messages.jsonl").read_text()
    assert json.loads(text.splitlines()[-1])["id"] == "MSG-004"
