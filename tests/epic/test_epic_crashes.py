"""An epic from its goal to its review surface, with a crash after every record."""

import json
from collections.abc import Callable

import pytest
from epic_world import NEW, PATH, Crash, World, dispatch, verdict

from topkick.engine import messages as h


def subtasks(*titles: str) -> str:
    made = [{"title": title, "body": "Do it.", "criteria": ["it works"]} for title in titles]
    return json.dumps({"action": "decompose", "subtasks": made})


TWO = subtasks("One", "Verify: one")


def told(world: World, answers: list[str], come_back: bool) -> None:
    world.answers = answers
    world.tick()
    if come_back:
        name = next(i.id for i in world.epic.items if i.status == "in_progress")
        world.come_back(name)


def whole(world: World, run: Callable[[World, list[str], bool], None] = told) -> None:
    """Take the epic from its title to the review surface."""
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
