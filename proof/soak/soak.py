"""The soak itself: rounds of a plan, kills, commands from other terminals, and the watching."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from proof.bug_signs import bug_in
from proof.crash.ledgers import Ledgers, ledgers, lost_between, seen_after
from proof.races import judge
from proof.races.arena import Arena, wait_for
from topkick.sprint.model import Mission, Overall
from topkick.sprint.status import handle, overall
from topkick.sprint.transitions import UnitState

from . import field as ground
from . import gauges, planted

FOREGROUND = ("--foreground", "--yes")
COMMAND_LIMIT_S = 120
STOPPING = "still stopping: "
LONGEST = 3000


@dataclass(slots=True)
class Figures:
    rounds: int = 0
    kills: int = 0
    commands: int = 0
    killalls: int = 0
    stops: int = 0
    supervisors: int = 0
    sprints: int = 0
    records: int = 0
    violations: list[str] = field(default_factory=list)
    samples: list[gauges.Sample] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Pace:
    duration_s: float
    agents: int
    units: int
    kill_every_s: tuple[float, float]
    command_every_s: tuple[float, float]
    patience_s: float
    plant: str = ""


class Soak:
    def __init__(self, arena: Arena, pace: Pace, seed: int) -> None:
        self._arena = arena
        self._pace = pace
        self._chance = random.Random(seed)
        self._began_s = time.monotonic()
        self._log = arena.home / "supervisors.log"
        self._supervisor: subprocess.Popen[bytes] | None = None
        self._judged: set[Path] = set()
        self._known: set[str] = set()
        self._seen: Ledgers = {}
        self._last_sample_s = 0.0
        self.figures = Figures()

    # --- the whole ---------------------------------------------------------------------------

    def run(self) -> Figures:
        try:
            self._next_round()
            self._live()
            self._finish()
        finally:
            if self._supervisor is not None and self._supervisor.poll() is None:
                self._supervisor.kill()
                self._supervisor.wait()
        self._judge_all()
        found = self.figures
        if not found.kills or not found.sprints:
            self._complain(f"nothing was tried: {found.kills} kills, {found.sprints} sprints")
        found.violations += gauges.growth(found.samples, self._pace.agents)
        return found

    @property
    def _elapsed_s(self) -> float:
        return time.monotonic() - self._began_s

    def _live(self) -> None:
        kill_at_s = self._elapsed_s + self._chance.uniform(*self._pace.kill_every_s)
        command_at_s = self._elapsed_s + self._chance.uniform(*self._pace.command_every_s)
        while self._elapsed_s < self._pace.duration_s:
            self._tend()
            self._look()
            if self._elapsed_s >= kill_at_s:
                self._kill()
                kill_at_s = self._elapsed_s + self._chance.uniform(*self._pace.kill_every_s)
            if self._elapsed_s >= command_at_s:
                self._command()
                command_at_s = self._elapsed_s + self._chance.uniform(*self._pace.command_every_s)
            time.sleep(0.05)

    def _finish(self) -> None:
        """Stop the faults: the round must converge, and nothing may be left (Y2)."""
        ends_at_s = time.monotonic() + self._pace.patience_s
        while time.monotonic() < ends_at_s and not self._tend(new_rounds=False):
            time.sleep(0.05)
        if self._tend(new_rounds=False):
            self._require_rest("at the end")
            return
        self._complain(f"no end within {self._pace.patience_s:.0f} s: {self._left()}")
        self._killall()
        supervisor = self._supervisor
        assert supervisor is not None
        if not wait_for(lambda: supervisor.poll() is not None, self._pace.patience_s):
            self._complain("the supervisor outlives killall")

    # --- the supervisor ----------------------------------------------------------------------

    def _tend(self, *, new_rounds: bool = True) -> bool:
        """Restart an ended supervisor; return whether the round is over."""
        assert self._supervisor is not None
        code = self._supervisor.poll()
        if code is not None and self._arena.holder_pid() is not None:
            return False  # a command from another terminal has brought one up in the background
        match code:
            case None:
                return False
            case 0 if overall(self._mission()) is Overall.COMPLETED:
                if new_rounds:
                    self._require_rest("after a finished round")
                    self._next_round()
                return True
            case -9 if self._mission().plan is None:  # killed before there was a run
                self._begin("start", *FOREGROUND)
            case 0 | 4 | 6 | -9:
                self._begin("resume", *FOREGROUND)
            case 3:
                self._begin("resume", "--retry-blocked", *FOREGROUND)
            case 2 if self._came_after_a_stop():
                self._begin("resume", *FOREGROUND)
            case _:
                said = self._said()
                self._complain(f"a supervisor ended with {code}:\n{said}")
                self._begin("resume", *FOREGROUND)
        return False

    def _came_after_a_stop(self) -> bool:
        return STOPPING in self._said()

    def _said(self) -> str:
        return self._log.read_text(errors="replace")[-2000:].rstrip()

    def _next_round(self) -> None:
        number = self.figures.rounds
        self.figures.rounds += 1
        plan = ground.round_plan(number, self._pace.units, self._chance)
        (self._arena.root / "EXECUTION_PLAN.md").write_text(plan)
        self._begin("start", *FOREGROUND)
        self._judge_archive()

    def _begin(self, *words: str) -> None:
        self.figures.supervisors += 1
        with open(self._log, "ab") as log:
            self._supervisor = subprocess.Popen(
                [*planted.topkick(self._pace.plant), *words],
                cwd=self._arena.root,
                env=self._arena.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _kill(self) -> None:
        """Kill the supervisor, and sometimes the next one while it starts."""
        for _ in range(self._chance.choice((1, 1, 1, 2, 3))):
            self.look_for_losses()
            self._kill_whoever_supervises()
            self._tend()
            time.sleep(self._chance.uniform(0.0, 1.0))

    def _kill_whoever_supervises(self) -> None:
        supervisor, pid = self._supervisor, self._arena.holder_pid()
        assert supervisor is not None
        if pid is not None and pid in self._arena.processes():
            self.figures.kills += 1
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        elif supervisor.poll() is None:  # the supervisor is still starting
            self.figures.kills += 1
            supervisor.kill()
        if pid in {None, supervisor.pid}:
            supervisor.wait()

    # --- other terminals ---------------------------------------------------------------------

    def _command(self) -> None:
        drawn = self._chance.random()
        if drawn < 0.45:
            self._say("status", codes={0})
        elif drawn < 0.6:
            self._say("status", "--json", codes={0})
        elif drawn < 0.85:
            self._about_a_unit()
        elif drawn < 0.95:
            self.figures.stops += 1
            self._say("stop", codes={0, 2})
        else:
            self._killall()

    def _about_a_unit(self) -> None:
        units = list(self._mission().units.values())
        if not units:
            return
        unit = self._chance.choice(units)
        verb = self._chance.choice(("stop", "resume", "retry"))
        if verb == "retry":
            if unit.current is not None:
                self._say("retry", handle(unit, unit.current), codes={0, 2})
        elif verb == "resume":
            self._say("resume", unit.handle, "--yes", codes={0, 2, 3, 4})
        else:
            self._say("stop", unit.handle, codes={0, 2})

    def _killall(self) -> None:
        self.figures.killalls += 1
        self._say("killall", codes={0})
        left = [pid for pid in self._arena.processes() if _is_an_agent(pid)]
        if left and overall(self._mission()) is Overall.KILLED:
            self._complain(f"killed, and {len(left)} processes of agents are alive: {left}")

    def _say(self, *words: str, codes: set[int]) -> None:
        self.figures.commands += 1
        done = subprocess.run(
            [sys.executable, "-m", "topkick", *words],
            cwd=self._arena.root,
            env=self._arena.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMMAND_LIMIT_S,
            check=False,
        )
        said = done.stdout + done.stderr
        self.look_for_losses()
        if done.returncode not in codes or bug_in(said):
            self._complain(f"{' '.join(words)} ended with {done.returncode}:\n{said}")

    # --- watching ----------------------------------------------------------------------------

    def _complain(self, what: str) -> None:
        self.figures.violations.append(f"at {self._elapsed_s:.1f} s: {what[:LONGEST]}")

    def _mission(self) -> Mission:
        path = self._arena.project.journal_path
        return judge.mission_of(path) if path.exists() else Mission()

    def _look(self) -> None:
        supervisor = self._supervisor
        if supervisor is None or self._elapsed_s < self._last_sample_s + 1.0:
            return
        self._last_sample_s = self._elapsed_s
        with suppress(OSError):
            pid = self._arena.holder_pid() or supervisor.pid
            found = gauges.sample(self._arena, pid, self._elapsed_s)
            self.figures.samples += [found] if found is not None else []

    def look_for_losses(self) -> None:
        """Check J3: what could be read once can always be read."""
        now = seen_after(self._seen, lambda: ledgers(self._arena.project.state_dir))
        for lost in lost_between(self._seen, now):
            self._complain(f"J3: {lost}")
        self._seen = now

    def _left(self) -> str:
        units = self._mission().units.values()
        return ", ".join(
            f"{u.handle} {u.state}" for u in units if u.state is not UnitState.COMPLETED
        )

    def _require_rest(self, when: str) -> None:
        left = self._arena.wait_until_empty()
        if left:
            self._complain(f"{when} something still lives: {left}")

    def _judge_archive(self) -> None:
        """Judge finished runs once: they don't change any more."""
        for path in self._arena.journals():
            if "archive" in path.parts and path not in self._judged:
                self._judge(path)

    def _judge(self, path: Path) -> None:
        self._judged.add(path)
        self.figures.violations += judge.of_journal(path)
        self._known |= judge.dispatched(path)
        mission = judge.mission_of(path)
        self.figures.sprints += sum(u.at for u in mission.units.values())
        self.figures.records += judge.count(path)

    def _judge_all(self) -> None:
        self._require_rest("when all is over")
        self.look_for_losses()
        for path in self._arena.journals():
            if path not in self._judged:
                self._judge(path)
        self.figures.violations += judge.of_starts(self._arena.starts(), self._known)
        if bug := bug_in(self._log.read_text(errors="replace")):
            self._complain(f"a bug: {bug[:3000]}")


def _is_an_agent(pid: int) -> bool:
    """Return whether the process has a run's mark, which supervisors lack."""
    try:
        return b"\0TOPKICK_RUN=" in b"\0" + Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
