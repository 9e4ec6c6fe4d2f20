"""Give one order to one agent, outside any run: contained as in a run, and nothing is left
behind.
"""

import os
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from secrets import token_hex
from types import FrameType

from topkick.agents.placement import place
from topkick.agents.registry import adapter_named
from topkick.agents.transcript.tail import TailReader
from topkick.agents.vocabulary import Event
from topkick.app.agents.tail import secret_values
from topkick.engine import messages as h
from topkick.engine.agents.budgets import MICRO, Spending, share_of
from topkick.engine.agents.program import AgentExit, AgentReport, Tier
from topkick.engine.agents.runs import Dispatch
from topkick.engine.codec.texts import Text
from topkick.engine.errors import TopkickError
from topkick.engine.settings import Settings
from topkick.runner.agent_executor import agent_exit
from topkick.runner.local_runner import LocalRunner, RunEnded
from topkick.runner.run_dir import keeper_lives
from topkick.text import escape

LOOK_EVERY_S = 0.1
KEEPER_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial; the settings give the agent and the limits."""

    settings: Settings
    prompt: str
    model: str
    tier: Tier
    directory: Path
    run_id: str = field(default_factory=lambda: f"try-{token_hex(6)}")

    @property
    def secrets(self) -> tuple[str, ...]:
        return secret_values(self.settings.agent.pass_env)


@dataclass(frozen=True, slots=True)
class Tried:
    """The result; `stopped` says why topkick ended it, if it did."""

    report: AgentReport
    stopped: str = ""
    survivors: tuple[int, ...] = ()


def try_out(trial: Trial, tell: Callable[[Event], None]) -> Tried:
    """Run until the agent has ended; a signal to this process ends the agent, gracefully at
    first.
    """
    with tempfile.TemporaryDirectory(prefix="topkick-try-", ignore_cleanup_errors=True) as made:
        runs = Path(made) / "runs"
        runs.mkdir(mode=0o700)
        runner = LocalRunner(runs)
        try:
            with _signals() as pressed:
                return _Attempt(trial, runner, runs, tell, pressed).run()
        finally:
            runner.kill_everything(trial.settings.kill_grace_s)  # nothing, if all went well
            runner.close()
            _wait_for_keeper(runs / trial.run_id)
            shutil.rmtree(runs, ignore_errors=True)


class _Attempt:
    def __init__(
        self,
        trial: Trial,
        runner: LocalRunner,
        runs: Path,
        tell: Callable[[Event], None],
        pressed: list[int],
    ) -> None:
        self._trial = trial
        self._runner = runner
        self._runs = runs
        self._tell = tell
        self._pressed = pressed
        self._obeyed = 0
        self._stopped = ""
        self._program = trial.settings.agent
        self._counts_turns = adapter_named(self._program.adapter).counts_turns
        self._listener = TailReader(self._program, None, escape.long_ones(trial.secrets))
        self._run_id = trial.run_id
        self._tail = partial(runner.tail, self._run_id)

    def run(self) -> Tried:
        settings, told = self._trial.settings, {"TOPKICK_ORDER": self._run_id}
        root, prompt = self._trial.directory, self._trial.prompt
        order = _order(self._trial)
        self._runner.ensure(
            self._run_id, place(order, prompt, settings, root, self._runs, os.environ, told)
        )
        while (ended := self._ended()) is None:
            if trouble := self._runner.trouble(self._run_id):
                raise TopkickError(
                    f"The agent cannot be started: {trouble}\nThe trial is over. Make sure that "
                    f"{self._runs.parent.parent} has room and can be written, then try again."
                )
            self._hear()
            self._stop_if_due()
        return self._conclude(ended)

    def _ended(self) -> AgentExit | None:
        wake_s = self._runner.wake_in_s()
        wait_s = LOOK_EVERY_S if wake_s is None else min(wake_s, LOOK_EVERY_S)
        select.select([self._runner.fileno()], [], [], wait_s)
        for notice in self._runner.poll():
            if isinstance(notice, RunEnded):
                return agent_exit(notice.exit)
        return None

    def _hear(self) -> None:
        for event in self._listener.hear(self._tail):
            self._tell(event)

    def _stop_if_due(self) -> None:
        """Let the agent finish after the first request, and kill it after the second."""
        settings = self._trial.settings
        if len(self._pressed) > self._obeyed:
            self._stopped = self._stopped or "you asked for it"
            self._runner.stop(self._run_id, 0.0 if self._obeyed else settings.stop_grace_s)
            self._obeyed = len(self._pressed)
        elif not self._stopped and (why := self._had_enough()):
            self._stopped = why
            self._runner.stop(self._run_id, settings.stop_grace_s)

    def _had_enough(self) -> str:
        settings, usage = self._trial.settings, self._listener.usage
        if self._counts_turns and usage.turns > settings.max_turns:
            return f"it used {usage.turns} turns, {settings.max_turns} are allowed"
        share = share_of(settings.budgets.sprint, Spending(usage))
        return f"the budget of a sprint is spent ({share.told})" if share.part >= 1.0 else ""

    def _conclude(self, ended: AgentExit) -> Tried:
        while self._listener.has_more(self._tail):
            self._hear()
        for event in self._listener.end():
            self._tell(event)
        report = self._listener.report(ended)
        priced = replace(report, usage=self._program.priced(report.usage))
        return Tried(priced, self._stopped, ended.survivors)


def _order(trial: Trial) -> h.RunAgent:
    prompt = Text.of(trial.prompt)
    usd = trial.settings.budgets.sprint.usd
    dispatch = Dispatch(
        trial.settings.agent.name,
        trial.model,
        trial.tier,
        1,
        prompt,
        cost_left_microusd=None if usd is None else round(usd * MICRO),
    )
    return h.RunAgent(trial.run_id, "try", "1", ".", dispatch)


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Only record signals that would end this process, so that the agent is ended first."""
    pressed: list[int] = []

    def noted(number: int, _frame: FrameType | None) -> None:
        pressed.append(number)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, noted) for number in numbers}
    try:
        yield pressed
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _wait_for_keeper(run_dir: Path) -> None:
    """Wait until the keeper, which has written everything, is gone, before its directory is
    removed.
    """
    ends_at_s = time.monotonic() + KEEPER_PATIENCE_S
    while keeper_lives(run_dir) and time.monotonic() < ends_at_s:
        time.sleep(0.02)
