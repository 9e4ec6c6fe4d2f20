"""A run of a board on every page that shows runs: at work, stopping, limited, ended, retried."""

import json
from collections.abc import Iterator

import pytest
from kanban_stage import Asked, Reply, World, limited, through, two_tasks, work

from topkick.app.run_view import View
from topkick.cli.viewer import page as viewer_page
from topkick.engine import messages as h
from topkick.engine.codec.chain import EMPTY, Head
from topkick.engine.views import audit_trail, run_file, run_status
from topkick.sprint.blockers.unit import needs
from topkick.sprint.model import Mission
from topkick.sprint.views import event_log, status, status_json
from topkick.sprint.views.blocker_lines import words
from topkick.sprint.views.status import Situation

BOTH = through("1-design", "2-build")
STEERS = "\x1b[31m</b>[x](y) | \u202e"


def pages(mission: Mission) -> Iterator[str]:
    """Each of them, whole; none may fail, whatever the run is at."""
    now = Situation(mission.at_us, None)
    yield "\n".join(run_status.lines(mission, now))
    yield run_file.render(mission, EMPTY, mission.at_us)
    yield json.dumps(json.loads(status_json.as_json(mission, now)))
    yield status.headline(mission, mission.at_us)
    view = View(mission, Head(0, ""), None, 0, mission.at_us)
    yield viewer_page.footer(view)
    viewer_page.page(view, ("an event",), 80, 20)
    yield "\n".join(f"{words(n)} {o.command}" for n in needs(mission) for o in n.offers)


def while_at_work(command: h.Command | None = None) -> list[str]:
    """Return the pages while the first agent works."""
    seen: list[str] = []

    def play(world: World, asked: Asked) -> Reply:
        if not seen:
            if command is not None:
                world.tell(h.CommandGiven(command))
            seen.extend(pages(world.rig.mission))
        return work(world, asked) if asked.role != "Manager" else BOTH(world, asked)

    two_tasks(play).run()
    return seen


@pytest.mark.spec("KB-10")
def test_who_is_asked_now_is_shown():
    told, board, for_programs, *_ = while_at_work()
    assert "Architect tasks/1-design.md (m-1): scripted mid" in told
    assert "- Asked now: Architect tasks/1-design.md as m-1" in board
    (agent,) = json.loads(for_programs)["active_agents"]
    assert agent["handle"].endswith("Architect tasks/1-design.md")


def test_a_stop_is_shown():
    told, board, *_ = while_at_work(h.Stop())
    assert "stopping: stopped by a person" in told
    assert "- Status: stopping" in board


def test_a_limit_is_shown_with_its_end():
    world = two_tasks(lambda *_: limited(3_600_000_000)).run()
    told, *_ = pages(world.rig.mission)
    assert "waits until 1970-01-01T01:00:00Z: usage limit of scripted: five hours" in told


@pytest.mark.spec("KB-04")
def test_retries_and_the_end_are_shown_and_nothing_steers_the_terminal():
    world = two_tasks(lambda *_: Reply(f"no JSON {STEERS}")).run()
    told, board, *others = pages(world.rig.mission)
    assert "topkick kanban run tasks/0-kanban-lexer.md" in told
    assert board.count("### [") == 3
    assert "**Attempt:** 2/3" in board
    for page in (told, board, others[1]):
        assert "\x1b" not in page
        assert "\u202e" not in page
    assert "topkick schema kanban-worker" in board


@pytest.mark.spec("KB-10")
def test_an_explanation_names_each_fact_with_its_record_and_rule():
    world = two_tasks(BOTH).run()
    happened = [(n, at, x) for n, (x, at) in enumerate(world.rig.records, start=1)]
    every = audit_trail.links(happened)
    assert [link.seq for link in every] == sorted(link.seq for link in every)
    told = "\n".join(audit_trail.render(world.rig.mission, every, 0))
    assert "tasks/0-kanban-lexer.md was read [KB-02]" in told
    assert "Architect tasks/1-design.md (m-1): its answer was read" in told
    about = audit_trail.links(happened, "2-build")
    assert about
    assert all("2-build" in link.what for link in about)
    assert audit_trail.as_json(world.rig.mission, about)["overall"] == "completed"


def test_the_story_of_a_run_is_told_without_units():
    world = two_tasks(BOTH).run()
    lines = [event_log.line(world.rig.mission, x) for x, _ in world.rig.records]
    told = [line for line in lines if line]
    assert told[1:4] == [
        "kanban: Lexer",
        "at work (started by a person)",
        "m-1: dispatched to scripted (mid) as m-1",
    ]
    assert told[-1] == "done: the Manager names no next task, and the board is complete"
    assert any("answered ok: it is ok" in line for line in told)
