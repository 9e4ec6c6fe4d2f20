"""One epic on two hosts that share its files by a branch: one acts, the other does nothing."""

from dataclasses import replace

import pytest
from epic_world import EPIC, PATH, Branch, Crash, World, body, dispatch, fix, row, task, verdict

from rig import SETTINGS
from topkick.engine.effects import Came, Share, Upshot

ONE = "tasks/t-1.md"
SHARED = replace(SETTINGS, epic=replace(EPIC, share="origin/epics"))
pytestmark = pytest.mark.spec("EP-03")


class Willing(list[str]):
    """Planner and verifier as one would hope, whenever they are asked."""

    def __init__(self, world: World, planned: str = dispatch("t-1")) -> None:
        super().__init__()
        self._world, self._planned = world, planned

    def pop(self, _at: int = 0) -> str:  # type: ignore[override]
        is_planner = self._world.asked[-1].startswith("planner")
        return self._planned if is_planner else verdict("PASS")


def host(name: str, remote: Branch, planned: str = dispatch("t-1")) -> World:
    settings = replace(SHARED, epic=replace(SHARED.epic, host=name))
    world = World({PATH: body(row("t-1"), row("t-2", "paused"))}, settings, remote=remote)
    world.files[ONE] = task("t-1")
    remote.files = remote.files or dict(world.files)
    world.level = dict(world.files)
    world.missions = 10 * (name == "there")
    world.answers = Willing(world, planned)
    return world


@pytest.fixture
def pair() -> tuple[World, World]:
    remote = Branch()
    return host("here", remote), host("there", remote)


def test_what_one_host_did_the_other_knows_and_leaves_alone(pair: tuple[World, World]) -> None:
    here, there = pair
    assert here.tick() == "dispatch t-1 to claude"
    before = there.remote.files[PATH]
    assert there.tick() == "waits for t-1"
    assert there.remote.files[PATH] == before, "an idle tick is nobody else's business"
    assert (there.asked, there.sent) == ([], [])
    here.come_back("t-1")
    assert there.tick() == "waits for t-1"
    here.tick()
    there.tick()
    assert there.epic.items[0].status == "ready_for_user_review"


def test_who_loses_the_push_does_nothing(pair: tuple[World, World]) -> None:
    """Both have asked; the other one was quicker."""
    here, there = pair
    answers = here.answers

    class Slow(Willing):
        def pop(self, _at: int = 0) -> str:  # type: ignore[override]
            there.tick()
            return answers.pop()

    here.answers = Slow(here)
    assert here.tick().startswith(f"another host changed {ONE} meanwhile")
    assert here.mission.ended is not None
    assert here.mission.ended.done, "that is no failure"
    assert (here.sent, there.sent) == ([], ["worker t-1"])
    assert here.classes == [], "nothing of it stands anywhere"
    here.answers = answers
    assert here.tick() == "waits for t-1"
    assert here.epic.items[0].host == "there"


def test_children_that_another_host_filed_are_here_before_anybody_is_asked() -> None:
    remote = Branch()
    here, there = host("here", remote, fix("t-1", "Mend the tool")), host("there", remote)
    del there.files[ONE]
    here.tick()
    there.answers = Willing(there, dispatch("epic-1-1"))
    there.tick()
    assert there.sent == ["worker epic-1-1"]
    assert set(there.files) == {PATH, ONE, "tasks/epic-1-1.md"}


def died(world: World) -> None:
    raise Crash


@pytest.mark.parametrize("planned", [dispatch("t-1"), fix("t-1", "Mend the tool")])
@pytest.mark.parametrize("overtaken", [False, True])
def test_killed_between_the_push_and_the_journal_it_is_done_once(
    planned: str, overtaken: bool
) -> None:
    remote = Branch()
    here, there = host("here", remote, planned), host("there", remote, dispatch("t-2"))
    here.on_push = died
    with pytest.raises(Crash):
        here.tick()
    here.restart()
    if overtaken:
        remote.files[PATH] = remote.files[PATH].replace("| paused |", "| queued |")
        there.files["tasks/t-2.md"] = task("t-2")
        assert there.tick() == "dispatch t-2 to claude"
    here.tick()
    assert here.asked == ["planner epic-1"]
    is_fix = planned != dispatch("t-1")
    assert here.sent == ([] if is_fix else ["worker t-1"])
    assert ("tasks/epic-1-1.md" in remote.files, "tasks/epic-1-2.md" in remote.files) == (
        is_fix,
        False,
    )
    assert here.classes.count("verdict_fail") == 0


def test_taken_back_by_a_person_before_it_began_it_does_not_begin(
    pair: tuple[World, World],
) -> None:
    """Killed after the push; elsewhere it counts as stale and goes out once more."""
    here, there = pair
    here.on_push = died
    with pytest.raises(Crash):
        here.tick()
    here.restart()
    lines = here.remote.files[PATH].split("\n")
    mine = next(n for n, line in enumerate(lines) if "m1-" in line)
    lines[mine] = row("t-1")
    here.remote.files[PATH] = "\n".join(lines)
    assert there.tick() == "dispatch t-1 to claude"
    here.tick()
    assert (here.sent, there.sent) == ([], ["worker t-1"])


@pytest.mark.parametrize("lands", [False, True])
@pytest.mark.parametrize("planned", [dispatch("t-1"), fix("t-1", "Mend the tool")])
def test_a_push_of_which_nobody_knows_whether_it_landed(planned: str, lands: bool) -> None:
    """The line broke: the next tick looks what stands there before it goes on."""
    here = host("here", Branch(), planned)
    real = here._share

    def share(errand_id: str, asked: Share) -> Upshot:
        if not asked.edits:
            return real(errand_id, asked)
        files, level, there = dict(here.files), dict(here.level), dict(here.remote.files)
        real(errand_id, asked)
        here.files, here.level, here._share = files, level, real  # type: ignore[method-assign]
        here.remote.files = here.remote.files if lands else there
        return Upshot(Came.FAILED, "the line broke")

    here._share = share  # type: ignore[method-assign]
    assert here.tick() == "the line broke"
    assert here.sent == []
    here.tick()
    assert here.asked == ["planner epic-1"], "an answer is not asked for twice"
    is_fix = planned != dispatch("t-1")
    assert here.sent == ([] if is_fix else ["worker t-1"])
    assert "tasks/epic-1-2.md" not in here.remote.files
    assert len(here.classes) == 1


def test_without_the_remote_nothing_is_asked_and_nothing_sent(pair: tuple[World, World]) -> None:
    here, _ = pair
    here.remote.down = True
    assert here.tick() == "the remote is down"
    assert (here.asked, here.sent) == ([], [])
    here.remote.down = False
    assert here.tick() == "dispatch t-1 to claude"


def test_killed_after_any_record_while_another_host_ticks() -> None:
    """To the review surface, with every item sent once and nothing left behind."""
    after = 0
    while True:
        remote = Branch()
        here, there = host("here", remote), host("there", remote)
        here.crash_after = after
        for _ in range(5):
            for world in (here, there):
                try:
                    world.tick()
                except Crash:
                    world.restart()
            for world in (here, there):
                item = world.epic.items[0]
                if item.status == "in_progress" and item.dispatch in world.states:
                    world.come_back("t-1")
        sent = [*here.sent, *there.sent]
        assert sent == ["worker t-1"], (after, sent)
        assert here.epic.items[0].status == "ready_for_user_review", after
        assert here.files == there.files == remote.files
        if here.crash_after is not None:
            break
        after += 1
    assert after > 30
