"""Epics through thousands of ticks with whatever may happen, and a crash after every record."""

import json
import random
from collections.abc import Callable

import pytest
from epic_world import EPIC, NEW, PATH, Crash, World, dispatch, fix, halt, verdict

from topkick.core import happenings as h
from topkick.policies.epic.brake import braked
from topkick.policies.epic.memory import MOST_ROWS


def subtasks(*titles: str) -> str:
    made = [{"title": title, "body": "Do it.", "criteria": ["it works"]} for title in titles]
    return json.dumps({"action": "decompose", "subtasks": made})


SUBTASKS = subtasks("One", "Two", "Three")
TWO = subtasks("One", "Verify: one")
MESS = ("", "no idea", "CRASH", "[]", '{"verdict": "MAYBE"}', fix("nobody"), dispatch("nobody"))


# --- whatever may happen ---------------------------------------------------------------------


def answer_to(chance: random.Random, world: World, role: str, item: str) -> str:
    """Mostly what fits, sometimes what does not."""
    if chance.random() < 0.07:
        return chance.choice(MESS)
    if role == "verifier":
        said = [("PASS",), ("PASS",), ("PASS",), ("FAIL", "red"), ("REVISE", "cannot tell")]
        return verdict(*chance.choice(said))
    epic = world.epic
    if not epic.items:
        return SUBTASKS
    if item != "epic-1":
        return chance.choice([dispatch(item), fix(item), halt("blocked", "no licence")])
    queued = [i.id for i in epic.items if i.status == "queued" and epic.is_ready(i)]
    named = chance.choice(queued) if queued else "nobody"
    return halt() if chance.random() < 0.05 else dispatch(named, "claude")


class Chancy(list[str]):
    """Answers made when they are asked for: what to say depends on who is asked."""

    def __init__(self, chance: random.Random, world: World) -> None:
        super().__init__()
        self._chance, self._world = chance, world

    def pop(self, _at: int = 0) -> str:  # type: ignore[override]
        role, _, item = self._world.asked[-1].partition(" ")
        return answer_to(self._chance, self._world, role, item)


def people_and_workers(chance: random.Random, world: World) -> None:
    """Between two ticks."""
    for item in world.epic.items:
        working = item.status == "in_progress" and world.states.get(item.dispatch) == "running"
        if working and chance.random() < 0.7:
            world.come_back(item.id, chance.choice(["branch", "branch", ""]))
    epic = world.epic
    if epic.status in {"ready", "review", "blocked"} and chance.random() < 0.7:
        world.edit(f"status: {epic.status}", "status: queued")
    if chance.random() < 0.05:
        world.edit("What a person wrote stays.", "What a person wrote stays. And this.")
    if chance.random() < 0.03:
        world.lose_journal()


@pytest.mark.spec("EP-10", "EP-20", "EP-22", "EP-03")
def test_a_thousand_ticks_of_whatever_may_happen():
    chance, ticks, halts, ends = random.Random(11), 0, 0, 0
    while ticks < 1000:
        world = World({PATH: NEW})
        world.answers = Chancy(chance, world)
        for _ in range(30):
            people_and_workers(chance, world)
            asked, sent, files = len(world.asked), len(world.sent), len(world.files)
            before = world.epic
            stops = braked(before, world.at_us, EPIC.stalled_s) is not None
            world.tick()
            ticks += 1
            assert len(world.asked) - asked <= 1, "one subagent a tick"
            assert len(world.sent) - sent <= 1
            assert len(world.epic.rows) <= MOST_ROWS
            assert world.files[PATH].count("What a person wrote stays.") == 1
            if stops and before.status == "in_progress":
                assert len(world.asked) == asked, "nobody is asked where the brake fires"
                assert (len(world.sent), len(world.files)) == (sent, files)
                halts += 1
            given = [i.dispatch for i in world.epic.items if i.dispatch]
            assert len(set(given)) == len(given), "two rows of one dispatch"
            ends += world.epic.status == "ready_for_user_review"
            if world.epic.status == "ready_for_user_review":
                break
        assert len(world.states) == len(world.asked) + len(world.sent), "a dispatch was doubled"
    assert halts > 10
    assert ends > 3


# --- a crash after every record --------------------------------------------------------------


def told(world: World, answers: list[str], come_back: bool) -> None:
    world.answers = answers
    world.tick()
    if come_back:
        name = next(i.id for i in world.epic.items if i.status == "in_progress")
        world.come_back(name)


def whole(world: World, run: Callable[[World, list[str], bool], None] = told) -> None:
    """From nothing to the review surface."""
    run(world, [TWO], False)
    world.edit("status: ready", "status: queued")
    for n in (1, 2):
        run(world, [dispatch(f"epic-1-{n}")], True)
        run(world, [verdict("FAIL", "red") if n == 2 else verdict("PASS")], False)
        if n == 2:
            run(world, [dispatch("epic-1-2", command="Look again.")], True)
            run(world, [verdict("PASS")], False)
    run(world, [], False)


class Cut:
    """Runs ticks, and lets the supervisor die after one record of all that they write."""

    def __init__(self, after: int) -> None:
        self.left: int | None = after

    def __call__(self, world: World, answers: list[str], come_back: bool) -> None:
        world.answers, world.crash_after = answers, self.left
        ends = ended(world)
        try:
            world.tick()
        except Crash:
            world.restart()
            if ended(world) == ends:  # else it died when all was done
                world.tick()
        self.left, world.crash_after = world.crash_after, None
        if come_back:
            name = next(i.id for i in world.epic.items if i.status == "in_progress")
            world.come_back(name)


def ended(world: World) -> int:
    return sum(isinstance(x, h.MissionEnded) for x, _ in world.records)


@pytest.mark.spec("EP-03")
def test_killed_after_any_record_it_goes_on_and_nothing_is_asked_or_sent_twice():
    calm = World({PATH: NEW})
    whole(calm)
    assert calm.epic.status == "ready_for_user_review"
    after = 0
    while True:
        world, cut = World({PATH: NEW}), Cut(after)
        whole(world, cut)
        assert (world.asked, world.sent) == (calm.asked, calm.sent), after
        assert world.epic.status == "ready_for_user_review"
        assert sorted(world.files) == sorted(calm.files)
        if cut.left is not None:  # it outlived them all
            break
        after += 1
    assert after > 60
