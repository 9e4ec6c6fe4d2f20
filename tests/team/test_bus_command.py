"""`topkick bus` as people and scripts use it."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from topkick.cli.main import run

TOPKICK = [sys.executable, "-m", "topkick"]


class Line:
    """The command line in this process: what it says, and how it ends."""

    def __init__(self, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._patch = patch

    def __call__(self, *words: object, code: int = 0, stdin: str = "") -> str:
        self._patch.setattr(sys, "stdin", io.StringIO(stdin))
        assert run(["bus", *map(str, words)]) == code
        said = self._capsys.readouterr()
        return said.out if code == 0 or "--json" in words else said.err


@pytest.fixture
def bus(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Line:
    return Line(capsys, monkeypatch)


@pytest.mark.spec("CK-21")
def test_every_operation(bus: Line, tmp_path: Path) -> None:
    assert bus("log", tmp_path, "--from", "a", "--summary", "Hi") == (
        "Logged MSG-001: [a -> coordinator] Hi\n"
    )
    bus("log", tmp_path, "--from", "b", "--type", "state_update", "--data", "-", stdin='{"x": 1}')
    bus("broadcast", tmp_path, "--from", "c", "--type", "blocker")
    listed = bus("list", tmp_path).splitlines()
    assert [line[:7] for line in listed] == ["MSG-001", "MSG-002", "MSG-003"]
    assert listed[2].endswith("c -> all (blocker) [c] blocker -> all")
    assert bus("list", tmp_path, "--from", "b", "--last", 1).count("MSG-") == 1
    assert "(1 of 3; more: --last N)" in bus("list", tmp_path, "--last", 1)
    assert '"x": 1' in bus("read", tmp_path, "MSG-002")
    assert "msgs: 1 | sent blocker -> all" in bus("status", tmp_path)
    assert json.loads(bus("state", tmp_path, "b"))["x"] == 1
    assert list(json.loads(bus("state", tmp_path))) == ["b"]
    assert bus("delete", tmp_path, "MSG-003").startswith("Deleted MSG-003")
    assert bus("clear", tmp_path, "--yes") == "Cleared 2 messages.\n"
    assert bus("state", tmp_path) == "No role has a state yet.\n"
    assert "MSG-004" in bus("log", tmp_path, "--from", "a")


@pytest.mark.spec("CK-21")
def test_the_answers_of_the_format(bus: Line, tmp_path: Path) -> None:
    def said(*words: object, code: int = 0) -> dict[str, object]:
        answer: dict[str, object] = json.loads(bus(*words, "--json", code=code))
        assert answer["success"] is (code == 0)
        result = answer["result"] if code == 0 else answer
        assert isinstance(result, dict)
        return result

    assert said("log", tmp_path, "--from", "a")["id"] == "MSG-001"
    assert said("read", tmp_path, "MSG-001")["from"] == "a"
    listed = said("list", tmp_path)
    assert (listed["total"], listed["showing"]) == (1, 1)
    assert str(listed["formatted"]).startswith("MSG-001 [")
    assert set(said("status", tmp_path)) == {"members", "total_messages", "formatted"}
    assert said("state", tmp_path, "x")["state"] is None
    assert said("state", tmp_path)["role_state"] == {}
    assert said("log", tmp_path, code=2)["error"] == 'log requires "from"'
    assert said("broadcast", tmp_path, code=2)["error"] == 'broadcast requires "from"'
    assert said("read", tmp_path, code=2)["error"] == 'read requires "id"'
    assert said("list", code=2)["error"] == 'list requires "session"'
    assert "MSG-009 not found" in str(said("read", tmp_path, "MSG-009", code=1)["error"])
    assert "MSG-009 not found" in str(said("delete", tmp_path, "MSG-009", code=1)["error"])
    assert said("delete", tmp_path, "MSG-001")["deleted"] == "MSG-001"
    assert said("clear", tmp_path, "--yes")["cleared"] == 0


@pytest.mark.spec("CK-21")
def test_mistakes_say_what_to_do(bus: Line, tmp_path: Path) -> None:
    assert "--from NAME" in bus("log", tmp_path, code=2)
    assert "mkdir -p" in bus("list", tmp_path / "none", code=2)
    assert "must be JSON" in bus("log", tmp_path, "--from", "a", "--data", "{", code=2)
    assert "MSG-007" in bus("read", tmp_path, "seven", code=2)
    assert "1<=x<=100" in bus("list", tmp_path, "--last", 101, code=2)
    assert "--yes" in bus("clear", tmp_path, code=2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.spec("CK-21")
def test_what_agents_write_cannot_steer_a_terminal(bus: Line, tmp_path: Path) -> None:
    bus("log", tmp_path, "--from", "a", "--summary", "\x1b]0;title\x07red\x1b[31m\r", "--json")
    for words in (("list",), ("read", "MSG-001"), ("status",)):
        assert "\x1b" not in bus(words[0], tmp_path, *words[1:])


@pytest.mark.spec("CK-21")
@pytest.mark.parametrize("portable", ["", "1"])
def test_list_follows(bus: Line, tmp_path: Path, portable: str) -> None:
    bus("log", tmp_path, "--from", "a", "--summary", "before")
    following = subprocess.Popen(
        [*TOPKICK, "bus", "list", str(tmp_path), "--follow", "--from", "a"],
        env={**os.environ, "TOPKICK_PORTABLE": portable},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert following.stdout
        assert following.stdout.readline().endswith("before\n")
        bus("log", tmp_path, "--from", "b", "--summary", "not asked for")
        bus("log", tmp_path, "--from", "a", "--summary", "after")
        assert following.stdout.readline().endswith("after\n")
        following.send_signal(signal.SIGINT)
        assert following.wait() == 130
    finally:
        following.kill()
        following.wait()
        if following.stdout:
            following.stdout.close()


@pytest.mark.spec("CK-21")
def test_the_tab_key_knows_ids(bus: Line, tmp_path: Path) -> None:
    bus("log", tmp_path, "--from", "a")
    words = f"topkick bus read {tmp_path} MSG"
    environment = {"_TOPKICK_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": "4"}
    done = subprocess.run(
        TOPKICK, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["plain,MSG-001"]
