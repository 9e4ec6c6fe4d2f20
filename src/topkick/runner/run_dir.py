"""A run's directory as the supervisor sees it: the order, the claim, the exit record."""

import contextlib
import errno
import fcntl
import os
import re
import signal
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from topkick.engine.io import crash_points, sealed_records
from topkick.engine.io.files import replace_atomically, seal
from topkick.engine.io.sealed_records import PROTOCOL, take_claim
from topkick.runner.process import processes
from topkick.runner.process.processes import Identity

How = Literal["exited", "signaled", "deadline", "stopped", "cannot_start", "lost"]
State = Literal["absent", "claimed", "running", "exited", "lost", "orphaned"]
# Errors of a path that no keeper could have made.
_NOT_OURS = (errno.ELOOP, errno.EIO, errno.EACCES, errno.ENOTDIR)
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class Placement:
    """The command to run, its directory, its environment and its limits.

    `stdin_text` is kept in the file `prompt`; with `stdin_closed` the command reads it there.
    `secrets` are variables that only the keeper gets: they are written to no file.
    """

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    stdin_text: str | None = None
    stdin_closed: bool = False
    deadline_s: float | None = None
    grace_s: float = 10.0
    output_cap_bytes: int = 32 << 20
    stop_signal: int = signal.SIGTERM
    secrets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Exit:
    """The end of a run; `lost` if no keeper saw it."""

    how: How
    code: int | None = None
    signal: int | None = None
    errno_text: str | None = None
    started_at: float | None = None
    ended_at: float | None = None
    cpu_s: float = 0.0
    max_rss_kb: int = 0
    output_bytes: int = 0
    dropped_bytes: int = 0
    survivors: tuple[int, ...] = ()
    leftovers: int = 0


@dataclass(frozen=True, slots=True)
class RunClaim:
    """The owner of a run; `revoked` if no keeper may ever claim it."""

    keeper: Identity | None
    boot_id: str
    cgroup: str | None
    mark: str | None
    claimed_at: float
    revoked: How | None
    why: str | None


@dataclass(frozen=True, slots=True)
class RunDescription:
    """The state of a run, derived from its files and from the living processes."""

    state: State
    exit: Exit | None = None
    claim: RunClaim | None = None
    agent: Identity | None = None

    @property
    def keeper_pid(self) -> int | None:
        return self.claim.keeper.pid if self.claim and self.claim.keeper else None

    @property
    def agent_pid(self) -> int | None:
        return self.agent.pid if self.agent else None


def path_of(runs: Path, run_id: str) -> Path:
    """Return the directory of a run; ids contain only characters that are safe in a path."""
    assert _RUN_ID.fullmatch(run_id), f"not a run id: {run_id!r}"
    return runs / run_id


def is_run_id(name: str) -> bool:
    return _RUN_ID.fullmatch(name) is not None


def is_open(path: Path) -> bool:
    """Return whether a process of the run may be alive: it was begun, and no valid end is
    recorded.
    """
    if not any(_is_there(path / name) for name in ("order.json", "claim")):
        return False
    return not _is_there(path / "exit.json") or keeper_lives(path)


