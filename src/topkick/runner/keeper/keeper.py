"""The keeper: the process that owns one agent. It claims the run, starts it, records its end.

A keeper exists so that agents survive their supervisor. It is forked by the prefork server
(`prefork.py`), leads a session of its own, and shares nothing with the supervisor but the run
directory, in the format that `PROTOCOL` numbers. A supervisor of another version can therefore
adopt the run.

The order of writes decides what a crash leaves behind:

1. `claim` is written to a temporary file, locked and hard-linked into place. The link is atomic, so
   of two keepers one gets the run and the other exits. A keeper killed before the link leaves the
   run unclaimed, and the supervisor launches another one.
2. `agent`, the identity of the forked child, is written before the child may execute the program. A
   keeper killed before that leaves a child that exits at its gate; the run is lost, but no agent
   ran.
3. The program runs; its output goes to capped files. A keeper killed here leaves an orphaned agent,
   which the supervisor follows by the recorded identity, the mark and the control group.
4. `exit.json` is written last, after the whole tree has ended. If the keeper is killed before that,
   the supervisor records the run's end as lost.

The lock on `claim` is freed by the kernel when the keeper dies, so no other process has to trust a
pid. Everything is imported before the first fork, because the installation may be replaced while a
keeper lives.
"""

import errno
import fcntl
import os
import sys
import time
from functools import partial
from typing import Any

from topkick.engine.io import crash_points, sealed_records
from topkick.engine.io.files import fsync_dir, replace_atomically, seal, write_all
from topkick.runner.keeper.birth import LaunchCommand
from topkick.runner.keeper.prefork import launch_loop
from topkick.runner.process import cgroups, processes
from topkick.runner.process.processes import Identity
from topkick.runner.process.tree import ProcessOutcome, SignalPipe, run_tree

PROTOCOL = 1
RECORD_TRIES = 600
TRY_AGAIN_S = 1.0
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE)
HERE = "."


def main(fd: int) -> None:
    """Serve launch requests, each of which names a run directory."""
    processes.boot_id()
    cgroups.tidy()
    launch_loop(fd, keep)


def keep(run_dir: str, secrets: dict[str, str]) -> None:
    """Keep one run, unless another keeper has it.

    The keeper changes into the run's directory, so it still finds its files if the project is
    moved.
    """
    try:
        os.chdir(run_dir)
        _detach()
        _keep(HERE, secrets)
    except BaseException:
        _log_failure(run_dir)
        raise


def _detach() -> None:
    os.umask(0o077)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)


def _keep(run_dir: str, secrets: dict[str, str]) -> None:
    bell = SignalPipe()  # installed before the claim names this process, which may then be stopped
    order = _read_order(run_dir)
    order["env"] = {**secrets, **order["env"]}
    wire = os.open(os.path.join(run_dir, "wire"), os.O_RDWR | os.O_NONBLOCK)
    group = _make_group(order["env"].get(processes.MARKER) or order["run_id"])
    if not _claim(run_dir, order, group, wire):
        _remove(group)
        return
    crash_points.here("keeper.after-claim")
    os.write(wire, b"c")
    output = CappedOutput(run_dir, order["output_cap_bytes"])
    if order["protocol"] == PROTOCOL:
        outcome = _run(run_dir, order, group, output, bell, wire)
    else:
        outcome = _foreign(order["protocol"])
    _remove(group)
    crash_points.here("keeper.before-exit-record")
    _record(run_dir, exit_record(outcome, output.total_bytes, output.dropped_bytes))
    crash_points.here("keeper.after-exit-record")
    os.write(wire, b"x")
    crash_points.here("keeper.after-farewell")


def _run(
    run_dir: str,
    order: dict[str, Any],
    group: str | None,
    output: "CappedOutput",
    bell: SignalPipe,
    wire: int,
) -> ProcessOutcome:
    """Run the ordered command from its start to the end of its last process."""
    command = LaunchCommand(
        run_id=order["run_id"],
        argv=order["argv"],
        cwd=order["cwd"],
        env=order["env"],
        stdin_path=order["stdin_file"],
        deadline_s=order["deadline_s"],
        grace_s=order["grace_s"],
        group=group,
        stop_signal=order["stop_signal"],
    )
    return run_tree(
        command,
        output.write,
        bell,
        before_exec=partial(_record_agent, run_dir, bell),
        on_active=partial(os.write, wire, b"a"),
        stop_grace_s=partial(_stop_grace_s, run_dir, command.grace_s),
    )


def _read_order(run_dir: str) -> dict[str, Any]:
    order = sealed_records.read_record(run_dir, "order.json", sealed_records.ORDER)
    if order is None:
        raise ValueError("order.json is damaged")
    return order


def _make_group(mark: str) -> str | None:
    """Make a control group named after the mark, so that a sweep finds it without any record."""
    name = mark.replace("/", "-")[:200]
    return None if processes.portable() else cgroups.make(f"topkick-{name}-{os.getpid()}")


def _foreign(protocol: object) -> ProcessOutcome:
    now = time.time()
    text = f"the order speaks protocol {protocol}, this keeper {PROTOCOL}"
    return ProcessOutcome("cannot_start", None, None, text, now, now, 0.0, 0, [], 0)


