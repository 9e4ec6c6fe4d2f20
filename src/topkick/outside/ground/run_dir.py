"""A run's directory as the supervisor sees it: the order given, the claim, the exit record."""

import contextlib
import errno
import fcntl
import os
import re
import signal
import stat
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from topkick.outside.ground import cgroups, crash_points, keeper, processes
from topkick.outside.ground.files import replace_atomically, seal, unseal
from topkick.outside.ground.processes import Identity

How = Literal["exited", "signaled", "deadline", "stopped", "cannot_start", "lost"]
State = Literal["absent", "claimed", "running", "exited", "lost", "orphaned"]
_NOT_OURS = (errno.ELOOP, errno.EIO, errno.EACCES)  # nothing that a keeper could have made
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class Placement:
    """What to run, where, and within which limits.

    `stdin_text` is kept in the file `prompt`; with `stdin_closed` the command reads it there.
    `secrets` are variables too, and are told to the keeper alone: no file has them.
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
    """How a run ended; `lost` if nobody was there to see it."""

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
class Claim:
    """Who has the run; `revoked` if nobody may ever have it."""

    keeper: Identity | None
    boot_id: str
    cgroup: str | None
    mark: str | None
    claimed_at: float
    revoked: How | None
    why: str | None


@dataclass(frozen=True, slots=True)
class Description:
    """Where a run stands, derived from its files and from what lives."""

    state: State
    exit: Exit | None = None
    claim: Claim | None = None
    agent: Identity | None = None

    @property
    def keeper_pid(self) -> int | None:
        return self.claim.keeper.pid if self.claim and self.claim.keeper else None

    @property
    def agent_pid(self) -> int | None:
        return self.agent.pid if self.agent else None


def path_of(runs: Path, run_id: str) -> Path:
    """The directory of a run; ids are kept to characters that are safe in a path."""
    assert _RUN_ID.fullmatch(run_id), f"not a run id: {run_id!r}"
    return runs / run_id


def prepare(path: Path, run_id: str, placement: Placement) -> None:
    """Make the directory ready for a keeper; nothing is left to do if it was before.

    What lies there unclaimed is compared first: a damaged order is not to be carried out.
    """
    if _bytes(path / "claim") is not None:
        return
    found = unseal(_bytes(path / "order.json") or b"") or {}
    mark = _mark(found) or processes.new_mark(run_id)
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
        "protocol": keeper.PROTOCOL,
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
    return text is None or _bytes(path / "prompt") == _encoded(text)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def describe(path: Path) -> Description:
    """Where the run stands now."""
    claim = read_claim(path)
    agent = _read_agent(path, claim)
    if (ended := read_exit(path)) is not None:
        return Description("exited", ended, claim, agent)
    if claim is None:
        return Description("absent")
    if claim.revoked is not None:
        return Description("exited", Exit(claim.revoked, errno_text=claim.why), claim)
    if keeper_lives(path):
        return Description("running" if agent else "claimed", None, claim, agent)
    if (ended := read_exit(path)) is not None:  # written between our two looks
        return Description("exited", ended, claim, agent)
    if claim.boot_id == processes.boot_id() and _agent_lives(claim, agent):
        return Description("orphaned", None, claim, agent)
    return Description("lost", Exit("lost", started_at=claim.claimed_at), claim, agent)


def _agent_lives(claim: Claim, agent: Identity | None) -> bool:
    if claim.cgroup and cgroups.populated(claim.cgroup):
        return True
    return agent is not None and processes.alive(agent)


def keeper_lives(path: Path) -> bool:
    """Whether the claim is still locked by the process that made it."""
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


def read_claim(path: Path) -> Claim | None:
    """The claim; one that a power cut has emptied still counts, as of an unknown boot."""
    if (text := _bytes(path / "claim")) is None:
        return None
    found = unseal(text) or {}
    who = found.get("keeper")
    portable = found.get("mode") == "portable"
    return Claim(
        keeper=Identity(who["pid"], who["started"], portable) if who else None,
        boot_id=found.get("boot_id", ""),
        cgroup=found.get("cgroup"),
        mark=found.get("mark") or _ordered_mark(path),
        claimed_at=found.get("claimed_at", 0.0),
        revoked=found.get("revoked"),
        why=found.get("why"),
    )


def _ordered_mark(path: Path) -> str | None:
    return _mark(unseal(_bytes(path / "order.json") or b"") or {})


def _mark(order: Mapping[str, Any]) -> str | None:
    mark = order.get("env", {}).get(processes.MARKER)
    return str(mark) if mark else None


def _read_agent(path: Path, claim: Claim | None) -> Identity | None:
    if claim is None or claim.keeper is None:
        return None
    found = unseal(_bytes(path / "agent") or b"")
    return Identity(found["pid"], found["started"], claim.keeper.portable) if found else None


def read_exit(path: Path) -> Exit | None:
    found = unseal(_bytes(path / "exit.json") or b"")
    if not found:
        return None
    known = {name: found[name] for name in Exit.__dataclass_fields__ if name in found}
    return Exit(**{**known, "survivors": tuple(found.get("survivors", ()))})


def write_exit(path: Path, ended: Exit) -> None:
    """Record an end on behalf of a keeper that no longer can."""
    record = seal({"protocol": keeper.PROTOCOL, **asdict(ended)})
    replace_atomically(path / "exit.json", record)


def write_stop(path: Path, grace_s: float, why: str) -> None:
    crash_points.here("stop.before-note")
    record = seal({"grace_s": grace_s, "why": why})
    replace_atomically(path / "stop.json", record, durable=False)
    crash_points.here("stop.after-note")


def revoke(path: Path, run_id: str, how: How, why: str) -> bool:
    """Take the claim so that the run can never start; False if somebody has it."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    crash_points.here("revoke.before")
    fd = keeper.take_claim(
        os.fspath(path),
        {
            "protocol": keeper.PROTOCOL,
            "run_id": run_id,
            "keeper": None,
            "boot_id": processes.boot_id(),
            "claimed_at": time.time(),
            "revoked": how,
            "why": why,
        },
    )
    crash_points.here("revoke.after")
    if fd is None:
        return False
    os.close(fd)
    return True


@dataclass(frozen=True, slots=True)
class Limits:
    """The part of an order that is needed after the start."""

    deadline_s: float | None
    output_cap_bytes: int
    grace_s: float = 10.0


def read_limits(path: Path) -> Limits | None:
    found = unseal(_bytes(path / "order.json") or b"")
    if not found:
        return None
    return Limits(found["deadline_s"], found["output_cap_bytes"], found["grace_s"])


def _bytes(path: Path) -> bytes | None:
    """The bytes of a file of ours; None if there is none, empty if it is something else."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in _NOT_OURS:
            return b""
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return b""
    with open(fd, "rb") as file:
        return file.read()
