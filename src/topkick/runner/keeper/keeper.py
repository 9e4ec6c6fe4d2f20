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
import os
import sys
import time
from functools import partial
from typing import Any

from topkick.engine.io import crash_points, sealed_records
from topkick.engine.io.files import replace_atomically, seal
from topkick.engine.io.sealed_records import PROTOCOL, sync_claim, take_claim
from topkick.runner.keeper.birth import LaunchCommand
from topkick.runner.keeper.output import CappedOutput
from topkick.runner.keeper.prefork import launch_loop
from topkick.runner.process import cgroups, processes
from topkick.runner.process.processes import Identity
from topkick.runner.process.tree import ProcessOutcome, SignalPipe, run_tree

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
    output: CappedOutput,
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
