"""The rules for boards (KB), from the specification: which role is next, its prompt, and the
end.
"""

import json
from collections.abc import Callable, Mapping
from hashlib import sha256

from proof.simulation.files import reading
from proof.simulation.files.oracle import FileOracle, Order, nobodys_fault, went_well
from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.agents.program import Conclusion

RETRIES = 3
LIMIT_REST_US = 1_800_000_000
ROUNDS = 3
STATUSES = ("ok", "blocked", "error", "escalate")
BY_PHASE: Mapping[str, str] = {
    "design": "Architect",
    "plan": "Manager",
    "execute": "Implementor",
    "validate": "Architect",
}


class BoardOracle(FileOracle):
    """Checks a board; `due_subject` must be asked next if the board does not decide, with exactly
    `due_prompt` if set.
    """

    def __init__(
        self, now_s: Callable[[], float], hear: Callable[[str], Evidence], board: str
    ) -> None:
        super().__init__(now_s, hear)
        self._board = board
        self._due_subject = self._due_prompt = ""
        self._tries = 0
        self._asked_at_us: dict[str, int] = {}
        self._used_s, self._limit_s = 0, float("inf")
        self._said, self._said_null = "", False
        self._rounds, self._round_key, self._round_over = 0, "", True
        self._gives_up = False
        self._not_before_us = 0
        self._rests = False

    # --- orders ----------------------------------------------------------------------------

    def opened_order(self, order: Order, at_us: int) -> None:
        self._asked_at_us[order.id] = at_us
        waits_s = (self._not_before_us - at_us) / 1e6
        self.require(waits_s <= 0, "DP-09", f"asked {waits_s:.0f} s before the limit is over")
        out = [o.id for o in self.out() if o is not order]
        self.require(not out, "KB-02", f"{order.id} is dispatched while {out} is at work")
        if self._due_prompt:
            same = (order.subject, order.prompt) == (self._due_subject, self._due_prompt)
            self.require(
                same, "KB-04", f"{order.subject} is asked, and not as {self._due_subject} was"
            )
            self._due_prompt = ""
        elif self._due_subject:
            right = order.subject == self._due_subject
            self.require(
                right, "KB-08", f"{order.subject} is asked, and due is {self._due_subject}"
            )
        else:
            self._as_the_board_says(order)

    def _as_the_board_says(self, order: Order) -> None:
        text = self.seen[self._board]
        named = reading.front(text)
        task = named.get("current", "")
        header = reading.front(self.seen.get(task, ""))
        role = header.get("assignee") or header.get("role", "")
        role = role or BY_PHASE.get(named.get("phase", ""), "Implementor")
        right = order.subject == f"{role} {task}"
        self.require(right, "KB-02", f"{order.subject} is asked, the board says {role} {task}")
        self.require(not _complete(text), "KB-02", "the board is complete, and somebody is asked")
        self.require(not self._said_null, "KB-05", "the Manager saw no next task")
        if order.role == "Manager":
            self._due_subject = order.subject
        if self._round_over:
            key = sha256(text.encode()).hexdigest()
            self._rounds = self._rounds + 1 if key == self._round_key else 1
            self._round_key, self._round_over = key, False
            self.require(self._rounds <= ROUNDS, "KB-06", f"round {self._rounds} on the same board")

    # --- answers ---------------------------------------------------------------------------

    def heard(self, order: Order, evidence: Evidence, at_us: int) -> None:
        self._due_prompt, self._gives_up = "", False
        self.require(not order.ended_for_others, "KB-08", f"{order.id} is judged, and was stopped")
        self._rests = nobodys_fault(order, evidence)
        if self._rests:
            self._nobody_answered(order)
            self._not_before_us = _limit_ends_us(evidence, at_us)
            return
        answer = _answer(evidence)
        good = went_well(order) and _fits(answer, order.role == "Manager")
        if not good:
            self._tries += 1
            self._due_subject, self._due_prompt = order.subject, order.prompt
            self._gives_up = self._tries > RETRIES or self._is_late(order, at_us)
            return
        self._tries = self._used_s = 0
        if order.role == "Manager":
            self._due_subject, self._round_over = "", True
            self._said, self._said_null = answer["status"], answer["next_task"] is None
        else:
            self._due_subject = f"Manager {order.about}"

    def _is_late(self, order: Order, at_us: int) -> bool:
        """Return whether the time limit of one order, over all its tries, is used up."""
        self._used_s += (at_us - self._asked_at_us[order.id]) // 1_000_000
        ended = order.exit is not None and order.exit.how.value == "deadline"
        return ended or self._used_s >= self._limit_s

    def stepped(self, fact: h.Fact, events: tuple[h.Event, ...]) -> None:
        """Check that a bad answer is requested again at once, at most three times."""
        at_once = self._rests and any(isinstance(e, h.RunOpened) for e in events)
        self.require(not at_once, "DP-09", "nobody's fault, and asked again at once")
        self._rests = False
        if not isinstance(fact, h.WorkChecked) or not (self._due_prompt or self._gives_up):
            return
        ends = any(isinstance(e, h.MissionEnded) for e in events)
        self.require(ends == self._gives_up, "KB-04", f"after {self._tries} bad answers: {ends}")
        self.require(self._gives_up, "KB-04", f"{self._due_subject} is not asked again")

    def closed(self, order: Order) -> None:
        if order.ended_for_others or (order.exit is not None and order.exit.how.value == "stopped"):
            self._nobody_answered(order)

    def _nobody_answered(self, order: Order) -> None:
        """Handle a missing answer: the Manager must still be informed, other roles follow the
        board.
        """
        self._due_prompt = ""
        if order.role != "Manager":
            self._due_subject = ""

    def told(self, command: h.Command) -> None:
        if isinstance(command, h.Start | h.Resume):
            self._tries = self._rounds = self._not_before_us = self._used_s = 0
            if command.settings is not None:
                self._limit_s = command.settings.sprint_timeout_s
            self._round_key = ""
            self._due_prompt = ""
            if isinstance(command, h.Resume) and self._said_null:
                self._said_null = False
            if self._due_subject and not self._due_subject.startswith("Manager "):
                self._due_subject = ""  # the board decides the next role

    def ended(self, done: bool, why: str) -> None:
        if not done:
            return
        self.require(
            _complete(self.seen.get(self._board, "")), "KB-05", f"done, and it is not: {why}"
        )
        agreed = not self._said_null or self._said == "ok"
        self.require(agreed, "KB-05", f"done, and the Manager says {self._said}")


def _limit_ends_us(evidence: Evidence, at_us: int) -> int:
    report = evidence.report
    if report is None or report.conclusion is not Conclusion.USAGE_LIMIT:
        return 0
    return report.resets_at_us or at_us + LIMIT_REST_US


def _complete(text: str) -> bool:
    named = reading.front(text)
    return named.get("phase") == "complete" or named.get("current") in {"null", ""}


def _answer(evidence: Evidence) -> dict[str, object]:
    try:
        found = json.loads((evidence.answer.body or "") if evidence.answer else "")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _fits(answer: dict[str, object], manages: bool) -> bool:
    fits = answer.get("status") in STATUSES and bool(answer.get("message"))
    if not manages:
        return fits
    following = answer.get("next_task", 0)
    names_one = following is None or isinstance(following, str)
    return fits and names_one and isinstance(answer.get("tasks"), list)
