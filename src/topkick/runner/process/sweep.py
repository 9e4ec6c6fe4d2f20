"""End a run's process tree from outside, when its keeper cannot."""

import errno
import signal
from collections.abc import Callable, Collection

from topkick.engine.io import crash_points
from topkick.runner.process import cgroups, processes
from topkick.runner.process.processes import Identity
from topkick.runner.process.ps import Process
from topkick.runner.run_dir import RunClaim

_SLACK_S = 2


def members(claim: RunClaim, agent: Identity | None) -> list[Process]:
    """Return everything of the run that lives, except its keeper; raise OSError without a process
    table.
    """
    rows = processes.table(with_words=True)
    keeper = _in(rows, claim.keeper)
    pids = _in(rows, agent) | processes.family(keeper, rows)
    if claim.mark:
        pids |= processes.marked(claim.mark, rows, whole=not claim.mark.endswith("-"))
    if claim.cgroup:
        pids |= cgroups.pids(claim.cgroup) - {0}  # a process of another container has no pid here
    pids |= processes.family(pids, rows)
    pids -= processes.ancestors(rows) | keeper
    found = [rows[pid] for pid in pids if pid in rows and not rows[pid].dead]
    if not found and claim.cgroup and cgroups.populated(claim.cgroup):
        raise OSError(errno.EAGAIN, "a process is alive, but ends too fast to be listed")
    return found


def claim_by_mark(project: str, run_id: str) -> RunClaim | None:
    """Return a claim for a run whose files are gone while a process of it lives.

    The mark's random end is known only from the files, so this claim's mark is a prefix.
    """
    mark = f"{processes.project_prefix(project)}{run_id}-"
    claim = RunClaim(None, processes.boot_id(), None, mark, 0.0, None, None)
    try:
        return claim if members(claim, None) else None
    except OSError:  # no process table
        return None


def of_project(project: str, spared: Callable[[], Collection[str]]) -> list[Process]:
    """Return every living process with the project's token in its mark or its control group.

    Records are not needed: they may be damaged, forged or gone. Processes of other containers are
    left alone. So are the runs that `spared` names; it is called after the look, because an order
    is in the journal before its process starts.
    """
    prefix = processes.project_prefix(project)
    rows = processes.table(with_words=True)
    pids = processes.marked(prefix, rows, whole=False) if prefix else set()
    groups = _groups(project)
    for group in groups:
        pids |= cgroups.pids(group)
    left_alone = _of_runs(prefix, spared(), rows, groups)
    pids = processes.family(pids, rows) | pids
    pids -= processes.ancestors(rows) | left_alone
    alive = [rows[pid] for pid in sorted(pids) if pid in rows and not rows[pid].dead]
    return [process for process in alive if processes.is_in_own_namespace(process.pid)]


def _of_runs(
    prefix: str, run_ids: Collection[str], rows: dict[int, Process], groups: list[str]
) -> set[int]:
    pids: set[int] = set()
    for mark in (f"{prefix}{run_id}-" for run_id in run_ids):
        pids |= processes.marked(mark, rows, whole=False)
        for group in groups:
            pids |= cgroups.pids(group) if _carries(group, mark) else set()
    return pids | processes.family(pids, rows)


def _carries(group: str, mark: str) -> bool:
    return group.rpartition("/")[2].startswith(f"topkick-{mark}")


def _groups(project: str) -> list[str]:
    """Return the project's control groups, except those that hold a process of another container.

    Such a process has the number 0, or a number and another namespace.
    """
    prefix = processes.project_prefix(project)
    if not prefix or processes.portable():
        return []
    return [group for group in cgroups.named(f"topkick-{prefix}") if _is_here(group)]


def _is_here(group: str) -> bool:
    return all(pid > 0 and processes.is_in_own_namespace(pid) for pid in cgroups.pids(group))


def kill_project(
    targets: list[Process], project: str, spared: Callable[[], Collection[str]]
) -> None:
    """Send SIGKILL to the processes that `of_project` found, their process groups and control
    groups.
    """
    crash_points.here("kill.before-round")
    groups = _groups(project)
    marks = [f"{processes.project_prefix(project)}{run_id}-" for run_id in spared()]
    for group in groups:
        if not any(_carries(group, mark) for mark in marks):
            cgroups.kill(group)
    processes.signal_each(targets, signal.SIGKILL)
    processes.signal_groups(targets, signal.SIGKILL)
    crash_points.here("kill.after-round")


def ask(targets: list[Process]) -> None:
    """Send SIGTERM, and SIGCONT so that a stopped process receives it."""
    crash_points.here("kill.before-ask")
    processes.signal_each(targets, signal.SIGTERM, signal.SIGCONT)
    crash_points.here("kill.after-ask")


def kill(targets: list[Process], claim: RunClaim) -> None:
    """Send SIGKILL to the control group, if there is one, to each process and each process group.

    The keeper's process group is spared; a child is in it until it has its own session.
    """
    crash_points.here("kill.before-round")
    if claim.cgroup:
        cgroups.kill(claim.cgroup)
    processes.signal_each(targets, signal.SIGKILL)
    keeper_pid = claim.keeper.pid if claim.keeper else 0
    processes.signal_groups([t for t in targets if t.pgid != keeper_pid], signal.SIGKILL)
    crash_points.here("kill.after-round")


def _in(rows: dict[int, Process], identity: Identity | None) -> set[int]:
    """Return the identity's pid, if the table shows exactly that process."""
    if identity is None or identity.portable != processes.portable():
        return set()
    row = rows.get(identity.pid)
    slack = _SLACK_S if identity.portable else 0
    return {row.pid} if row and abs(row.started - identity.started) <= slack else set()