def _claim(run_dir: str, order: dict[str, Any], group: str | None, wire: int) -> bool:
    """Claim the run atomically; return False if another process has it.

    The keeper holds the lock on the claim until it dies, so a free lock proves its death without
    trusting a pid. On a full disk the keeper reports that and exits: without a claim the supervisor
    could not tell it to stop.
    """
    own = processes.identify(os.getpid())
    claim = {
        "protocol": PROTOCOL,
        "run_id": order["run_id"],
        "keeper": {"pid": own.pid, "started": own.started},
        "boot_id": processes.boot_id(),
        "cgroup": group,
        "mark": order["env"].get(processes.MARKER),
        "mode": "portable" if own.portable else "native",
        "claimed_at": time.time(),
    }
    try:
        return take_claim(run_dir, claim, durable=False) is not None
    except OSError as error:
        _remove(group)
        if error.errno in NO_ROOM:
            os.write(wire, b"f")
        raise


def take_claim(run_dir: str, claim: dict[str, Any], *, durable: bool = True) -> int | None:
    """Publish a claim exclusively; return its locked descriptor, or None if there is a claim
    already.
    """
    temporary = os.path.join(run_dir, f"claim.{os.getpid()}")
    fd = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        write_all(fd, seal(claim))
        crash_points.here("claim.before-link")
        os.link(temporary, os.path.join(run_dir, "claim"))
        crash_points.here("claim.after-link")
    except OSError as error:
        os.close(fd)
        if isinstance(error, FileExistsError):
            return None
        raise
    finally:
        os.unlink(temporary)
    if durable:
        try:
            sync_claim(run_dir)
        except OSError:
            os.close(fd)
            raise
    return fd


def sync_claim(run_dir: str) -> None:
    """Make the claim's directory entries durable: after a power cut the claim must still exist.

    The first claim comes with a new directory of runs, so the entries above it are synced too.
    """
    runs = os.path.join(run_dir, os.pardir)
    for path in (run_dir, runs, os.path.join(runs, os.pardir)):
        fsync_dir(path)


def _record_agent(run_dir: str, bell: SignalPipe, identity: Identity) -> None:
    """Record the agent's identity, which must be on disk before the program starts.

    On a full disk, wait for room until the tries are used up or a stop is requested.
    """
    path = os.path.join(run_dir, "agent")
    record = seal({"pid": identity.pid, "started": identity.started})
    for is_last in (*[False] * RECORD_TRIES, True):
        try:
            sync_claim(run_dir)
            replace_atomically(path, record, durable=False)
        except OSError as error:
            if error.errno not in NO_ROOM or is_last:
                raise
            bell.wait(TRY_AGAIN_S)
            if bell.stops_asked:
                raise
        else:
            return


def _stop_grace_s(run_dir: str, ordered_s: float) -> float:
    try:
        found = sealed_records.read_record(run_dir, "stop.json", sealed_records.STOP)
    except OSError:
        return ordered_s
    return float(found["grace_s"]) if found else ordered_s


def exit_record(outcome: ProcessOutcome, output_bytes: int, dropped_bytes: int) -> bytes:
    """Return the bytes of exit.json."""
    sizes = {"output_bytes": output_bytes, "dropped_bytes": dropped_bytes}
    return seal({"protocol": PROTOCOL, **outcome._asdict(), **sizes})


def _record(run_dir: str, record: bytes) -> None:
    """Write the exit record; on a full disk wait for room rather than lose it."""
    for _ in range(RECORD_TRIES):
        try:
            replace_atomically(os.path.join(run_dir, "exit.json"), record)
        except OSError as error:
            if error.errno not in (*NO_ROOM, errno.EIO):
                raise
            time.sleep(TRY_AGAIN_S)
        else:
            return


def _remove(group: str | None) -> None:
    if group is not None:
        cgroups.remove(group)


def _log_failure(run_dir: str) -> None:
    path = os.path.join(run_dir, "keeper.log")
    try:
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError:
        return
    os.dup2(fd, 2)
    sys.excepthook(*sys.exc_info())


class CappedOutput:
    """Keeps the first and the last bytes of the output in segments of one size; drops the middle.

    Segment n starts at byte n * cap, so an offset stays valid whatever is dropped.
    """

    def __init__(self, run_dir: str, cap_bytes: int) -> None:
        self._run_dir = run_dir
        self._cap_bytes = max(1, cap_bytes)
        self.total_bytes = 0
        self.dropped_bytes = 0
        self._fd = self._open(0)

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            room = self._cap_bytes - self.total_bytes % self._cap_bytes
            part, view = view[:room], view[room:]
            self._put(part)
            self.total_bytes += len(part)
            if len(part) == room:
                self._next_segment()

    def _put(self, part: memoryview) -> None:
        place = self.total_bytes % self._cap_bytes
        try:
            while self._fd >= 0 and part:
                written = os.pwrite(self._fd, part, place)
                part = part[written:]
                place += written
        except OSError:  # a full disk must not stop the agent; lost bytes are counted
            pass
        self.dropped_bytes += len(part)

    def _next_segment(self) -> None:
        number = self.total_bytes // self._cap_bytes
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = self._open(number)
        if number > 2:
            self.dropped_bytes += self._cap_bytes
            try:
                os.unlink(segment_path(self._run_dir, number - 2))
            except OSError:
                return

    def _open(self, number: int) -> int:
        path = segment_path(self._run_dir, number)
        try:
            return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        except OSError:
            return -1


def segment_path(run_dir: str, number: int) -> str:
    """Return the file of one segment: `output`, `output.1`, `output.2` …"""
    return os.path.join(run_dir, f"output.{number}" if number else "output")
