"""Decide what to do about one run: launch it, adopt it, follow it, end it, record its end.

A run is one directory. The supervisor writes `order.json`, asks the prefork server for a keeper,
and the keeper that manages to link the file `claim` owns the run. The keeper holds a lock on
`claim` until it dies, writes `agent` before the program starts and `exit.json` after its tree has
ended, and reports through the FIFO `wire`: c (claimed), a (agent active), x (exit recorded), f (no
room to write); end of file means that the keeper is gone. A `Watch` holds nothing that these files
and the process table cannot tell again, so a new supervisor starts with fresh watches.

What happens if it is killed here?

- The supervisor, before `claim` exists: the state is `absent`, and the next supervisor begins the
  run again. Two keepers may then race for it; only one can link `claim`, the other exits.
- The supervisor, after `claim`: keeper and agent continue, and the next supervisor adopts the run
  (`claimed` or `running`) or reads its exit record (`exited`).
- The keeper, before the agent starts: the state is `lost`. The run is never launched again; the
  supervisor reports the loss, and the policy decides about a new run.
- The keeper, while the agent works: the state is `orphaned`. The supervisor follows the agent until
  it ends, then kills what is left of its tree and records the end as `lost`.
- The machine: the claim names another boot, so nothing of the run can be alive. It is `lost`.
- The run's files are deleted while it runs: it counts as `lost`, never as `absent`, so that the
  agent is not started twice.

An exit record counts only when nothing of the run lives. If something does, an agent forged the
record or the keeper gave up: the supervisor kills the rest first.

To stop a run that no keeper has claimed, the supervisor takes the claim itself (revokes the run).
Otherwise it writes `stop.json` and signals the keeper. If the keeper is not done when the grace
period and some slack are over, the supervisor kills the tree from outside, then the keeper, and
after GIVE_UP_S it records the survivors.
"""

import contextlib
import signal
from dataclasses import dataclass, replace

from topkick.runner.host import Active, Host, Notice, RunEnded
from topkick.runner.process.ps import Process
from topkick.runner.run_dir import Exit, How, Placement, RunClaim, RunDescription

LAUNCH_LIMIT_S = 5.0
LAUNCHES = 3
STOP_SLACK_S = 5.0
RECORD_SLACK_S = 2.0  # a keeper whose tree was killed has this long to record the end
GIVE_UP_S = 10.0
ORPHAN_EVERY_S = 1.0
LEFTOVER_GRACE_S = 2.0
FIRST_SIGN_S = 1.5
AGAIN_S = 0.1
TRY_AGAIN_S = 1.0
LATE_S = 15.0  # how long after a deadline and its grace a keeper may take to end everything


@dataclass(slots=True)
class _Ending:
    how: How
    kill_at: float


