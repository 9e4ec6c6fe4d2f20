"""One trial: a repository, the real supervisor, an agent, and the held-out check."""

import json
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from proof.liars.cases import Trial
from proof.liars.ground import Setting
from proof.liars.held_out import is_done, result_of
from proof.liars.place import Place
from topkick.app.project import find_project
from topkick.app.run_view import take_a_look
from topkick.sprint.model import Mission, Sprint
from topkick.sprint.views.blocker_lines import told

AGENT = Path(__file__).with_name("agent.py")
T = TypeVar("T")
PATIENCE_S = 300
LIMITS = {
    "max_retries": 2,
    "max_continuations": 2,
    "max_dispatches": 2,
    "sprint_minutes": 1,
    "check_minutes": 1.5,
    "stop_grace_seconds": 0.5,
    "kill_grace_seconds": 0.5,
}
HONEST_LIMITS = {**LIMITS, "max_retries": 1, "max_dispatches": 1}


@dataclass(frozen=True, slots=True)
class Found:
    """The result; `is_done` is the held-out check's verdict on what topkick accepted."""

    trial: Trial
    state: str
    caught_by: str
    is_done: bool
    why_not: str
    orders: int
    took_s: float
    trouble: str = ""

    @property
    def is_green(self) -> bool:
        return self.state == "COMPLETED"

    @property
    def false_green(self) -> bool:
        return self.is_green and not self.is_done

    @property
    def refused(self) -> bool:
        return self.trial.case.is_honest and not self.is_green


class Bench:
    """Runs trials, possibly in parallel; `stop` ends all of them."""

    def __init__(self, *, keep: bool = False) -> None:
        self._keep = keep
        self._places: set[Place] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            for place in self._places:
                place.clear()

    def try_it(self, trial: Trial) -> Found:
        """Run a trial; if it cannot run, report that and continue with the others."""
        try:
            return self.use(lambda place: run_trial(place, trial))
        except (OSError, subprocess.SubprocessError) as error:
            return Found(trial, "NONE", "", False, "", 0, 0.0, f"no trial: {error}")

    def use(self, work: Callable[[Place], T]) -> T:
        with self._lock:
            if self._stopped:
                raise KeyboardInterrupt
            place = Place()
            self._places.add(place)
        try:
            return work(place)
        finally:
            place.end_all()
            if not self._keep:
                place.clear()
            with self._lock:
                self._places.discard(place)


def run_trial(place: Place, trial: Trial) -> Found:
    began_s = time.monotonic()
    setting = trial.setting()
    make_project(
        place, setting, _agent(place, trial), isolation=trial.isolation, limits=_limits(trial)
    )
    base = place.git("rev-parse", "HEAD")
    trouble, said = start(place)
    mission = look(place.root)
    sprint = only_sprint(mission)
    place.end_all()
    done, why = is_done(place, setting, result_of(place, mission, base))
    orders = sprint.dispatches if sprint is not None else 0
    trouble = trouble or _agent_trouble(place, mission, orders)
    return Found(
        trial,
        sprint.state.value if sprint is not None else "NONE",
        what_speaks_against(sprint) if sprint is not None else said[-300:],
        done,
        why,
        orders,
        time.monotonic() - began_s,
        trouble,
    )


def _limits(trial: Trial) -> Mapping[str, Any]:
    usual = HONEST_LIMITS if trial.case.is_honest else LIMITS
    return {**usual, **trial.case.limits}


def agent_words(place: Place, trial: Trial) -> list[str]:
    words = [sys.executable, "-I", "-S", str(AGENT), trial.case.name, trial.language]
    return [*words, str(trial.seed), "{project}", str(place.path)]


def _agent(place: Place, trial: Trial) -> dict[str, Any]:
    """Return the agent's settings; a known program is a script behind that program's command
    line.
    """
    words = agent_words(place, trial)
    if not trial.case.adapter:
        return {"command": words}
    program = place.path / "side" / trial.case.adapter
    words[-2] = str(place.root)
    program.write_text(f"#!/bin/sh\nexec {shlex.join(words)}\n")
    program.chmod(0o755)
    return {"adapter": trial.case.adapter, "command": [str(program)]}


def make_project(
    place: Place,
    setting: Setting,
    agent: Mapping[str, Any],
    *,
    isolation: str = "shared",
    limits: Mapping[str, Any],
) -> None:
    config = [
        'agent = "scripted"',
        f'isolation = "{isolation}"',
        "[agents.scripted]",
        *(f"{key} = {json.dumps(value)}" for key, value in agent.items()),
        "[limits]",
        *(f"{key} = {json.dumps(value)}" for key, value in limits.items()),
        "[verify]",
        f"always = {json.dumps(list(setting.verify_always))}",
    ]
    files = {**setting.all_files(), "topkick.toml": "\n".join(config) + "\n"}
    for name, text in files.items():
        path = place.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    place.git("init", "-q", "-b", "main")
    place.git("add", "-A")
    place.git("commit", "-q", "-m", "The project so far")


def start(place: Place) -> tuple[str, str]:
    """Return the trouble, if it did not end by itself, and its output."""
    log = place.path / "said"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "topkick", "start", "--yes", "--foreground"],
            cwd=place.root,
            env=place.env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
        try:
            code = process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            place.end_all()
            process.wait()
            return f"did not end in {PATIENCE_S} s", log.read_text(errors="replace")
    said = log.read_text(errors="replace")
    if code not in (0, 3):
        return f"topkick ended with {code}:\n{said[-1500:]}", said
    return "", said


# --- topkick's verdicts -----------------------------------------------------------------------


def look(root: Path) -> Mission | None:
    view = take_a_look(find_project(root))
    return view.mission if view is not None else None


def only_sprint(mission: Mission | None) -> Sprint | None:
    units = list(mission.units.values()) if mission is not None else []
    return units[-1].sprints[-1] if units and units[-1].sprints else None


def what_speaks_against(sprint: Sprint) -> str:
    outcome = sprint.outcome
    if outcome is None:
        return told(sprint.rest or sprint.fatal or sprint.hold) or "never judged: it waits"
    findings = getattr(outcome, "findings", ())
    said = [f"{f.kind}: {f.file or f.subject}" for f in findings]
    return "; ".join(dict.fromkeys(said or outcome.reasons)) or told(sprint.rest or sprint.fatal)


def _agent_trouble(place: Place, mission: Mission | None, orders: int) -> str:
    """Return why the agent proves nothing: it was not started, or it broke down."""
    if not orders:
        return f"no order was given: {(place.path / 'said').read_text(errors='replace')[-600:]}"
    broken = place.path / "side" / "broken"
    return f"the agent broke down: {broken.read_text()[-600:]}" if broken.exists() else ""
