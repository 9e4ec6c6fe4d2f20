"""Client of the prefork server. Forked keepers report through their own socket."""

import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from topkick.engine.io import crash_points
from topkick.runner.standby import Standby

_BOOT = (
    "import sys; sys.path.append(sys.argv[1]); from {module} import main; main(int(sys.argv[2]))"
)
_KEPT = ("PATH", "HOME", "TMPDIR")


def prefork_argv(module: str) -> list[str]:
    """Run `main(fd)` of a module of this package without site-packages and the user's settings."""
    root = str(Path(__file__).resolve().parents[3])
    return [sys.executable, "-I", "-S", "-X", "utf8", "-c", _BOOT.format(module=module), root]


class Launcher(Standby):
    """The prefork server's client; children get few of the user's variables, and those of their
    request.
    """

    def __init__(self, argv: Sequence[str], log_path: str | Path = os.devnull) -> None:
        super().__init__(argv, log_path, _few_variables)

    def launch(self, place: str, secrets: Mapping[str, str]) -> bool:
        """Request one child; return False if the server is dead and a second one died too."""
        request = json.dumps([place, dict(secrets)]).encode() + b"\n"

        def send(line: socket.socket) -> None:
            line.sendall(request)
            crash_points.here("launch.after-request")

        crash_points.here("launch.before-request")
        return self.ask(send)


def _few_variables() -> Mapping[str, str]:
    return {k: v for k, v in os.environ.items() if k in _KEPT or k.startswith("TOPKICK_")}
