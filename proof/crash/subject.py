"""The interface between the harness and the program under test.

Another program takes the same test with another `Subject`: it says how a project is laid out, how
the program is started, how a person continues after a crash, and what the program has promised to
keep. The harness does the rest: it plays the scenario, kills, lets recover, and judges by the
agents' own log, the process table and git. Agents are always `agent.py`; the program must pass
`TOPKICK_UNIT` and `TOPKICK_SPRINT` in their environment and three arguments: witness directory,
project directory and an id of the order, which defines "started twice". `HOME` must reach all
processes, because orphans are found by it.

A program without a ledger returns an empty one, and can then lose nothing that it promised.
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from proof.bug_signs import DETAILS
from proof.crash import gates, home, ledgers
from proof.crash.home import AtHome
from proof.crash.ledgers import Ledgers
from proof.crash.lives import Ended
from proof.crash.place import Place
from proof.crash.steps import AGAIN, RESUME, START, Part, Say, Scenario

AGENT = Path(__file__).with_name("agent.py")


class Subject(Protocol):
    name: str
    threads: bool
    """Whether the process that will be killed has several threads."""
    loads: tuple[str, ...]
    """Modules of Python that it loads before it does anything; none if it is no such program."""
    remembers: bool
    """Whether it keeps a ledger at all."""
    ours: tuple[str, ...]
    """Files that the program itself keeps in the tree."""

    def prepare(self, place: Place, scenario: Scenario) -> None:
        """Lay out the project once for each scenario; every try works on a copy of it."""

    def argv(self, words: Sequence[str], python: str | None = None) -> list[str]:
        """Return the command; with `python` its children are started by that interpreter."""

    def env(self, place: Place) -> Mapping[str, str]: ...

    def recovery(self, said: str | None) -> Sequence[str] | None:
        """Return how a person continues after a crash; `said` is the last refusal."""

    def ledgers(self, place: Place) -> Ledgers:
        """Return all that it has promised to keep, as lists that may only grow."""

    def stamp(self, place: Place) -> object:
        """Return a value that differs when the ledgers may have grown; None if that is not
        cheap.
        """

    def intents(self, place: Place) -> Mapping[str, float]:
        """Return ids of durable orders, and when they were given."""

    def exits(self, place: Place) -> Mapping[str, Ended]:
        """Return ids of orders whose end was recorded, with the first time and how."""

    def counted(self, place: Place, kind: str) -> int:
        """Return how many records of a kind there are."""

    def standing(self, place: Place) -> Mapping[str, str]:
        """Return the state of each piece of work."""

    def unkept(self, place: Place, said: str) -> list[str]:
        """Return what it has shown or printed and no longer knows."""

    def half_files(self, place: Place) -> list[str]: ...

    def logged(self, place: Place) -> str:
        """Return the content of its own logs."""

    def asked(self, place: Place) -> str:
        """Return the gate that waits for a person; empty if none does."""

    def twice(self, place: Place) -> list[str]:
        """Return gates and repairs that were recorded once too often."""

    def left_lying(self, place: Place) -> list[str]:
        """Return what outlasted its process, when all are gone."""

    def tip(self, place: Place) -> str:
        """Return the commit of the branch that isolated work is merged into; empty if there is
        none.
        """

    def torn(self, place: Place, tips: Sequence[str]) -> list[str]:
        """Return isolated work that is half merged, or missing from where the branch was seen."""

    def at_home(self, place: Place, scenario: Scenario) -> AtHome:
        """Return isolated work that is not where it belongs at the end."""


class Topkick:
    """The program of this repository; `package` is where a changed copy of it is."""

    name = "topkick"
    threads = False
    loads: tuple[str, ...] = (
        *("topkick.cli.main", "topkick.sprint.commands.start", "topkick.sprint.commands.resume"),
        "topkick.app.run",
    )
    remembers = True
    ours: tuple[str, ...] = ("SUPERVISOR_STATE.md", "COMPLETE_project.md", "ANALYSIS_REPORT.md")

    def __init__(self, *, portable: bool = False, package: Path | None = None) -> None:
        self._portable = portable
        self._package = package

    def prepare(self, place: Place, scenario: Scenario) -> None:
        (place.project / "topkick.toml").write_text(
            _SETTINGS
            % {
                "isolation": "clone" if scenario.isolated else "shared",
                "python": sys.executable,
                "agent": AGENT,
                "gate": scenario.gate,
            }
        )
        for name, text in scenario.files.items():
            (place.project / name).write_text(text)
        (place.project / "EXECUTION_PLAN.md").write_text(_plan(scenario))
        place.git("init", "-q", "-b", "main", "--template=")
        place.git("config", "user.name", "Crash")
        place.git("config", "user.email", "crash@localhost")
        place.git("config", "maintenance.auto", "false")
        place.git("add", ".")
        place.git("commit", "-q", "-m", "The plan")
        (place.project / ".git" / "info").mkdir(exist_ok=True)
        (place.project / ".git" / "info" / "exclude").write_text("*.of-the-user\n")
        for unit, parts in scenario.units.items():
            for number, part in enumerate(parts, start=1):
                (place.witness / f"{unit}.{number}").write_text("\n".join(part.script))
        for name, script in scenario.generated.items():
            (place.witness / name).write_text("\n".join(script))

    def argv(self, words: Sequence[str], python: str | None = None) -> list[str]:
        if python is None and self._package is None:
            return [sys.executable, "-m", "topkick", *words]
        python = python or self._interpreter()
        boot = f"import sys; sys.executable = {python!r}; from topkick.cli.main import main; main()"
        return [sys.executable, "-c", boot, *words]

    def _interpreter(self) -> str:
        """Return an interpreter for children started with -I, which would not see a changed
        copy.
        """
        assert self._package is not None
        path = self._package / "python"
        if not path.exists():
            path.write_text(
                f'#!/bin/sh\n[ "$1" = -I ] && shift\nexec {sys.executable} "$@"\n',
            )
            path.chmod(0o755)
        return str(path)

    def env(self, place: Place) -> Mapping[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(place.home),
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            "TMPDIR": str(place.temporary),
            **({"TOPKICK_PORTABLE": "1"} if self._portable else {}),
            **({"PYTHONPATH": str(self._package)} if self._package else {}),
        }

    def recovery(self, said: str | None) -> Sequence[str] | None:
        if said is None or "topkick resume" in said:
            return RESUME
        if "start --again" in said or "done already" in said:
            return AGAIN
        return START if "topkick start" in said else None

    def ledgers(self, place: Place) -> Ledgers:
        return ledgers.ledgers(_state(place))

    def stamp(self, place: Place) -> object:
        return ledgers.stamp(_state(place))

    def intents(self, place: Place) -> Mapping[str, float]:
        rows = [row for row in _rows(place) if row.kind == "RunDispatched"]
        return {row.body["run_id"]: row.at_s for row in rows}

    def exits(self, place: Place) -> Mapping[str, Ended]:
        rows = [row for row in reversed(_rows(place)) if row.kind == "AgentExited"]
        return {row.body["run_id"]: Ended(row.at_s, row.body["exit"]["how"]) for row in rows}

    def counted(self, place: Place, kind: str) -> int:
        return sum(row.kind == kind for row in _rows(place))

    def standing(self, place: Place) -> Mapping[str, str]:
        """Return the last move of each unit and sprint, and the gates' findings."""
        found: dict[str, str] = {}
        for row in _rows(place):
            if row.kind == "MissionBegan":
                found = {}
            if row.kind in ("UnitMoved", "SprintMoved"):
                found[_name(row.body)] = row.body["now"]
        return {**found, **gates.blamed(_rows(place))}

    def unkept(self, place: Place, said: str) -> list[str]:
        """Check that the state file's anchor and the completions on the terminal are in the
        journal.
        """
        done = {
            _name(r.body)
            for r in _rows(place)
            if r.kind == "SprintMoved" and r.body["now"] == "COMPLETED"
        }
        told = {f"{unit}/{sprint}" for sprint, unit in _COMPLETED.findall(said)}
        wrong = [f"the terminal said that {name} is COMPLETED" for name in sorted(told - done)]
        return wrong + ledgers.unanchored(place.project / self.ours[0], self.ledgers(place))

    def half_files(self, place: Place) -> list[str]:
        half = ledgers.half_files(_state(place), place.project / self.ours[0])
        exclude = place.project / ".git" / "info" / "exclude"
        if "*.of-the-user" not in exclude.read_text():
            half.append(".git/info/exclude")
        return half

    def logged(self, place: Place) -> str:
        """Return the logs, with the tracebacks that the bug page kept."""
        logs = [*sorted(_state(place).rglob("*.log")), *_tracebacks(place)]
        return "".join(path.read_text(errors="replace") for path in logs)

    def asked(self, place: Place) -> str:
        return gates.waiting(_rows(place))

    def twice(self, place: Place) -> list[str]:
        return gates.doubled(_rows(place))

    def left_lying(self, place: Place) -> list[str]:
        return [*gates.left_lying(place), *gates.taken_slots(place)]

    def tip(self, place: Place) -> str:
        return home.tip(place)

    def torn(self, place: Place, tips: Sequence[str]) -> list[str]:
        said = [row.body["tip"] for row in _rows(place) if row.kind == "UnitIntegrated"]
        return home.torn(place, tips, said)

    def at_home(self, place: Place, scenario: Scenario) -> AtHome:
        return home.at_home(place, {s.words[0] for s in scenario.steps if isinstance(s, Say)})


