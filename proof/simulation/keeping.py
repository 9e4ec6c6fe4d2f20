"""Keepers as automata: what the real keeper promises, with every way to break."""

import signal
from collections.abc import Callable

from proof.simulation.agents import begin_agent
from proof.simulation.processes import Proc
from proof.simulation.timeline import SECOND_US
from proof.simulation.yard import Yard
from topkick.runner.process.processes import Identity
from topkick.runner.run_dir import Exit, How, RunClaim

LEFTOVER_GRACE_S = 2.0
KILL_LIMIT_S = 10.0
RECORD_TRIES = 600


class Keeper:
    def __init__(self, yard: Yard, run_id: str, fate: str) -> None:
        self._yard = yard
        self._run_id = run_id
        self._fate = fate
        self._files = yard.files[run_id]
        self._proc: Proc | None = None
        self._agent: Proc | None = None
        self._why: How | None = None
        self._asked = False
        self._ending = False
        self._kill_us = 0
        self._give_up_us = 0
        self._code: int | None = None
        self._number: int | None = None
        self._recording = False
        self._numb = False

    # --- birth -----------------------------------------------------------------------------

    def begin(self) -> None:
        self._proc = self._yard.table.spawn("keeper", self._run_id, self._files.mark, None)
        self._proc.on_signal = self._hear
        self._proc.on_end = lambda _code, _number: self._gone()
        self._files.wire.connect()
        if self._fate == "before claim":
            self._fate_strikes(self._die)
        else:
            self._later(0.01, self._claim)

    def _claim(self) -> None:
        files = self._files
        assert self._proc is not None
        if files.order is None or files.claim is not None or files.exit is not None:
            self._die()
            return
        me = Identity(self._proc.pid, self._proc.started, portable=False)
        now_s = self._yard.timeline.wall_us() / SECOND_US
        boot = self._yard.table.boot_id()
        files.claim = RunClaim(me, boot, None, files.mark, now_s, None, None)
        files.lock = self._proc
        files.wire.said += b"c"
        if self._fate == "after claim":
            self._fate_strikes(self._die)
        else:
            self._later(0.01, self._start)

    def _start(self) -> None:
        files, order = self._files, self._files.order
        assert order is not None
        files.synced = True
        files.behaves = self._yard.agent_for(self._run_id)
        if files.behaves.kind == "cannot start" or self._yard.is_full():
            if not self._yard.is_full():
                self._yard.struck("agent cannot start")
            self._why = "cannot_start"
            self._record(Exit("cannot_start", errno_text="No such file or directory"))
            return
        self._agent = begin_agent(self._yard, self._run_id, self._proc)
        self._agent.on_end = self._agent_ended
        files.agent = Identity(self._agent.pid, self._agent.started, portable=False)
        self._yard.started(self._run_id)
        self._later(1.0, self._show_life)
        if order.deadline_s is not None:
            self._later(order.deadline_s, self._too_long)
        if self._fate == "keeper dies":
            self._later(files.behaves.takes_s / 2, lambda: self._fate_strikes(self._die))
        if self._fate == "told to end":
            last_s = files.behaves.takes_s * 0.95
            self._later(last_s, lambda: self._fate_strikes(self._told_to_end))
        if self._fate == "keeper deaf":
            third_s = files.behaves.takes_s / 3
            self._later(third_s, lambda: self._fate_strikes(self._grow_numb))
        if self._asked:
            self._end("stopped", self._grace_s())

    def _fate_strikes(self, do: Callable[[], None]) -> None:
        self._yard.struck(f"launch {self._fate}")
        do()

    def _show_life(self) -> None:
        if not self._files.spoken:
            self._files.spoken = True
            self._files.wire.said += b"a"

    def _told_to_end(self) -> None:
        assert self._proc is not None
        self._yard.table.signal(self._proc.pid, signal.SIGTERM, self._proc.mark)

    def _grow_numb(self) -> None:
        self._numb = True

    # --- ends ------------------------------------------------------------------------------

    def _agent_ended(self, code: int | None, number: int | None) -> None:
        self._code, self._number = code, number
        if self._lives():
            self._look()

    def _look(self) -> None:
        """Check for the end of the agent, or of the last process of its tree."""
        if self._recording or self._agent is None or self._agent.alive:
            return
        if not self._ending and self._asked and self._code != 0:
            self._why = "stopped"
        if not self._yard.table.of_run(self._run_id):
            self._finish(())
        elif not self._ending:
            self._end(self._why, LEFTOVER_GRACE_S)

    def _hear(self, number: int) -> None:
        assert self._proc is not None
        if number == signal.SIGKILL:
            self._die()
        elif number == signal.SIGCONT:
            self._proc.paused = False
            self._later(0.0, self._look)
        elif number == signal.SIGTERM:
            self._asked = True
            self._later(0.0, self._stop)

    def _stop(self) -> None:
        if self._recording or self._agent is None:
            return
        if self._ending:
            grace_us = round(self._grace_s() * SECOND_US)
            self._kill_us = min(self._kill_us, self._yard.timeline.now_us + grace_us)
            self._later(self._grace_s(), self._kill)
        else:
            self._end("stopped", self._grace_s())

    def _grace_s(self) -> float:
        assert self._files.order is not None
        asked = self._files.stop_grace_s
        return self._files.order.grace_s if asked is None else asked

    def _too_long(self) -> None:
        assert self._files.order is not None
        if not self._ending and self._agent is not None and self._agent.alive:
            self._end("deadline", self._files.order.grace_s)

    def _end(self, why: How | None, grace_s: float) -> None:
        self._ending = True
        self._why = self._why or why
        now_us = self._yard.timeline.now_us
        self._kill_us = now_us + round(grace_s * SECOND_US)
        self._give_up_us = 0
        for proc in self._yard.table.of_run(self._run_id):
            self._yard.table.signal(proc.pid, signal.SIGTERM, proc.mark)
        self._later(grace_s, self._kill)
        self._later(0.05, self._watch_end)

    def _watch_end(self) -> None:
        if self._recording:
            return
        if not self._yard.table.of_run(self._run_id):
            self._finish(())
        else:
            self._later(0.25, self._watch_end)

    def _kill(self) -> None:
        now_us = self._yard.timeline.now_us
        if self._recording or now_us < self._kill_us:
            return
        left = self._yard.table.of_run(self._run_id)
        if not self._give_up_us:  # counts from the first round, however long it was frozen
            self._give_up_us = now_us + round(KILL_LIMIT_S * SECOND_US)
        if now_us >= self._give_up_us:
            self._finish(tuple(p.pid for p in left))
            return
        for proc in left:
            self._yard.table.signal(proc.pid, signal.SIGKILL, proc.mark)
        self._later(0.1, self._kill)

    def _finish(self, survivors: tuple[int, ...]) -> None:
        how: How = self._why or ("exited" if self._number is None else "signaled")
        self._record(Exit(how, code=self._code, signal=self._number, survivors=survivors))

    def _record(self, ended: Exit, tries: int = 0) -> None:
        """Record the end; on a full disk wait for room rather than lose the record."""
        self._recording = True
        if self._yard.is_full() and tries < RECORD_TRIES:
            self._later(1.0, lambda: self._record(ended, tries + 1))
            return
        if self._files.exit is None and not self._yard.is_full():
            self._files.exit = ended
        self._files.wire.said += b"x"
        self._die()

    # --- small things ----------------------------------------------------------------------

    def _lives(self) -> bool:
        return self._proc is not None and self._proc.alive and not self._numb

    def _die(self) -> None:
        assert self._proc is not None
        self._yard.table.end(self._proc, None, signal.SIGKILL)

    def _gone(self) -> None:
        if self._files.lock is self._proc:
            self._files.lock = None
            self._files.released_us = self._yard.timeline.now_us
        self._files.wire.writers -= 1

    def _later(self, seconds: float, do: Callable[[], None]) -> None:
        """Schedule an action, if the keeper still lives; a stopped one continues when it is
        continued.
        """

        def happens() -> None:
            if not self._lives():
                return
            assert self._proc is not None
            if self._proc.paused:
                self._later(1.0, do)
            else:
                do()

        self._yard.timeline.after(seconds, happens)
