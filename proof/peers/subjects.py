"""Lay out, start, continue and inspect supervisord and a DBOS program."""

import math
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from proof.crash.home import AtHome
from proof.crash.ledgers import Ledgers
from proof.crash.lives import Ended
from proof.crash.place import Place
from proof.crash.steps import Scenario
from proof.crash.subject import AGENT

HERE = Path(__file__).parent
WORDS = ("run",)


class _Peer:
    """The common parts of both: jobs named after units, and a project that agents commit to."""

    ours: tuple[str, ...] = ()

    def __init__(self, bin_: Path) -> None:
        self._bin = bin_
        self._jobs: tuple[str, ...] = ()

    def prepare(self, place: Place, scenario: Scenario) -> None:
        self._jobs = tuple(scenario.units)
        (place.project / "README").write_text("A project.\n")
        place.git("init", "-q", "-b", "main", "--template=")
        place.git("config", "user.name", "Crash")
        place.git("config", "user.email", "crash@localhost")
        place.git("add", ".")
        place.git("commit", "-q", "-m", "A project")
        for unit, (part,) in scenario.units.items():
            (place.witness / f"{unit}.1").write_text("\n".join(part.script))

    def env(self, place: Place) -> Mapping[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(place.home), "LANG": "C.UTF-8"}

    def recovery(self, said: str | None) -> Sequence[str] | None:
        return WORDS if said is None else None

    def intents(self, place: Place) -> Mapping[str, float]:
        """Return the jobs, which both know from the start: nothing begins unrecorded."""
        return dict.fromkeys(self._jobs, 0.0)

    def stamp(self, place: Place) -> object:
        return None

    def counted(self, place: Place, kind: str) -> int:
        return 0

    def unkept(self, place: Place, said: str) -> list[str]:
        return []

    def half_files(self, place: Place) -> list[str]:
        return []

    def logged(self, place: Place) -> str:
        return ""

    def asked(self, place: Place) -> str:
        return ""

    def twice(self, place: Place) -> list[str]:
        return []

    def left_lying(self, place: Place) -> list[str]:
        return []

    def tip(self, place: Place) -> str:
        return ""

    def torn(self, place: Place, tips: Sequence[str]) -> list[str]:
        return []

    def at_home(self, place: Place, scenario: Scenario) -> AtHome:
        return AtHome([], [], [], [])

    def _only_once(self, place: Place, recorded: Iterable[str]) -> Mapping[str, Ended]:
        """Return jobs that were recorded as done by the only process that ever did them."""
        begun = Counter(n.run_id for n in place.noted() if n.what == "start")
        return {job: Ended(math.inf, "exited") for job in recorded if begun[job] == 1}


# --- supervisord ---------------------------------------------------------------------------


class Supervisord(_Peer):
    name = "supervisord"
    threads = False
    loads = ()
    remembers = False

    def prepare(self, place: Place, scenario: Scenario) -> None:
        super().prepare(place, scenario)
        python = self._bin / "python"
        programs = "".join(
            _PROGRAM.format(python=python, agent=AGENT, job=job) for job in self._jobs
        )
        listener = f"{python} {HERE / 'until_done.py'} {' '.join(self._jobs)}"
        text = _SUPERVISORD + programs + _LISTENER.format(listener=listener)
        (place.root / "supervisord.conf").write_text(text)

    def argv(self, words: Sequence[str], python: str | None = None) -> list[str]:
        return [str(self._bin / "supervisord"), "-c", "../supervisord.conf"]

    def ledgers(self, place: Place) -> Ledgers:
        return {}

    def exits(self, place: Place) -> Mapping[str, Ended]:
        return self._only_once(place, self.standing(place))

    def standing(self, place: Place) -> Mapping[str, str]:
        log = place.root / "supervisord.log"
        text = log.read_text() if log.exists() else ""
        return dict(_EXITED.findall(text))


_EXITED = re.compile(r" exited: (\w+) \((exit status \d+)")
_SUPERVISORD = """\
[supervisord]
nodaemon=true
logfile=%(here)s/supervisord.log
pidfile=%(here)s/supervisord.pid
childlogdir=%(here)s
"""
_PROGRAM = """
[program:{job}]
command={python} -I -S {agent} %(here)s/witness %(here)s/project {job}
environment=TOPKICK_UNIT="{job}",TOPKICK_SPRINT="1"
startsecs=0
autorestart=false
"""
_LISTENER = """
[eventlistener:until_done]
command={listener}
events=PROCESS_STATE_EXITED
"""


# --- DBOS ----------------------------------------------------------------------------------


class Dbos(_Peer):
    name = "DBOS"
    threads = True
    loads = ()
    remembers = True

    def argv(self, words: Sequence[str], python: str | None = None) -> list[str]:
        places = ["../dbos.sqlite", str(AGENT), "../witness", "."]
        return [str(self._bin / "python"), str(HERE / "workflow.py"), *places, *self._jobs]

    def ledgers(self, place: Place) -> Ledgers:
        """Return the steps that were recorded as done."""
        steps = _ask(place, "SELECT workflow_uuid, function_name FROM operation_outputs")
        return {job: (step,) for job, step in steps}

    def exits(self, place: Place) -> Mapping[str, Ended]:
        return self._only_once(place, self.ledgers(place))

    def standing(self, place: Place) -> Mapping[str, str]:
        return dict(_ask(place, "SELECT workflow_uuid, status FROM workflow_status"))


def _ask(place: Place, question: str) -> list[Any]:
    """Run a query; before its tables exist there is no result."""
    path = place.root / "dbos.sqlite"
    if not path.exists():
        return []
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=20.0)) as db:
        try:
            return db.execute(question).fetchall()
        except sqlite3.OperationalError:
            return []