_COMPLETED = re.compile(r"^\S+ U\d+/(\S+) (\S+): COMPLETED", re.MULTILINE)


def _state(place: Place) -> Path:
    return place.project / ".git" / "topkick"


def _tracebacks(place: Place) -> list[Path]:
    return sorted(path for top in (_state(place), place.home) for path in top.rglob(DETAILS))


def _rows(place: Place) -> list[ledgers.Row]:
    return ledgers.rows(_state(place))


def _name(body: Mapping[str, str]) -> str:
    return f"{body['unit']}/{body['sprint']}" if "sprint" in body else body["unit"]


# --- the plan ------------------------------------------------------------------------------

_SETTINGS = """\
agent = "scripted"
isolation = "%(isolation)s"
ritual = false

[agents.scripted]
command = [
  "/bin/sh", "-c", 'exec %(python)s -I -S %(agent)s "$HOME/../witness" "$@"',
  "agent", "{project}", "{run_id}",
]

[limits]
stop_grace_seconds = 0.3
kill_grace_seconds = 0.3
deferred_poll_seconds = 0.2
check_minutes = 1

[verify]
prepare = ["true"]

[gate]
%(gate)s
"""


def _plan(scenario: Scenario) -> str:
    lines = ["# EXECUTION_PLAN.md — Crash", "", "## Work Units", ""]
    lines += ["| Work Unit | Directory | Sprints | Dependencies |", "|---|---|---|---|"]
    for unit, parts in scenario.units.items():
        lines.append(f"| {unit} | {unit} | {len(parts)} | {scenario.needs.get(unit, 'none')} |")
    for unit, parts in scenario.units.items():
        lines += ["", f"## {unit}", ""]
        if unit in scenario.verify:
            lines += [f"**Verification command**: `{scenario.verify[unit]}`", ""]
        for number, part in enumerate(parts, start=1):
            lines += _sprint(number, part)
    return "\n".join(lines) + "\n"


def _sprint(number: int, part: Part) -> list[str]:
    lines = [f"### Sprint {number}: Part {number}", ""]
    lines += [f"**Type**: {part.kind}", ""] if part.kind else []
    lines += [f"**Depends on**: {part.after}", ""] if part.after else []
    lines += ["**Tasks**:", f"1. Do part {number}.", "", "**Exit criteria**:", ""]
    for check in part.checks:
        lines += ["```sh", check, "```", ""]
    return lines
