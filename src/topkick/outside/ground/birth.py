"""A forked child on its way to becoming the agent's program."""

# Keepers do without pathlib, which would double what they import.
# ruff: noqa: PTH118, S606

import os
import signal
from typing import NamedTuple, NoReturn

from topkick.outside.ground import cgroups
from topkick.outside.ground.processes import MARKER

HANDLED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGCHLD)
_IGNORED = {n for n in signal.valid_signals() if signal.getsignal(n) == signal.SIG_IGN}
_TO_RESET = [int(number) for number in _IGNORED.union(HANDLED)]
_HIGHEST_FD = min(4096, os.sysconf("SC_OPEN_MAX"))


class Command(NamedTuple):
    """What to run; `group` is a cgroup leaf made for it, `stop_signal` what the program itself is
    asked to end with, `keep_fd` a descriptor that it inherits."""

    run_id: str
    argv: list[str]
    cwd: str
    env: dict[str, str]
    stdin_path: str | None = None
    deadline_s: float | None = None
    grace_s: float = 10.0
    group: str | None = None
    stop_signal: int = signal.SIGTERM
    keep_fd: int | None = None

    @property
    def mark(self) -> str:
        """By which its processes are known; the order's environment has one that is unique."""
        return self.env.get(MARKER, self.run_id)


def become(command: Command, gate: int, output: int, errors: int) -> NoReturn:
    """In the forked child: wait for the gate, then turn into the program or say why not."""
    try:
        _prepare(command, gate, output, errors)
        if os.read(gate, 1) == b"g":
            _exec(command)
    except OSError as error:
        os.write(errors, f"{error.strerror}: {error.filename or command.argv[0]}".encode())
    finally:
        os._exit(127)


def _prepare(command: Command, gate: int, output: int, errors: int) -> None:
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in _TO_RESET:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.dup2(os.open(command.stdin_path or os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    # The keeper's lock and wire must not live on in a child that hangs in exec.
    kept = {gate, errors}
    if command.keep_fd is not None:
        os.set_inheritable(command.keep_fd, True)
        kept.add(command.keep_fd)
    first = 3
    for fd in sorted(kept):
        os.closerange(first, fd)
        first = fd + 1
    os.closerange(first, _HIGHEST_FD)
    if command.group is not None:
        cgroups.add(command.group, 0)  # by ourselves, while the keeper syncs the claim
    os.umask(0o022)
    os.chdir(command.cwd)


def _exec(command: Command) -> None:
    program = command.argv[0]
    mark = {MARKER: command.mark}
    env = mark | command.env | mark  # first, where a shortened listing still shows it
    if "/" in program:
        os.execve(program, command.argv, env)
    denied: OSError | None = None
    for directory in command.env.get("PATH", os.defpath).split(":"):
        try:
            os.execve(os.path.join(directory or ".", program), command.argv, env)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError as error:
            denied = error
    raise denied or FileNotFoundError(2, os.strerror(2), program)
