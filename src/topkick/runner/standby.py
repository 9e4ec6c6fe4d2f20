"""A helper process that waits for requests on a socket and is started again when it has died."""

import os
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from topkick.engine.io.files import open_log

SEND_LIMIT_S = 1.0
Started = tuple[subprocess.Popen[bytes], socket.socket]


class Standby:
    """A helper started at the first request; `argv` gets its socket's descriptor number as last
    argument.
    """

    def __init__(
        self,
        argv: Sequence[str],
        log_path: str | Path = os.devnull,
        env: Callable[[], Mapping[str, str]] = lambda: os.environ,
    ) -> None:
        self._argv = list(argv)
        self._log_path = log_path
        self._env = env
        self._spares: list[Started] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def fileno(self) -> int | None:
        """Return a descriptor that becomes readable when the helper has died."""
        return self._socket.fileno() if self._socket else None

    def begin(self, spares: int) -> None:
        """Start the helper now, with `spares` more to replace it; from now on no other one is
        started.

        A helper that is started later would run under other conditions.
        """
        self._spares = [self._started() for _ in range(1 + spares)]
        self._start()

    def ask(self, send: Callable[[socket.socket], object]) -> bool:
        """Send a request; return False if the helper is dead and a second one died too."""
        return self._ask(send) or self._ask(send)

    def _ask(self, send: Callable[[socket.socket], object]) -> bool:
        try:
            if self._socket is None:
                self._start()
            assert self._socket is not None
            send(self._socket)
        except OSError:
            self.close()
            return False
        return True

    def _start(self) -> None:
        if self._spares is None:
            self._process, self._socket = self._started()
        elif self._spares:
            self._process, self._socket = self._spares.pop(0)
        else:
            raise OSError("the last prefork server that was started ahead has died")

    def _started(self) -> Started:
        ours, theirs = socket.socketpair()
        ours.settimeout(SEND_LIMIT_S)
        with theirs, open_log(self._log_path) as log:
            process = subprocess.Popen(
                [*self._argv, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=dict(self._env()),
                cwd="/",
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        return process, ours

    def end(self) -> None:
        """End the helper and all its spares."""
        self.close()
        while self._spares:
            self._start()
            self.close()

    def close(self, patience_s: float = 1.0) -> None:
        """Let the helper end; its children continue."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._process is not None:
            process, self._process = self._process, None
            try:
                process.wait(timeout=patience_s)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
