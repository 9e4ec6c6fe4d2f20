"""The code that a forked child runs before it becomes the agent's program."""

# Keepers avoid pathlib, which would double what they import.
# ruff: noqa: PTH118, S606

import os
import signal
from typing import NamedTuple, NoReturn

from topkick.runner.process import cgroups
from topkick.runner.process.processes import MARKER

HANDLED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGCHLD)
_IGNORED = {n for n in signal.valid_signals() if signal.getsignal(n) == signal.SIG_IGN}
_TO_RESET = [int(number) for number in _IGNORED.union(HANDLED)]
_HIGHEST_FD = min(4096, os.sysconf("SC_OPEN_MAX"))


class LaunchCommand(NamedTuple):
    """The program to run; `group` is a control group made for it, `stop_signal` is the signal that
    asks the program itself to end, `keep_fd` is a descriptor that the program inherits.
    """

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
        """The text that identifies its processes; the order's environment holds a unique one."""
        return self.env.get(MARKER, self.run_id)


def become(command: LaunchCommand, gate: int, output: int, errors: int) -> NoReturn:
    """In the forked child: wait at the gate, then execute the program or write why that failed."""
    try:
        _prepare(command, gate, output, errors)
        if os.read(gate, 1) == b"g":
            _exec(command)
    except OSError as error:
        os.write(errors, f"{error.strerror}: {error.filename or command.argv[0]}".encode())
    finally:
        os._exit(127)


def _prepare(command: LaunchCommand, gate: int, output: int, errors: int) -> None:
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in _TO_RESET:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.dup2(os.open(command.stdin_path or os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    # A child that hangs in exec must not hold the keeper's lock and wire open.
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
        cgroups.add(command.group, 0)  # done by the child, while the keeper syncs the claim
    os.umask(0o022)
    os.chdir(command.cwd)


def _exec(command: LaunchCommand) -> None:
    program = command.argv[0]
    mark = {MARKER: command.mark}
    env = mark | command.env | mark  # the mark goes first: a shortened listing still shows it
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
