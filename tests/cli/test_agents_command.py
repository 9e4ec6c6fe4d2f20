"""`agents list`, `agents try`, and agents in `doctor`; small programs stand for the real ones."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from test_cli import PLAN, topkick

STREAMS = Path(__file__).parents[1] / "fixtures" / "streams" / "claude-2.1.325"
PATIENCE_S = 120.0


def _program(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def _claude(place: Path, version: str = "2.1.325", does: str = "true") -> Path:
    """On PATH under the name of a known program; asked for its version it says it."""
    asked = f'[ "$1" = --version ] && {{ echo "{version} (Claude Code)"; exit; }}'
    return _program(place / "bin" / "claude", f"{asked}\n{does}")


def _env(place: Path, **more: str) -> dict[str, str]:
    (place / "tmp").mkdir(exist_ok=True)
    (place / "home").mkdir(exist_ok=True)
    (place / "here").mkdir(exist_ok=True)
    return {
        "PATH": f"{place / 'bin'}:/usr/bin:/bin",
        "HOME": str(place / "home"),
        "TMPDIR": str(place / "tmp"),
        "ANTHROPIC_API_KEY": "",
        "CLAUDE_CODE_OAUTH_TOKEN": "",
        **more,
    }


def _recorded(name: str) -> str:
    return f"cat {shlex.quote(str(STREAMS / name))}.jsonl"


# --- list ------------------------------------------------------------------------------------


def _listed(place: Path, env: dict[str, str]) -> dict[str, dict[str, Any]]:
    said = topkick("agents", "list", "--json", cwd=place, env=env, check_code=0).stdout
    return {row["name"]: row for row in json.loads(said)}


def test_every_adapter_is_listed_without_a_project(tmp_path: Path) -> None:
    _claude(tmp_path)
    rows = _listed(tmp_path, _env(tmp_path))
    assert {"claude", "codex", "command", "gemini", "opencode"} <= rows.keys()
    claude, codex = rows["claude"], rows["codex"]
    assert claude["path"] == str(tmp_path / "bin" / "claude")
    assert (claude["version"], claude["tested"], claude["differs"]) == ("2.1.325", "2.1.325", False)
    assert "edits files and runs commands" in claude["permissions"]
    assert (codex["path"], codex["version"], codex["configured"]) == (None, None, False)


def test_a_version_that_was_not_tested_is_said(tmp_path: Path) -> None:
    _claude(tmp_path, version="9.0.1")
    said = topkick("agents", "list", cwd=tmp_path, env=_env(tmp_path), check_code=0).stdout
    assert "claude: version 9.0.1, tested is 2.1.325; try it" in said
    assert "claude    edits files and runs commands (acceptEdits; Bash, Edit, Read, Write)" in said


SETTINGS = """
agent = "night"
[agents.night]
adapter = "claude"
permissions = "readonly"
account = "team"
[agents.mine]
command = ["{project}/mine.sh"]
"""


def test_agents_of_the_project_stand_first_and_unknown_programs_are_not_run(
    tmp_path: Path,
) -> None:
    (tmp_path / "EXECUTION_PLAN.md").write_text(PLAN)
    (tmp_path / "topkick.toml").write_text(SETTINGS)
    _program(tmp_path / "mine.sh", "touch worked")
    (deeper := tmp_path / "deeper").mkdir()
    rows = _listed(deeper, _env(tmp_path))
    assert list(rows)[:2] == ["night", "mine"]
    assert (rows["night"]["account"], rows["night"]["chosen"]) == ("team", True)
    assert rows["night"]["permissions"].startswith("reads only")
    assert (rows["mine"]["path"], rows["mine"]["version"]) == (str(tmp_path / "mine.sh"), None)
    assert not any(path.name == "worked" for path in tmp_path.rglob("*"))
    said = topkick("agents", "list", cwd=deeper, env=_env(tmp_path), check_code=0).stdout
    assert "* Runs use night." in said
    assert "night: no program claude; install it" in said


# --- try -------------------------------------------------------------------------------------


def _tried(place: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, as signals go to a process."""
    env = _env(place, **more)
    return subprocess.run(
        [sys.executable, "-m", "topkick", "agents", "try", *words],
        cwd=place / "here",
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_a_trial_shows_what_the_agent_does_and_what_it_came_to(tmp_path: Path) -> None:
    _claude(tmp_path, does=f"cat > order; {_recorded('happy')}")
    done = _tried(tmp_path, "claude", "Say hello", "--yes", "--model", "sonnet")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == [
        "Agent   claude (sonnet)",
        "May     edits files and runs commands (acceptEdits; Bash, Edit, Read, Write)",
        f"Where   {tmp_path / 'here'}",
        "Limits  50 turns, 60 min",
        "      begins: claude-sonnet-4-5 2.1.325 acceptEdits",
        "   1  Write: hello.txt",
        '   2  Bash: git add -A && git commit -m "sprint 1"',
        "   3  says: done",
        "   3  done",
        "",
        "finished: 3 turns, 5k tokens, $0.01",
    ]
    assert (tmp_path / "here" / "order").read_text() == "Say hello"
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize(
    ("stream", "told"),
    [
        ("denied", "The agent was denied: "),
        ("529", "retrying 1 of 2"),
        ("oauth-usage-limit", "usage limit: "),
    ],
)
def test_a_trial_that_did_not_finish_says_why_and_ends_with_1(
    stream: str, told: str, tmp_path: Path
) -> None:
    _claude(tmp_path, does=f"{_recorded(stream)}; exit 1")
    done = _tried(tmp_path, "claude", "Say hello", "--yes")
    assert done.returncode == 1, done.stdout + done.stderr
    assert told in done.stdout
    assert not done.stdout.splitlines()[-1].startswith("finished")
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_key_in_the_stream_is_not_shown(tmp_path: Path) -> None:
    key = "sk-very-secret-0123456789"
    call = {"type": "tool_use", "name": "Bash", "input": {"command": f"{'x' * 188} {key}"}}
    line = json.dumps({"type": "assistant", "message": {"id": "m1", "content": [call]}})
    _claude(tmp_path, does=f"echo {shlex.quote(line)}\n{_recorded('happy')}")
    said = _tried(tmp_path, "claude", "Say hello", "--yes", ANTHROPIC_API_KEY=key).stdout
    assert "Bash: xxx" in said
    assert key[:8] not in said


def test_any_program_that_is_set_up_can_be_tried(tmp_path: Path) -> None:
    _env(tmp_path)
    (tmp_path / "here" / "topkick.toml").write_text(
        '[agents.mine]\ncommand = ["{project}/mine.sh", "{prompt}"]\nprompt = "argument"\n'
    )
    _program(tmp_path / "here" / "mine.sh", "echo I was told: $1; exit 3")
    done = _tried(tmp_path, "mine", "Say hello", "--yes")
    assert "says: I was told: Say hello" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("crashed")
    assert done.returncode == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_trial_leaves_no_process_and_no_file(
    number: signal.Signals, tmp_path: Path
) -> None:
    """The child leaves the session; no signal to a group would reach it."""
    away = "setsid sh -c 'trap \"\" TERM; echo $$ > ../child; sleep 60; sleep 60' &"
    _claude(tmp_path, does=f"{away}\n{_recorded('happy')} | head -2\nsleep 60")
    env = _env(tmp_path)
    (tmp_path / "here" / "topkick.toml").write_text("[limits]\nstop_grace_seconds = 0.5\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "topkick", "agents", "try", "claude", "Wait", "--yes"],
        cwd=tmp_path / "here",
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        child = _wait_for_pid(tmp_path / "child")
        assert process.stdout is not None
        while "Write: hello.txt" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(number)
        said, _ = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.wait()
    assert "topkick ended the agent early: you asked for it" in said
    assert process.returncode == 1
    assert not _is_alive(child)
    assert list((tmp_path / "tmp").iterdir()) == []


def _is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _wait_for_pid(path: Path) -> int:
    ends_at_s = time.monotonic() + PATIENCE_S
    while not (path.exists() and path.read_text().strip()):
        assert time.monotonic() < ends_at_s, f"{path} never came"
        time.sleep(0.03)
    return int(path.read_text())


def test_a_trial_asks_first(tmp_path: Path) -> None:
    _claude(tmp_path, does="touch worked")
    done = _tried(tmp_path, "claude", "Say hello")
    assert done.returncode == 2
    assert "May     edits files and runs commands" in done.stdout
    assert "--yes" in done.stderr
    assert list((tmp_path / "here").iterdir()) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("cloude", "x"), "There is no agent 'cloude'. Known: aider, claude, codex"),
        (("command", "x"), "topkick init --command"),
        (("claude", " "), "The order is empty"),
        (("claude", "x"), "needs the program claude, and there is none on PATH"),
    ],
)
def test_what_cannot_be_tried_is_said(words: tuple[str, str], told: str, tmp_path: Path) -> None:
    env = _env(tmp_path)
    done = topkick("agents", "try", *words, "--yes", cwd=tmp_path, env=env, check_code=2)
    assert told in done.stderr