def _is_there(path: Path) -> bool:
    """Return whether the file exists; True if that cannot be determined."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def prepare(path: Path, run_id: str, placement: Placement, project: str = "") -> None:
    """Prepare the directory for a keeper; do nothing if that was done before.

    An unclaimed order in the directory is compared first: a damaged order must not be carried out.
    """
    if _bytes(path / "claim", sealed_records.CLAIM.most_bytes) is not None:
        return
    found = _record(path, "order.json", sealed_records.ORDER) or {}
    mark = _mark(found) or processes.new_mark(run_id, project)
    order = _order(path, run_id, placement, mark)
    if found == order and _prompt_is(path, placement.stdin_text):
        return
    crash_points.here("run.before-order")
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.mkfifo(path / "wire", 0o600)
    if placement.stdin_text is not None:
        replace_atomically(path / "prompt", _encoded(placement.stdin_text), durable=False)
    replace_atomically(path / "order.json", seal(order), durable=False)
    crash_points.here("run.after-order")


def _order(path: Path, run_id: str, placement: Placement, mark: str) -> dict[str, Any]:
    reads_prompt = placement.stdin_text is not None and not placement.stdin_closed
    return {
        "protocol": PROTOCOL,
        "run_id": run_id,
        "argv": list(placement.argv),
        "cwd": placement.cwd,
        "env": {**placement.env, processes.MARKER: mark},
        "stdin_file": os.fspath(path / "prompt") if reads_prompt else None,
        "deadline_s": placement.deadline_s,
        "grace_s": placement.grace_s,
        "output_cap_bytes": placement.output_cap_bytes,
        "stop_signal": placement.stop_signal,
    }


def _prompt_is(path: Path, text: str | None) -> bool:
    wanted = _encoded(text or "")
    return text is None or _bytes(path / "prompt", len(wanted)) == wanted


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def describe(path: Path) -> RunDescription:
    """Return the state of the run.

    A recorded end counts only when the keeper's lock is free and nothing of the run lives: the
    keeper writes its record last, and an agent could write one while it works.
    """
    claim = read_claim(path)
    agent = _read_agent(path, claim)
    if claim is not None and claim.revoked is None and keeper_lives(path):
        return RunDescription("running" if agent else "claimed", None, claim, agent)
    ended = read_exit(path)  # read after the lock: a keeper records first, then unlocks
    if ended is None and claim is not None and claim.revoked is not None:
        ended = Exit(claim.revoked, errno_text=claim.why)
    if ended is not None:
        return _ended(path, ended, claim, agent)
    if claim is None:
        return RunDescription("absent")
    if claim.boot_id == processes.boot_id() and _agent_lives(claim, agent):
        return RunDescription("orphaned", None, claim, agent)
    return RunDescription("lost", Exit("lost", started_at=claim.claimed_at), claim, agent)


def _ended(
    path: Path, ended: Exit, claim: RunClaim | None, agent: Identity | None
) -> RunDescription:
    """Return the recorded end, unless something of the run is still alive."""
    known = claim or _damaged_claim(path)
    is_this_boot = not known.boot_id or known.boot_id == processes.boot_id()
    if is_this_boot and (_agent_lives(known, agent) or _mark_lives(known.mark)):
        return RunDescription("orphaned", ended, known, agent)
    return RunDescription("exited", ended, claim, agent)


def _mark_lives(mark: str | None) -> bool:
    if not mark:
        return False
    try:
        rows = processes.table(with_words=True)
        found = processes.marked(mark, rows) - processes.ancestors(rows)
    except OSError:  # no process table, and the keeper recorded that nothing is left
        return False
    return any(not rows[pid].dead for pid in found)


def _agent_lives(claim: RunClaim, agent: Identity | None) -> bool:
    if claim.cgroup:
        from topkick.runner.process import cgroups  # few machines let a user make control groups

        if cgroups.populated(claim.cgroup):
            return True
    return agent is not None and processes.alive(agent)


def keeper_lives(path: Path) -> bool:
    """Return whether the claim is still locked by the process that made it."""
    try:
        fd = os.open(path / "claim", os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno in (errno.ENOENT, *_NOT_OURS):
            return False
        raise
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(fd)


def read_claim(path: Path) -> RunClaim | None:
    """Return the claim; a damaged claim counts as that of an unknown keeper and an unknown boot."""
    if (data := _bytes(path / "claim", sealed_records.CLAIM.most_bytes)) is None:
        return None
    found = sealed_records.open_record(data, sealed_records.CLAIM)
    if found is None:
        return _damaged_claim(path)
    who = found["keeper"]
    portable = found["mode"] == "portable"
    return RunClaim(
        keeper=Identity(who["pid"], who["started"], portable) if who else None,
        boot_id=found["boot_id"],
        cgroup=found["cgroup"],
        mark=found["mark"] or _ordered_mark(path),
        claimed_at=found["claimed_at"],
        revoked=found["revoked"],
        why=found["why"],
    )


def _damaged_claim(path: Path) -> RunClaim:
    return RunClaim(None, "", None, _ordered_mark(path), 0.0, None, None)


def damaged(path: Path) -> tuple[str, ...]:
    """Return the names of records that exist and cannot be trusted."""
    return tuple(name for name, shape in _SHAPES.items() if _is_damaged(path, name, shape))


_SHAPES = {
    "order.json": sealed_records.ORDER,
    "claim": sealed_records.CLAIM,
    "agent": sealed_records.AGENT,
    "stop.json": sealed_records.STOP,
    "exit.json": sealed_records.EXIT,
}


def _is_damaged(path: Path, name: str, shape: sealed_records.RecordShape) -> bool:
    try:
        data = _bytes(path / name, shape.most_bytes)
    except OSError:
        return True
    return data is not None and sealed_records.open_record(data, shape) is None


def _ordered_mark(path: Path) -> str | None:
    return _mark(_record(path, "order.json", sealed_records.ORDER) or {})


def _mark(order: Mapping[str, Any]) -> str | None:
    mark = order.get("env", {}).get(processes.MARKER)
    return str(mark) if mark else None


def _read_agent(path: Path, claim: RunClaim | None) -> Identity | None:
    if claim is None or claim.keeper is None:
        return None
    found = _record(path, "agent", sealed_records.AGENT)
    return Identity(found["pid"], found["started"], claim.keeper.portable) if found else None


def read_exit(path: Path) -> Exit | None:
    found = _record(path, "exit.json", sealed_records.EXIT)
    return Exit(**{**found, "survivors": tuple(found["survivors"])}) if found else None


def write_exit(path: Path, ended: Exit) -> None:
    """Record an end on behalf of a keeper that no longer can."""
    record = seal({"protocol": PROTOCOL, **asdict(ended)})
    replace_atomically(path / "exit.json", record)


def write_stop(path: Path, grace_s: float, why: str) -> None:
    crash_points.here("stop.before-note")
    record = seal({"grace_s": grace_s, "why": why})
    replace_atomically(path / "stop.json", record, durable=False)
    crash_points.here("stop.after-note")


def revoke(path: Path, run_id: str, how: How, why: str) -> bool:
    """Take the claim so that the run can never start; return False if a keeper has it."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    crash_points.here("revoke.before")
    fd = take_claim(os.fspath(path), _revoked(run_id, how, why))
    crash_points.here("revoke.after")
    if fd is None:
        return False
    os.close(fd)
    return True


