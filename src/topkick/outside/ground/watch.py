"""The decisions about one run: launch it or give it up, adopt it, follow it, end it, conclude it.

Everything here can be derived again from the run's directory and from what lives.
"""

import contextlib
import signal
from dataclasses import dataclass, replace

from topkick.outside.ground.host import Host
from topkick.outside.ground.notices import Active, Ended, Notice
from topkick.outside.ground.ps import Process
from topkick.outside.ground.run_dir import Claim, Description, Exit, How, Placement

LAUNCH_LIMIT_S = 5.0
LAUNCHES = 3
STOP_SLACK_S = 5.0
RECORD_SLACK_S = 2.0  # how long a keeper whose tree we killed may take to say so
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
    """`look_at` is when to look at the run again, on the monotonic clock; None if never.

    Without a placement it is only followed or ended, and never launched.
    """

    def __init__(self, host: Host, run_id: str, placement: Placement | None = None) -> None:
        self._host = host
        self.run_id = run_id
        self._placement = placement
        self.look_at: float | None = host.monotonic_s()
        self.limits = host.limits(run_id)
        self.claim: Claim | None = None
        self.trouble = ""
        self._wired = host.listen(run_id)
        self._active = False
        self._is_taken = False  # a keeper has said so
        self._launches = 0
        self._launch_at = host.monotonic_s()
        self._pause_s = 0.01
        self._late_at: float | None = None
        self._ending: _Ending | None = None

    # -- what is heard of it

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
        """A keeper that could not write its claim has failed as little as the run has."""
        self._launches = 0
        self.trouble = (
            f"The order {self.run_id} cannot be claimed: no room to write or open a file."
        )

    def look_now(self) -> None:
        self.look_at = self._host.monotonic_s()

    def launcher_died(self) -> None:
        """What it was asked for may never come."""
        if self.claim is None and self._launches:
            self.look_now()

    def _activate(self) -> list[Notice]:
        if self._active:
            return []
        self._active = True
        return [Active(self.run_id)]

    # -- looking

    def look(self) -> list[Notice]:
        """An `Ended` among what is returned is the last word on this run."""
        found = self._host.describe(self.run_id)
        begun = self._is_taken or self.claim is not None or self._active
        if found.state == "absent" and begun:  # its files are gone: it is never begun again
            found = Description("lost", claim=self.claim)
        self.claim = found.claim
        self.look_at = None
        if found.state != "absent":
            self.trouble = ""
        match found.state:
            case "exited":
                assert found.exit is not None
                return [Ended(self.run_id, found.exit)]
            case "absent":
                self._begin_or_revoke()
                return []
            case "claimed" | "running":
                return self._look_kept(found)
            case "lost" | "orphaned":
                return self._look_unkept(found)

    def begin(self) -> None:
        """Write the order down and have it launched, unless somebody has the run already."""
        assert self._placement is not None
        try:
            self._host.prepare(self.run_id, self._placement)
        except OSError as error:  # a full disk: the intent is durable, and there is no hurry
            self._try_again(f"The order {self.run_id} cannot be written down", error)
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
        """Ask for a keeper, again if none has claimed the run in time; at last give it up."""
        now = self._host.monotonic_s()
        if now < self._launch_at:  # what the last keeper died of may pass
            self._wake(self._launch_at)
            return
        if self._launches < LAUNCHES and self._host.launch(self.run_id):
            self._launches += 1
            self._launch_at = now + TRY_AGAIN_S
            self.look_at = now + LAUNCH_LIMIT_S
            return
        why = f"no keeper could take it: see {self._host.launcher_log} and keeper.log"
        self._revoke("cannot_start", why)

    def _revoke(self, how: How, why: str) -> bool:
        """See to it that it never starts; without room on the disk, in a moment."""
        try:
            revoked = self._host.revoke(self.run_id, how, why)
        except OSError as error:
            self._try_again(f"The order {self.run_id} cannot be taken back", error)
            return False
        self.trouble = ""
        self.look_now()
        return revoked

    def _try_again(self, what: str, error: OSError) -> None:
        self.trouble = f"{what}: {error.strerror or error}."  # drafts have ever new names
        self.look_at = self._host.monotonic_s() + TRY_AGAIN_S

    def _look_kept(self, found: Description) -> list[Notice]:
        now = self._host.monotonic_s()
        notices = self._activate() if self._shows_life() else []
        self._see_to_the_deadline(found, now)
        if not self._active:
            self._wake(now + FIRST_SIGN_S)
        if not self._wired:  # its writer is gone: the lock follows in a moment
            self._wake(now + self._pause_s)
            self._pause_s = min(self._pause_s * 2, ORPHAN_EVERY_S)
        if self._ending is not None:
            self._wake(max(self._ending.kill_at, now + AGAIN_S))
            if now >= self._ending.kill_at:
                notices += self._force(found)
        return notices

    def _see_to_the_deadline(self, found: Description, now: float) -> None:
        """Keepers do, unless they hang."""
        self._learn_when_late(now)
        if self._late_at is None or self._ending is not None:
            return
        self._wake(self._late_at)
        if now >= self._late_at:
            self._too_late(found)

    def _too_late(self, found: Description) -> None:
        self._end("deadline", LEFTOVER_GRACE_S)
        self._host.ask(self._members(found) or [])

    def _learn_when_late(self, now: float) -> None:
        """Counted from the first sign of the keeper, as the wall clock may jump."""
        if self._late_at is None and self.limits and self.limits.deadline_s is not None:
            self._late_at = now + self.limits.deadline_s + self.limits.grace_s + LATE_S

    def _shows_life(self) -> bool:
        if self._active:
            return True
        if self.claim and self._host.time_s() - self.claim.claimed_at >= FIRST_SIGN_S:
            return True
        return self._host.has_output(self.run_id)

    def _look_unkept(self, found: Description) -> list[Notice]:
        """No keeper: follow the agent while it lives, then see that nothing of it is left.

        If its end is recorded although it lives, the record was forged or the keeper gave up: it
        is not followed but ended, and only then does the record count.
        """
        if found.claim is None or self._is_of_another_boot(found.claim):
            return [Ended(self.run_id, found.exit or Exit("lost"))]
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

    def _lives(self, found: Description) -> bool:
        try:
            return found.agent is not None and self._host.lives(found.agent)
        except OSError:
            return True

    def _follow(self, found: Description, pid: int) -> None:
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

    def _ask_keeper(self, found: Description, grace_s: float, why: str) -> None:
        patience_s = grace_s + STOP_SLACK_S
        try:
            self._host.write_stop(self.run_id, grace_s, why)
        except OSError:  # a full or read-only disk: the keeper keeps its own grace, we do not
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

    def _force(self, found: Description) -> list[Notice]:
        """One round of SIGKILL from outside, if it is time; the next one a moment later."""
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
            known = (found.agent.pid,) if found.agent else ()  # if nobody tells us who lives
            survivors = known if members is None else tuple(p.pid for p in members)
            ended = found.exit if found.state == "orphaned" else None
            return self._conclude(replace(ended or Exit(self._ending.how), survivors=survivors))
        return []

    def _members(self, found: Description) -> list[Process] | None:
        try:
            return self._host.members(found)
        except OSError:
            return None

    def _conclude(self, ended: Exit) -> list[Notice]:
        """Record an end that no keeper recorded; without room on the disk it is reported only."""
        if self.claim is not None:
            self._host.remove_group(self.claim)
        with contextlib.suppress(OSError):
            self._host.write_exit(self.run_id, ended)
        return [Ended(self.run_id, ended)]

    # -- small things

    def _wake(self, at: float) -> None:
        self.look_at = at if self.look_at is None else min(self.look_at, at)

    def _is_of_another_boot(self, claim: Claim) -> bool:
        return is_of_another_boot(self._host, claim)


def is_of_another_boot(host: Host, claim: Claim) -> bool:
    """Certainly of another boot; what does not say which may be of this one."""
    now = host.boot_id()
    return bool(claim.boot_id and now) and claim.boot_id != now
