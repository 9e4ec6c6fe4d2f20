"""The viewer in a real terminal: the table, Ctrl-C that drains, leaving, and coming back."""

import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from story_project import Project, plan, sprint, unit, wait_for


class Terminal:
    """A tmux server of our own with one window."""

    def __init__(self, tmux: str, project: Project, socket: Path) -> None:
        self._tmux = [tmux, "-S", str(socket), "-f", "/dev/null"]
        self._project = project
        self._do("new-session", "-d", "-x", "110", "-y", "30", "/bin/sh")

    def _do(self, *words: str) -> str:
        done = subprocess.run(
            [*self._tmux, *words],
            cwd=self._project.root,
            env={**self._project.env, "PS1": "$ ", "HOME": "/"},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def type(self, line: str) -> None:
        self._do("send-keys", "-l", line)
        self._do("send-keys", "Enter")

    def topkick(self, *words: str) -> None:
        """Run it, and say its exit code when it is over."""
        home = f"HOME={self._project.home}"  # the terminal itself is no process of the story
        command = shlex.join(["env", home, sys.executable, "-m", "topkick", *words])
        self.type(f"clear; {command}; echo ended:$?")

    def press(self, key: str) -> None:
        self._do("send-keys", key)

    def shows(self, text: str) -> str:
        try:
            return wait_for(lambda: screen if text in (screen := self.screen()) else "")
        except AssertionError:
            pytest.fail(f"{text!r} never came; there is:\n{self.screen()}")

    def screen(self) -> str:
        return self._do("capture-pane", "-p", "-J")

    def close(self) -> None:
        self._do("kill-server")


@pytest.fixture
def terminal(project: Project, need: Callable[[str], str], tmp_path: Path) -> Iterator[Terminal]:
    project.make(plan(unit("a", sprint(), sprint()), unit("b", needs="a")))
    made = Terminal(need("tmux"), project, tmp_path / "tmux")
    yield made
    made.close()


@pytest.mark.spec("ST-05", "SD-01", "SD-05", "RP-02")
def test_a_person_at_a_terminal_starts_leaves_watches_and_stops(
    project: Project, terminal: Terminal
) -> None:
    project.script("a.1", "hang()")
    terminal.topkick("start")
    terminal.shows("Start? [y/N]")
    terminal.type("y")
    terminal.shows("Ctrl-C: stop (agents at work finish first)   d: leave it running")
    wait_for(project.trail)
    assert "U1/1" in terminal.shows("RUNNING")
    terminal.press("d")
    terminal.shows("Left running. topkick watch attaches again.")
    terminal.shows("ended:0")
    assert project.supervisor() is not None
    terminal.topkick("status", "--watch")
    terminal.shows("Ctrl-C or q: end the looking")
    terminal.press("C-c")
    terminal.shows("ended:0")
    assert project.state("a") == "RUNNING"
    terminal.topkick("watch")
    terminal.shows("Ctrl-C: stop")
    terminal.press("C-c")
    terminal.shows("Draining: U1/1 (")
    terminal.shows("Ctrl-C again: stop them now. d: leave them running.")
    assert project.state("a") == "STOPPING"
    terminal.press("d")
    terminal.shows("Left stopping: the run rests once these agents are done.")
    terminal.topkick("watch")
    terminal.shows("Draining: U1/1 (")
    terminal.press("C-c")
    screen = terminal.shows("ended:6")
    assert "Go on: topkick resume" in screen
    assert project.state("a") == "KILLED"
    project.wait_for_rest()


def test_the_viewer_ends_with_the_run_and_its_exit_code(
    project: Project, terminal: Terminal
) -> None:
    project.script("a.1", "wait('gate'); work()")
    terminal.topkick("start", "--yes")
    terminal.shows("Ctrl-C: stop")
    project.let_go("gate")
    assert "3 done (3 checked)" in terminal.shows("ended:0")


def test_topkick_alone_asks_before_it_starts(project: Project, terminal: Terminal) -> None:
    terminal.topkick()
    terminal.shows("Start? [y/N]")
    terminal.type("n")
    terminal.shows("ended:130")
    assert project.starts() == []
