"""Call the user's own command with each event as JSON, one at a time, without blocking the run."""

import subprocess
import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import IO

QUEUE_LIMIT = 1_000
TIME_LIMIT_S = 30.0
LOOK_EVERY_S = 0.02


class EventHook:
    """Best effort: each event is passed on at most once, and a hook that hangs is killed."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: str) -> None:
        self._command = list(command)
        self._env = dict(env)
        self._cwd = cwd
        self._queue: deque[str] = deque(maxlen=QUEUE_LIMIT)
        self._process: subprocess.Popen[bytes] | None = None
        self._ends_at_s = 0.0
        self.trouble = ""

    def put(self, line: str) -> None:
        if self._command:
            self._queue.append(line)
            self.turn()

    def turn(self) -> None:
        """Check the running hook, and start the next one."""
        if self._process is not None and self._process.poll() is None:
            if time.monotonic() < self._ends_at_s:
                return
            self._process.kill()
            self._process.wait()
            self.trouble = f"on_event did not end within {TIME_LIMIT_S:.0f} s and was ended"
        self._process = None
        if self._queue:
            self._begin(self._queue.popleft())

    def wake_in_s(self) -> float | None:
        return LOOK_EVERY_S if self._process is not None or self._queue else None

    def finish(self, within_s: float) -> None:
        """Pass on queued events for a moment before the supervisor ends."""
        ends_at_s = time.monotonic() + within_s
        while (self._queue or self._process is not None) and time.monotonic() < ends_at_s:
            self.turn()
            time.sleep(LOOK_EVERY_S)

    def _begin(self, line: str) -> None:
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=self._env,
                cwd=self._cwd,
                start_new_session=True,
            )
        except OSError as error:
            self.trouble = f"on_event cannot be started: {error}"
            self._queue.clear()
            return
        self._ends_at_s = time.monotonic() + TIME_LIMIT_S
        assert self._process.stdin is not None
        _hand_over(self._process.stdin, line)


def _hand_over(pipe: IO[bytes], line: str) -> None:
    """Write the event, which fits into a pipe's buffer; a hook that does not read it does no
    harm.
    """
    try:
        pipe.write(line.encode("utf-8", "replace")[: 1 << 15] + b"\n")
        pipe.close()
    except OSError:
        return