class Watch:
    """Follows one run. `look_at` is when to look again, on the monotonic clock; None means never.

    A watch without a placement only follows or ends the run and never launches it.
    """

    def __init__(self, host: Host, run_id: str, placement: Placement | None = None) -> None:
        self._host = host
        self.run_id = run_id
        self._placement = placement
        self.look_at: float | None = host.monotonic_s()
        self.limits = host.limits(run_id)
        self.claim: RunClaim | None = None
        self.trouble = ""
        self._wired = host.listen(run_id)
        self._active = False
        self._is_taken = False  # a keeper reported it
        self._launches = 0
        self._launch_at = host.monotonic_s()
        self._pause_s = 0.01
        self._late_at: float | None = None
        self._ending: _Ending | None = None

    # -- messages from the keeper

    def hear(self, said: bytes) -> list[Notice]:
        now = self._host.monotonic_s()
        notices = self._activate() if b"a" in said else []
        if b"f" in said:
            self._had_no_room()
        if said.strip(b"f"):
            self._is_taken = True
            self.trouble = ""
            self._learn_when_late(now)
        if not said or b"x" in said:
            self.look_at = now
        elif not self._active and self._ending is None:
            self.look_at = now + FIRST_SIGN_S
        elif self._ending is None:
            self.look_at = self._late_at
        if not said:
            self._wired = False
        return notices

    def _had_no_room(self) -> None:
        """Start counting launches anew: a full disk is a failure neither of the keeper nor of the
        run.
        """
        self._launches = 0
        self.trouble = (
            f"No keeper can claim the order {self.run_id}: no room to write or open a file."
        )

    def look_now(self) -> None:
        self.look_at = self._host.monotonic_s()

    def launcher_died(self) -> None:
        """Look at the run soon if no keeper has claimed it: the launcher may have lost the
        request.
        """
        if self.claim is None and self._launches:
            self.look_now()

    def _activate(self) -> list[Notice]:
        if self._active:
            return []
        self._active = True
        return [Active(self.run_id)]

    # -- looking

    def look(self) -> list[Notice]:
        """Look at the run and act on it; an `Ended` among the notices is the last one of this
        run.
        """
        found = self._host.describe(self.run_id)
        begun = self._is_taken or self.claim is not None or self._active
        if found.state == "absent" and begun:  # its files are gone: never launch it again
            found = RunDescription("lost", claim=self.claim)
        self.claim = found.claim
        self.look_at = None
        if found.state != "absent":
            self.trouble = ""
        match found.state:
            case "exited":
                assert found.exit is not None
                return [RunEnded(self.run_id, found.exit)]
            case "absent":
                self._begin_or_revoke()
                return []
            case "claimed" | "running":
                return self._look_kept(found)
            case "lost" | "orphaned":
                return self._look_unkept(found)

    def begin(self) -> None:
        """Write the order and have it launched, unless a keeper has the run already."""
        assert self._placement is not None
        try:
            self._host.prepare(self.run_id, self._placement)
        except OSError as error:  # a full disk: the intent is durable, so try later
            self._try_again(f"The order {self.run_id} cannot be written to disk", error)
            return
        self._wired = self._wired or self._host.listen(self.run_id)
        self.limits = self.limits or self._host.limits(self.run_id)
        if self._host.claim(self.run_id) is None:
            self._launch()

    def _begin_or_revoke(self) -> None:
        if self._placement is None:
            self._revoke("stopped", "never started")
        else:
            self.begin()

    def _launch(self) -> None:
        """Ask for a keeper, again if none has claimed the run in time; after LAUNCHES tries, revoke
        it.
        """
        now = self._host.monotonic_s()
        if now < self._launch_at:  # the cause of the last keeper's death may be temporary
            self._wake(self._launch_at)
            return
        if self._launches < LAUNCHES and self._host.launch(self.run_id):
            self._launches += 1
            self._launch_at = now + TRY_AGAIN_S
            self.look_at = now + LAUNCH_LIMIT_S
            return
        why = f"no keeper claimed the order: see {self._host.launcher_log} and keeper.log"
        self._revoke("cannot_start", why)

    def _revoke(self, how: How, why: str) -> bool:
        """Make sure that the run never starts; try again later if the disk has no room."""
        try:
            revoked = self._host.revoke(self.run_id, how, why)
        except OSError as error:
            self._try_again(f"The order {self.run_id} cannot be revoked", error)
            return False
        self.trouble = ""
        self.look_now()
        return revoked

    def _try_again(self, what: str, error: OSError) -> None:
        self.trouble = f"{what}: {error.strerror or error}."  # drafts have ever new names
        self.look_at = self._host.monotonic_s() + TRY_AGAIN_S

    def _look_kept(self, found: RunDescription) -> list[Notice]:
        now = self._host.monotonic_s()
        notices = self._activate() if self._shows_life() else []
        self._see_to_the_deadline(found, now)
        if not self._active:
            self._wake(now + FIRST_SIGN_S)
        if not self._wired:  # the wire closed: the keeper's lock is freed in a moment
            self._wake(now + self._pause_s)
            self._pause_s = min(self._pause_s * 2, ORPHAN_EVERY_S)
        if self._ending is not None:
            self._wake(max(self._ending.kill_at, now + AGAIN_S))
            if now >= self._ending.kill_at:
                notices += self._force(found)
        return notices

    def _see_to_the_deadline(self, found: RunDescription, now: float) -> None:
        """End a run that is long past its deadline: the keeper should have done so and must be
        hanging.
        """
        self._learn_when_late(now)
        if self._late_at is None or self._ending is not None:
            return
        self._wake(self._late_at)
        if now >= self._late_at:
            self._too_late(found)

    def _too_late(self, found: RunDescription) -> None:
        self._end("deadline", LEFTOVER_GRACE_S)
        self._host.ask(self._members(found) or [])

    def _learn_when_late(self, now: float) -> None:
        """Compute when the run is overdue, counted from the keeper's first sign: the wall clock may
        jump.
        """
        if self._late_at is None and self.limits and self.limits.deadline_s is not None:
            self._late_at = now + self.limits.deadline_s + self.limits.grace_s + LATE_S

    def _shows_life(self) -> bool:
        if self._active:
            return True
        if self.claim and self._host.time_s() - self.claim.claimed_at >= FIRST_SIGN_S:
            return True
        return self._host.has_output(self.run_id)

    def _look_unkept(self, found: RunDescription) -> list[Notice]:
        """Follow an agent that has no keeper while it lives, then end what is left of its tree.

        If an end is recorded while the agent lives, the agent forged the record or the keeper gave
        up. The tree is ended then, and only afterwards does the record count.
        """
        if found.claim is None or self._is_of_another_boot(found.claim):
            return [RunEnded(self.run_id, found.exit or Exit("lost"))]
        recorded = found.exit if found.state == "orphaned" else None
        follows = self._ending is None and recorded is None
        if follows and found.agent is not None and self._lives(found):
            self._follow(found, found.agent.pid)
            return []
        members = self._members(found)
        how: How = self._ending.how if self._ending else "lost"
        if members is not None and not members:
            return self._conclude(recorded or Exit(how, started_at=found.claim.claimed_at))
        if self._ending is None:
            self._end("lost", LEFTOVER_GRACE_S)
            self._host.ask(members or [])
        return self._force(found)

    def _lives(self, found: RunDescription) -> bool:
        try:
            return found.agent is not None and self._host.lives(found.agent)
        except OSError:
            return True

    def _follow(self, found: RunDescription, pid: int) -> None:
        limit_s = self.limits.deadline_s if self.limits else None
        now_s = self._host.time_s()
        if limit_s is not None and self.claim and now_s > self.claim.claimed_at + limit_s:
            self._too_late(found)
            return
        self._wake(self._host.monotonic_s() + ORPHAN_EVERY_S)
        self._host.follow(self.run_id, pid)

    # -- ending

    def stop(self, grace_s: float, why: str) -> None:
        found = self._host.describe(self.run_id)
        if found.state == "absent":
            self._placement = None
            if self._revoke("stopped", "never started"):
                return
            found = self._host.describe(self.run_id)
        self.claim = found.claim
        match found.state:
            case "claimed" | "running":
                self._ask_keeper(found, grace_s, why)
            case "orphaned":
                self._end("stopped", grace_s)
                self._host.ask(self._members(found) or [])
                self._wake(self._host.monotonic_s() + AGAIN_S)
            case "absent" | "exited" | "lost":
                return

    def _ask_keeper(self, found: RunDescription, grace_s: float, why: str) -> None:
        patience_s = grace_s + STOP_SLACK_S
        try:
            self._host.write_stop(self.run_id, grace_s, why)
        except OSError:  # a full or read-only disk: the keeper uses its own grace period
            patience_s = grace_s
        self._end("stopped", patience_s)
        self._host.signal_keeper(found, signal.SIGTERM)
        self._host.signal_keeper(found, signal.SIGCONT)

    def _end(self, how: How, patience_s: float) -> None:
        kill_at = self._host.monotonic_s() + patience_s
        if self._ending is None:
            self._ending = _Ending(how, kill_at)
        self._ending.kill_at = min(self._ending.kill_at, kill_at)
        self._wake(self._ending.kill_at)

    def _force(self, found: RunDescription) -> list[Notice]:
        """Send one round of SIGKILL from outside if it is time; schedule the next round."""
        assert self._ending is not None
        assert found.claim is not None
        now = self._host.monotonic_s()
        self._wake(now + AGAIN_S)
        if now < self._ending.kill_at:
            return []
        members = self._members(found)
        self._host.kill(members or [], found.claim)
        if found.state in ("claimed", "running"):
            overdue = now >= self._ending.kill_at + RECORD_SLACK_S
            self._host.signal_keeper(found, signal.SIGKILL if overdue else signal.SIGCONT)
        if now >= self._ending.kill_at + GIVE_UP_S:
            known = (found.agent.pid,) if found.agent else ()  # if the process table is unavailable
            survivors = known if members is None else tuple(p.pid for p in members)
            ended = found.exit if found.state == "orphaned" else None
            return self._conclude(replace(ended or Exit(self._ending.how), survivors=survivors))
        return []

    def _members(self, found: RunDescription) -> list[Process] | None:
        try:
            return self._host.members(found)
        except OSError:
            return None

    def _conclude(self, ended: Exit) -> list[Notice]:
        """Record an end that no keeper recorded; on a full disk it is only reported."""
        if self.claim is not None:
            self._host.remove_group(self.claim)
        with contextlib.suppress(OSError):
            self._host.write_exit(self.run_id, ended)
        return [RunEnded(self.run_id, ended)]

    # -- small things

    def _wake(self, at: float) -> None:
        self.look_at = at if self.look_at is None else min(self.look_at, at)

    def _is_of_another_boot(self, claim: RunClaim) -> bool:
        return is_of_another_boot(self._host, claim)


def is_of_another_boot(host: Host, claim: RunClaim) -> bool:
    """Return whether the claim is certainly of another boot; without a boot id it may be of this
    one.
    """
    now = host.boot_id()
    return bool(claim.boot_id and now) and claim.boot_id != now
