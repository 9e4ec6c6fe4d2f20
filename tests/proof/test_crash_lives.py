"""Findings of the crash harness about agents that were given up, doubled or found again."""

from proof.crash import lives
from proof.crash.lives import Ended
from proof.crash.observer import begun_too_often, tracebacks
from proof.crash.place import Noted


def _noted(*said: tuple[str, str, float]) -> list[Noted]:
    return [Noted(what, run, "u", "1", int(run[1:]), at_s) for what, run, at_s in said]


ONE = _noted(("start", "r1", 1.0), ("end", "r1", 2.0))
TWO = _noted(("start", "r1", 1.0), ("start", "r2", 1.5), ("end", "r1", 2.0), ("end", "r2", 3.0))


def _adopted(noted: list[Noted], ended: Ended, *, keeper_died: bool = False) -> int:
    return lives.adopted(("r1",), noted, {"r1": ended}, keeper_died=keeper_died)


def test_an_agent_is_adopted_whose_own_end_was_recorded() -> None:
    assert _adopted(ONE, Ended(2.1, "exited")) == 1
    assert _adopted(ONE[:1], Ended(2.1, "exited")) == 0, "it never came to its end"
    assert _adopted(TWO, Ended(2.1, "exited")) == 0, "its work was given out again meanwhile"


def test_one_is_lost_only_if_nobody_was_left_to_see_its_end() -> None:
    assert _adopted(ONE, Ended(2.1, "lost")) == 0
    assert _adopted(ONE, Ended(2.1, "lost"), keeper_died=True) == 1
    assert _adopted(ONE, Ended(1.7, "lost"), keeper_died=True) == 0, "it worked on"


def test_an_end_that_is_recorded_of_a_living_agent_is_found() -> None:
    assert not [*lives.given_up(ONE, {"r1": Ended(2.0, "exited")})]
    found = [*lives.given_up(ONE, {"r1": Ended(1.7, "lost")})]
    assert found == ["r1 was recorded as lost 0.300 s before it ended"]


def test_two_agents_of_a_unit_at_the_same_time_are_found() -> None:
    assert [*lives.at_the_same_time(TWO)] == ["r2 began while r1 of u worked"]
    later = _noted(("start", "r2", 2.5), ("end", "r2", 3.0))
    assert not [*lives.at_the_same_time(ONE + later)]
    never_ended = ONE[:1] + later
    assert not [*lives.at_the_same_time(never_ended)]
    seen = [*never_ended, *_noted(("beside", "r2", 2.6))]
    assert [*lives.at_the_same_time(seen)] == ["r2 found another agent of u alive"]


def test_only_a_failure_that_nobody_saw_makes_one_more_start_necessary() -> None:
    failed = [*ONE, *_noted(("failed", "r1", 1.9))]
    assert lives.unseen_failures(failed, {"r1": Ended(2.1, "lost")}) == {"u/1": 1}
    assert not lives.unseen_failures(failed, {"r1": Ended(2.1, "exited")})
    assert not lives.unseen_failures(ONE, {"r1": Ended(2.1, "lost")})


def test_a_traceback_is_found_in_what_was_printed() -> None:
    assert tracebacks("the user: no traceback here\n") == []
    said = "12:00 begun\nTraceback (most recent call last):\n  File x\nKeyError: 'a'\n"
    assert tracebacks(said) == [said.partition("\n")[2]]


def test_a_job_is_counted_by_its_starts_and_not_by_its_orders() -> None:
    assert begun_too_often({"a/1": 2, "b/1": 1}, {"a/1": 1, "b/1": 1}, {}) == [
        "a/1 was begun 2 times, not 1"
    ]
    assert begun_too_often({"a/1": 4}, {"a/1": 3}, {"a/1": 1}) == []
