"""The supervisor's end of a prefork process: asks for children, and starts it again if it dies."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from topkick.outside.ground import crash_points
from topkick.outside.ground.files import open_log

_BOOT = (
    "import sys; sys.path.append(sys.argv[1]); from {module} import main; main(int(sys.argv[2]))"
)
_KEPT = ("PATH", "HOME", "TMPDIR")


def prefork_argv(module: str) -> list[str]:
    """Run `main(fd)` of a module of this package without site-packages and the user's settings."""
    root = str(Path(__file__).resolve().parents[3])
    return [sys.executable, "-I", "-S", "-X", "utf8", "-c", _BOOT.format(module=module), root]


class Launcher:
    """Sends launch requests; the children answer by other means."""

    def __init__(self, argv: Sequence[str], log_path: str | Path = os.devnull) -> None:
        self._argv = list(argv)
        self._log_path = log_path
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def fileno(self) -> int | None:
        """Becomes readable when the launcher has died."""
        return self._socket.fileno() if self._socket else None

    def launch(self, place: str, secrets: Mapping[str, str]) -> bool:
        """Ask for one child; False if the launcher is dead and a second one died too."""
        crash_points.here("launch.before-request")
        request = json.dumps([place, dict(secrets)]).encode() + b"\n"
        return self._send(request) or self._send(request)

    def _send(self, request: bytes) -> bool:
        try:
            if self._socket is None:
                self._start()
            assert self._socket is not None
            self._socket.sendall(request)
            crash_points.here("launch.after-request")
        except OSError:
            self.close()
            return False
        return True

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        ours.settimeout(1.0)
        env = {k: v for k, v in os.environ.items() if k in _KEPT or k.startswith("TOPKICK_")}
        with theirs, open_log(self._log_path) as log:
            self._process = subprocess.Popen(
                [*self._argv, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=env,
                cwd="/",
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._socket = ours

    def close(self, patience_s: float = 1.0) -> None:
        """Let the launcher end; its children go on."""
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