# --- doctor ----------------------------------------------------------------------------------


def _found(place: Path, env: dict[str, str]) -> list[tuple[str, str, str]]:
    (place / "EXECUTION_PLAN.md").write_text(PLAN)
    said = topkick("doctor", "--json", cwd=place, env=env, check_code=0).stdout
    rows = json.loads(said)
    return [(r["level"], r["detail"], r["advice"]) for r in rows if r["what"] == "agent"]


WITH_KEY = '[agents.claude]\nadapter = "claude"\npass_env = ["ANTHROPIC_API_KEY"]\n'


def test_doctor_shakes_hands_with_an_agent(tmp_path: Path) -> None:
    path = _claude(tmp_path)
    (tmp_path / "topkick.toml").write_text(WITH_KEY)
    found = _found(tmp_path, _env(tmp_path, ANTHROPIC_API_KEY="sk-1"))
    assert [(level, detail) for level, detail, _ in found] == [
        ("ok", f"claude (chosen): {path} 2.1.325 (Claude Code), as tested"),
        ("ok", "claude: key in ANTHROPIC_API_KEY"),
        ("ok", "claude may: edits files and runs commands (acceptEdits; Bash, Edit, Read, Write)"),
    ]


def test_doctor_warns_of_another_version_and_of_a_missing_login(tmp_path: Path) -> None:
    _claude(tmp_path, version="3.0.0")
    (tmp_path / "topkick.toml").write_text(WITH_KEY)
    version, login, _ = _found(tmp_path, _env(tmp_path))
    assert version[0] == "warn"
    assert "tested: 2.1.325" in version[1]
    assert "topkick agents try claude" in version[2]
    assert login[:2] == ("warn", "claude: no key and no login found")
    assert "ANTHROPIC_API_KEY" in login[2]


