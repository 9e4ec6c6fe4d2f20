"""The demo with a real program: what is said without one, and that its scripts fit its plan."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from topkick.cli.demo import cast as demo_cast
from topkick.cli.demo import demo as the_demo
from topkick.cli.demo.agent import WORK
from topkick.fake_model import MARK, ScriptText, Sh, Write
from topkick.fake_model.scripts import Script, script_in


def demo(*words: str, path: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "topkick", "demo", *words],
        env={"PATH": path or os.defpath, "LANG": "C.UTF-8", **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def program(place: Path, name: str) -> str:
    """A directory in which there is a program of this name; it must never be started."""
    (place / name).write_text(f"#!/bin/sh\ntouch {place}/started\n")
    (place / name).chmod(0o755)
    return str(place)


def scripts() -> list[Script]:
    lines = [line for line in demo_cast.rehearsed().split("\n") if MARK in line]
    found = [script_in(line) for line in lines]
    return [script for script in found if script is not None]


def test_every_sprint_of_the_plan_brings_a_script_for_its_own_file() -> None:
    plain = [line for line in demo_cast.rehearsed().split("\n") if MARK not in line]
    assert "\n".join(plain) == demo_cast.PLAN
    assert len(scripts()) == demo_cast.PLAN.count("### Sprint") == len(WORK)
    for script, (path, text) in zip(scripts(), WORK.values(), strict=True):
        *steps, last = script.steps
        assert isinstance(last, ScriptText)
        commands = " ".join(step.command for step in steps if isinstance(step, Sh))
        assert "git commit -q -m 'Sprint" in commands
        assert path in commands
        assert Write(path, text) in steps or "$TOPKICK_ATTEMPT" in commands


@pytest.mark.parametrize("agent", demo_cast.REAL)
def test_without_the_program_it_says_how_to_get_it(agent: str, tmp_path: Path) -> None:
    done = demo("--agent", agent, path=str(tmp_path), TMPDIR=str(tmp_path))
    assert done.returncode == 2
    assert f"{agent} is not on PATH" in done.stderr
    assert f"make demo AGENT={agent}" in done.stderr
    assert not list(tmp_path.rglob("EXECUTION_PLAN.md"))


def test_a_real_model_is_asked_for_by_name_and_never_taken_unasked(tmp_path: Path) -> None:
    assert "--agent claude" in demo("--real-model").stderr
    path = program(tmp_path, "claude")
    key = "sk-a-real-one"
    words = ("--agent", "claude", "--real-model")
    done = demo(*words, path=path, TMPDIR=str(tmp_path), ANTHROPIC_API_KEY=key)
    assert done.returncode == 2
    assert f"starts no agent above ${demo_cast.RUN_USD}" in done.stdout
    assert "There is no terminal to ask in" in done.stderr
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("agent", demo_cast.REAL)
def test_a_real_key_is_left_out_of_a_rehearsal(
    agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", program(tmp_path, agent))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "CODEX_HOME"):
        monkeypatch.setenv(name, "of-the-user")
    monkeypatch.setenv("XDG_CONFIG_HOME", "of-the-user")
    with demo_cast.scripted_model(agent, tmp_path / "home") as cast:
        assert "of-the-user" not in {*cast.env.values()}
        assert cast.env["HOME"] == str(tmp_path / "home")
        assert demo_cast.DUMMY_KEY in cast.env.values()
        told = cast.settings + " ".join(cast.env.values())
        assert "http://127.0.0.1:" in told
    assert demo_cast.real_model(agent).env.get("ANTHROPIC_API_KEY") == "of-the-user"


def test_what_it_says_to_type_can_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "bin" / "topkick")])
    assert the_demo.program() == f"{sys.executable} -m topkick"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "topkick").write_text("#!/bin/sh\n")
    assert the_demo.program() == str(tmp_path / "bin" / "topkick")
    (tmp_path / "topkick").write_text("#!/bin/sh\n")
    (tmp_path / "topkick").chmod(0o755)
    assert the_demo.program() == "topkick"
