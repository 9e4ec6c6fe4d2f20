"""The viewer in a real terminal: the table, leaving, coming back, and the key that stops."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from story_project import Project, plan, sprint, unit, wait_for


class Terminal:
    """A separate tmux server with one window."""

    def __init__(self, tmux: str, project: Project, socket: Path, columns: int = 110) -> None:
        self._tmux = [tmux, "-S", str(socket), "-f", "/dev/null"]
        self._project = project
        self._do("new-session", "-d", "-x", str(columns), "-y", "30", "/bin/sh")

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
    terminal.shows("Ctrl-C or q: leave (the run continues)   s: stop the run")
    wait_for(project.trail)
    assert "U1/1" in terminal.shows("RUNNING")
    terminal.press("q")
    terminal.shows("The run continues. Stop: topkick stop    Follow: topkick watch")
    terminal.shows("ended:0")
    for words in (("status", "--watch"), ("watch",)):
        terminal.topkick(*words)
        terminal.shows("Ctrl-C or q: leave")
        terminal.press("C-c")
        terminal.shows("The run continues. Stop: topkick stop")
        terminal.shows("ended:0")
        assert project.state("a") == "RUNNING"
    terminal.topkick("watch")
    terminal.shows("s: stop the run")
    terminal.press("s")
    asked = terminal.shows("so far)? y: yes   any other key: no   s again: stop them now")
    assert "Drain U1/1 (" in asked
    terminal.press("n")
    terminal.shows("s: stop the run")
    assert project.state("a") == "RUNNING"
    terminal.press("s")
    terminal.shows("Drain U1/1 (")
    terminal.press("y")
    terminal.shows("Draining: U1/1 (")
    assert project.state("a") == "STOPPING"
    terminal.press("C-c")
    terminal.shows("The run stops when the agents at work are done. Follow: topkick watch")
    terminal.topkick("watch")
    terminal.shows("Draining: U1/1 (")
    terminal.press("s")
    terminal.shows("now, in the middle of the work? y: yes")
    assert project.state("a") == "STOPPING"
    terminal.press("y")
    screen = terminal.shows("ended:6")
    assert "Continue: topkick resume" in screen
    assert project.state("a") == "KILLED"
    project.wait_for_rest()


def test_the_viewer_ends_with_the_run_and_its_exit_code(
    project: Project, terminal: Terminal
) -> None:
    project.script("a.1", "wait('gate'); work()")
    terminal.topkick("start", "--yes")
    terminal.shows("s: stop the run")
    project.let_go("gate")
    assert "3 done (3 checked)" in terminal.shows("ended:0")


def test_topkick_alone_asks_before_it_starts(project: Project, terminal: Terminal) -> None:
    terminal.topkick()
    terminal.shows("Start? [y/N]")
    terminal.type("n")
    terminal.shows("ended:130")
    assert project.starts() == []


def test_a_command_is_wrapped_at_80_columns_and_never_cut(
    project: Project, need: Callable[[str], str], tmp_path: Path
) -> None:
    """The last words of "Start it now: topkick resume" were cut off."""
    project.make(plan(unit("a")))
    project.script("a.1", "wait('gate'); work()")
    project.start_in_background()
    wait_for(project.trail)
    first = wait_for(project.supervisor)
    os.kill(first, signal.SIGKILL)
    second = wait_for(lambda: pid if (pid := project.supervisor()) != first else None)
    terminal = Terminal(need("tmux"), project, tmp_path / "tmux", columns=80)
    try:
        terminal.topkick("watch")
        terminal.shows("s: stop the run")
        os.kill(second, signal.SIGKILL)
        terminal.shows("it will be restarted at")
        seen = " ".join(terminal.screen().split())
        assert "Start it now: topkick resume" in seen, seen
        assert "resu…" not in seen
        project.let_go("gate")
        terminal.shows("ended:0")
    finally:
        terminal.close()