def test_doctor_knows_where_a_login_is_and_what_is_passed_on(tmp_path: Path) -> None:
    _claude(tmp_path)
    (tmp_path / "topkick.toml").write_text('[agents.claude]\nadapter = "claude"\n')
    env = _env(tmp_path, ANTHROPIC_API_KEY="sk-1")
    _, login, _ = _found(tmp_path, env)
    assert (
        login[2] == "ANTHROPIC_API_KEY is set, but not passed on to the agent: add it to pass_env"
    )
    (tmp_path / "home" / ".claude").mkdir()
    (file := tmp_path / "home" / ".claude" / ".credentials.json").write_text("{}")
    _, login, _ = _found(tmp_path, env)
    assert login[:2] == ("ok", f"claude: logged in ({file})")


# --- the Tab key -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "at", "offered"),
    [
        ("topkick agents ", 2, {"plain,list", "plain,try"}),
        ("topkick agents try c", 3, {"plain,claude", "plain,codex"}),
    ],
)
def test_completion_knows_the_agents(line: str, at: int, offered: set[str], tmp_path: Path) -> None:
    words = {"_TOPKICK_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(at)}
    done = subprocess.run(
        [sys.executable, "-m", "topkick"],
        cwd=tmp_path,
        env={**os.environ, **words},
        capture_output=True,
        text=True,
        check=False,
    )
    assert offered <= set(done.stdout.split())
