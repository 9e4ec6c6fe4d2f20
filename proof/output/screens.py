"""Every place where a person sees text of plans, agents and checks, in a real terminal."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from proof.bug_signs import bug_in
from proof.output.nasty import NASTY, in_a_file_name, in_one_line, offences
from proof.terminal import Terminal
from tests.stories.story_project import Project, plan, sprint, unit, wait_for

_PRINTS = """
import os
for text in {texts!r}:
    os.write(1, text + b"\\n")
"""


class Screens:
    """A run with hostile text everywhere; `seen` is what reached a terminal."""

    def __init__(self, place: Path) -> None:
        self.project = Project(place, portable=False)
        self.seen: dict[str, list[str]] = {}
        self.evil: set[str] = set()
        self.raw = b""
        self._prints = place / "prints.py"
        self._prints.write_text(_PRINTS.format(texts=list(NASTY.values())))

    def close(self) -> list[str]:
        with suppress(AssertionError):
            wait_for(lambda: not self.project.processes(), 60)
        return self.project.close()

    def make(self) -> None:
        """Make the project: unit a is stuck on a check that prints everything; b is at work when
        killed.
        """
        check = f"{sys.executable} -I -S {self._prints}; exit 1"
        text = plan(unit("a", sprint(check)), unit("b"))
        nasty = in_one_line()
        text = text.replace("Part 1", f"Part 1 {nasty}").replace("# EXEC", f"# {nasty} EXEC")
        self.project.make(text)
        act = f"exec(open({str(self._prints)!r}).read())"
        name = os.fsdecode(in_a_file_name())
        claim = f"claim('done', notes={nasty!r}, blocked_on={nasty!r})"
        self.project.script("a.1", f"{act}; write({name!r}); {claim}")
        self.project.script("b.1", f"{act}; write({name!r}); hang()")

    def drive(self) -> None:
        project = self.project
        start = self._terminal("start", "--yes", "--foreground")
        try:
            wait_for(lambda: any("hangs" in line for line in project.trail()), 60)
            self._look("watch", keys=b"d", until=lambda _: True, own_screen=True)
            start.until(lambda _: project.state("a") == "BLOCKED")
            self._look("watch, blocked", "watch", keys=b"d", until=_drawn, own_screen=True)
            self._look("status --watch", keys=b"q", until=_drawn, own_screen=True)
            for words in ("status", "status --json", "logs U1/1", "logs U2/1", "logs", "plan show"):
                self._look(words)
            self._look("logs -f", "logs U2/1 -f", until=lambda w: b"U+E0042" in w)
            self.raw = self._run("logs", "U2/1", "--raw").written
            self._look("killall")
            start.end()
        finally:
            start.close()
        self._judge("start --foreground", start.written)
        self._look("resume", "resume --foreground --help")
        self._look_at_files()
        self._look_at_mistakes()

    def _look_at_files(self) -> None:
        board = (self.project.root / "SUPERVISOR_STATE.md").read_bytes()
        self._judge("SUPERVISOR_STATE.md", board)

    def _look_at_mistakes(self) -> None:
        """Use words and names that a person may have pasted or an agent may have made."""
        name = in_a_file_name()
        mistakes: dict[str, list[str | bytes]] = {
            "unknown unit": ["logs", name],
            "unknown command": [name],
            "nearly a command": [b"statu" + NASTY["colours"][:3]],
            "unknown option": [b"status", b"--" + name],
            "missing plan": ["plan", "show", name],
            "plan that is none": ["plan", "show", b"dir-" + name],
            "unknown sprint": ["accept", b"U1/" + name, "--why", "x"],
        }
        os.mkdir(os.fsencode(self.project.root) + b"/dir-" + name)
        for what, words in mistakes.items():
            terminal = self._run(*(os.fsdecode(word) for word in words))
            self._judge(what, terminal.written)
            assert terminal.code != 0, f"{what} was no mistake: {terminal.written!r}"
            assert not bug_in(terminal.written), terminal.written

    # -- a terminal

    def _terminal(self, *words: str) -> Terminal:
        argv = [sys.executable, "-m", "topkick", *words]
        return Terminal(argv, self.project.root, self.project.env)

    def _run(self, *words: str) -> Terminal:
        terminal = self._terminal(*words)
        try:
            terminal.end()
        finally:
            terminal.close()
        return terminal

    def _look(
        self,
        what: str,
        words: str = "",
        *,
        keys: bytes = b"",
        until: Callable[[bytes], object] | None = None,
        own_screen: bool = False,
    ) -> None:
        terminal = self._terminal(*(words or what).split(" "))
        try:
            if until is not None:
                terminal.until(until)
                terminal.press(keys or b"\x03")
            terminal.end()
        finally:
            terminal.close()
        assert not bug_in(terminal.written), terminal.written
        self._judge(what, terminal.written, own_screen=own_screen)

    def _judge(self, what: str, written: bytes, *, own_screen: bool = False) -> None:
        """Record offences, and whether the hostile words were shown at all, made harmless."""
        self.seen[what] = offences(written, own_screen=own_screen)
        if b"EVIL" in written:
            self.evil.add(what)


def _drawn(written: bytes) -> bool:
    return b"BLOCKED" in written