def _revoked(run_id: str, how: How, why: str) -> dict[str, Any]:
    return {
        "protocol": PROTOCOL,
        "run_id": run_id,
        "keeper": None,
        "boot_id": processes.boot_id(),
        "claimed_at": time.time(),
        "revoked": how,
        "why": why,
    }


def disown(path: Path, why: str) -> None:
    """Make sure that a copied run never starts: its processes belong to the original.

    The mark is removed first. If this is interrupted before the claim is replaced, the run still
    counts as claimed.
    """
    order = _record(path, "order.json", sealed_records.ORDER)
    if order is None:
        (path / "order.json").unlink(missing_ok=True)
    else:
        order["env"].pop(processes.MARKER, None)
        replace_atomically(path / "order.json", seal(order))
    replace_atomically(path / "claim", seal(_revoked(path.name, "lost", why)))


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The part of an order that is needed after the start."""

    deadline_s: float | None
    output_cap_bytes: int
    grace_s: float = 10.0


def read_limits(path: Path) -> RunLimits | None:
    found = _record(path, "order.json", sealed_records.ORDER)
    if not found:
        return None
    return RunLimits(found["deadline_s"], found["output_cap_bytes"], found["grace_s"])


def _record(path: Path, name: str, shape: sealed_records.RecordShape) -> dict[str, Any] | None:
    return sealed_records.open_record(_bytes(path / name, shape.most_bytes) or b"", shape)


def _bytes(path: Path, most_bytes: int) -> bytes | None:
    """Return the file's bytes; None if it does not exist, empty if it is not a plain file."""
    try:
        return sealed_records.read_bytes(os.fspath(path), most_bytes)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in _NOT_OURS:
            return b""
        raise
