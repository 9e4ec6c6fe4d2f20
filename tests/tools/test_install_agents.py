"""The installer of the real programs, as far as it goes without a network."""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PINNED = tomllib.loads((ROOT / "proof/agents/versions.toml").read_text("utf-8"))


def install(place: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run the installer without npm or any other program on PATH."""
    return subprocess.run(
        [sys.executable, ROOT / "tools/install_agents", "--dir", place, *words],
        env={"PATH": str(place / "nothing")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def put(place: Path, name: str) -> Path:
    pinned = PINNED[name]
    path = place / f"{name}-{pinned['version']}" / pinned["program"].replace("*", "linux-x64")
    path.parent.mkdir(parents=True)
    path.touch()
    return path


def test_without_npm_it_says_what_to_do(tmp_path: Path) -> None:
    done = install(tmp_path / "agents")
    assert done.returncode == 1
    assert "npm is not on PATH" in done.stderr
    assert "Install Node.js" in done.stderr


def test_what_is_there_is_only_named(tmp_path: Path) -> None:
    place = tmp_path / "agents"
    claude, codex = put(place, "claude"), put(place, "codex")
    done = install(place)
    assert done.stdout == f"claude {claude}\ncodex {codex}\n"
    assert (done.returncode, done.stderr) == (0, "")
    # Git and the checks of the tree do not see half a gigabyte of programs.
    assert (place / ".gitignore").read_text() == "*\n"


def test_another_version_does_not_count(tmp_path: Path) -> None:
    place = tmp_path / "agents"
    put(place, "codex")
    old = place / "claude-0.0.1" / PINNED["claude"]["program"]
    old.parent.mkdir(parents=True)
    old.touch()
    done = install(place, "--check")
    assert done.returncode == 1
    assert f"claude {PINNED['claude']['version']} is not installed" in done.stderr


def test_names_are_checked(tmp_path: Path) -> None:
    done = install(tmp_path / "agents", "--with", "nosuch")
    assert done.returncode == 1
    assert "Known: claude, codex, gemini, opencode" in done.stderr
