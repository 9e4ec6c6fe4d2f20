"""Every page that people read, against golden files; the missions come from the real kernel."""

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import made_missions
import pytest
from made_missions import Story
from markdown_it import MarkdownIt

from topkick.engine import messages as h
from topkick.engine.agents.budgets import NO_SPENDING, Spending
from topkick.engine.agents.program import NO_USAGE, Usage
from topkick.engine.codec.chain import Head, anchor_line, find_anchor
from topkick.engine.evolve import evolve
from topkick.sprint.commands import killall
from topkick.sprint.explain import stuck
from topkick.sprint.model import Mission
from topkick.sprint.transitions import SprintState, UnitState
from topkick.sprint.views import closing_lines, event_log, spending, state_file, status, status_json
from topkick.sprint.views.status import Situation
from topkick.text import format as moments

HEAD = Head(41, "ab" * 32)
MADE: dict[str, Callable[[], Story]] = {
    "at_work": made_missions.at_work,
    "blocked": made_missions.blocked,
    "killed": made_missions.killed,
    "resting": made_missions.resting,
    "completed": made_missions.completed,
    "hostile": made_missions.hostile,
    "spending": made_missions.spending,
    "spent": made_missions.spent,
    "limited": made_missions.limited,
    "gate-open": made_missions.gate_open,
    "gate-red": made_missions.gate_red,
    "gate-together": made_missions.gate_together,
    "gate-two": made_missions.gate_two,
    "gate-asks": made_missions.gate_asks,
    "gate-held": made_missions.gate_held,
    "gate-bars": made_missions.gate_bars,
    "gate-completed": made_missions.gate_completed,
    "gate-nothing-known": made_missions.gate_nothing_known,
}
Golden = Callable[[str, str], None]


def situation(made: Story, pid: int | None = 4711, agents: int = 0) -> Situation:
    return Situation(made.now_us + 5_000_000, pid, agents, doing=made.doing)


@pytest.mark.spec("RP-01")
@pytest.mark.parametrize("name", MADE)
def test_state_file(name: str, golden: Golden) -> None:
    made = MADE[name]()
    processes: dict[str, int | None] = dict.fromkeys(made.mission.runs, 4242)
    page = state_file.render(
        made.mission, HEAD, made.now_us, processes, runs_directory="/state/runs"
    )
    golden(f"boards/state-{name}.md", page)
    assert page.splitlines()[0] == anchor_line(HEAD)
    assert find_anchor(page) == HEAD


@pytest.mark.spec("RP-01")
def test_no_text_of_a_plan_makes_a_heading_or_a_row_of_its_own() -> None:
    made = MADE["hostile"]()
    page = state_file.render(made.mission, HEAD, made.now_us)
    tokens = MarkdownIt("commonmark").enable("table").parse(page)
    headings = [
        tokens[n + 1].content for n, t in enumerate(tokens) if t.tag == "h2" and t.nesting == 1
    ]
    assert headings == [
        "Plan Summary",
        "Work Units",
        "Active Agents",
        "Cross-Package Needs",
        "Decisions Log",
        "Reconciliation Status",
        "Overall Status",
    ]
    assert not any(t.type == "html_inline" for top in tokens for t in top.children or ())


@pytest.mark.spec("RP-01", "SD-02", "SD-03")
def test_a_killed_run_says_why_and_when_and_lists_no_agent() -> None:
    made = MADE["killed"]()
    left = {"parser": ("parser/draft.py",)}
    page = state_file.render(made.mission, HEAD, made.now_us, uncommitted=left)
    assert "Status: killed\nKill reason: user invoked killall\nKill timestamp: 2025-" in page
    assert "## Active Agents\n(none — all agents terminated)" in page
    assert "parser: has uncommitted work from killed Sprint 1 (parser/draft.py)" in page


@pytest.mark.spec("RP-02", "SD-06")
@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", MADE)
def test_status_page(name: str, width: int, golden: Golden) -> None:
    made = MADE[name]()
    page = status.render_text(made.mission, situation(made), width)
    golden(f"boards/status-{name}-{width}.txt", page)
    table = status.table(made.mission, made.now_us, width)
    assert all(len(line) <= width for line in table)


@pytest.mark.spec("RP-02", "SM-01")
@pytest.mark.parametrize("name", MADE)
def test_only_formal_states_are_shown(name: str) -> None:
    made = MADE[name]()
    for row in status.rows(made.mission, made.now_us):
        assert row.state in set(UnitState)
        assert row.sprint_state in {"—", *SprintState}


@pytest.mark.spec("SM-03")
def test_the_attempt_shown_never_exceeds_the_limit() -> None:
    made = MADE["blocked"]()
    row = status.rows(made.mission, made.now_us)[0]
    assert (row.handle, row.sprint_state, row.attempt) == ("U1/2", "FATAL", "3/3")


@pytest.mark.spec("SD-05")
def test_a_dead_supervisor_is_said_with_the_agents_that_work_on() -> None:
    made = MADE["at_work"]()
    page = status.render_text(made.mission, situation(made, pid=None, agents=2))
    assert "The supervisor is dead; 2 agents still working; topkick resume" in page
    alive = status.render_text(made.mission, situation(made, agents=2))
    assert "dead" not in alive


@pytest.mark.spec("RP-02")
@pytest.mark.parametrize("name", MADE)
def test_status_as_json(name: str, golden: Golden) -> None:
    made = MADE[name]()
    page = status_json.as_json(made.mission, situation(made))
    golden(f"boards/status-{name}.json", page)
    assert json.loads(page)["schema"] == "topkick.status/1"


@pytest.mark.spec("DP-10")
def test_a_cost_that_nobody_tells_is_not_nothing() -> None:
    made = MADE["spending"]()
    spent = Spending(NO_USAGE, busy_us=60_000_000)
    mission = evolve(made.mission, spent=spent)
    page = status.render_text(mission, situation(made), 120)
    assert "· no cost reported yet, of $5.00\n" in page
    assert "Spent: no cost reported yet, of $5.00" in page
    fresh = evolve(mission, spent=NO_SPENDING)
    assert "· $0.00 of $5.00\n" in status.render_text(fresh, situation(made), 120)


def test_status_as_json_without_a_run() -> None:
    assert json.loads(status_json.as_json(None, Situation(0)))["overall"] is None


@pytest.mark.spec("DP-10")
def test_of_a_budget_is_shown_how_much_is_gone() -> None:
    made = MADE["spending"]()
    page = status.render_text(made.mission, situation(made), 120)
    assert "· $1.20 of $5.00\n" in page
    assert "Spent: $1.20 of $5.00, 894k tokens, 13 turns; today 894k of 3.0M tokens\n" in page
    assert "12 turns, 893k tokens, $1.20 · sprint $1.20 of $2.00 · Bash: pytest -q parser" in page
    assert "\x1b" not in page
    said = json.loads(status_json.as_json(made.mission, situation(made)))
    assert said["spent"]["cost_usd"] == 1.204
    assert said["budgets"]["run"] == {"usd": 5, "tokens": None, "minutes": None}
    heard, unheard = said["active_agents"]
    assert (heard["turns"], heard["tokens"], heard["cost_usd"]) == (12, 893_200, 1.204)
    assert heard["doing"].startswith("Bash: pytest")
    assert (unheard["doing"], unheard["cost_usd"]) == (None, None)


@pytest.mark.spec("DP-10")
def test_a_run_that_its_budget_ended_says_so_and_what_to_do() -> None:
    made = MADE["spent"]()
    first, *others = closing_lines.lines(made.mission, made.now_us)
    assert ", $5.01, " in first
    assert first.endswith(" Stopped: the budget of the run: $5.01 of $5.00.")
    assert "[budget]" in others[0]


@pytest.mark.spec("DP-09")
def test_a_usage_limit_is_shown_until_when() -> None:
    made = MADE["limited"]()
    until = next(iter(made.mission.limits.values())).until_us
    page = status.render_text(made.mission, situation(made), 120)
    assert f"Orders to claude wait until {moments.day_and_clock(until)} (usage limit" in page
    (limit,) = json.loads(status_json.as_json(made.mission, situation(made)))["limits"]
    assert (limit["account"], limit["until"]) == ("claude", moments.iso(until))
    later = replace(situation(made), now_us=until + 1)
    assert "Orders to" not in status.render_text(made.mission, later, 120)


@pytest.mark.parametrize(
    ("usage", "told"),
    [
        (Usage(), ""),
        (Usage(1, 900, 0, 12), "1 turn, 912 tokens"),
        (Usage(2, 45_200, 0, 100, 420_000), "2 turns, 45k tokens, $0.42"),
        (Usage(0, 999_499, 0, 0, 400), "999k tokens, <$0.01"),
        (Usage(0, 999_500, 0, 0, 0), "1.0M tokens, $0.00"),
    ],
)
def test_what_was_used_in_short(usage: Usage, told: str) -> None:
    assert spending.used(usage) == told


@pytest.mark.spec("SD-06", "SD-03")
def test_kill_report(golden: Golden) -> None:
    made = MADE["killed"]()
    fates = (
        killall.AgentFate("parser/2", "r-1", is_dead=False, alive=(99,)),
        killall.AgentFate("printer/1", "r-2", is_dead=True, note="damaged: claim"),
        killall.AgentFate("", "r-3", is_dead=False, note="r-3/claim: No such device"),
    )
    toll = killall.Toll(3, fates, {"parser": ("parser/draft.py",)})
    golden("boards/kill-report.txt", killall.render(made.mission, toll))


def test_kill_report_without_leftovers_offers_no_choices() -> None:
    made = MADE["killed"]()
    page = killall.render(made.mission, killall.Toll(1))
    assert "uncommitted work: none" in page
    assert "git stash" not in page


@pytest.mark.parametrize("directory", [".", "pkg a", "../beside"])
@pytest.mark.parametrize("count", [1, killall.FILES_NAMED + 1])
def test_what_the_kill_report_says_to_type_puts_the_work_away(
    tmp_path: Path, directory: str, count: int
) -> None:
    made = MADE["killed"]()
    parser = made.mission.units["parser"]
    moved = replace(parser, plan=replace(parser.plan, directory=directory))
    mission = replace(made.mission, units={"parser": moved})
    (root := tmp_path / "project").mkdir()
    (place := root / directory).mkdir(exist_ok=True)
    repository = place if directory.startswith("..") else root

    def git(*words: str) -> str:
        said = subprocess.run(
            ["git", "-c", "user.name=x", "-c", "user.email=x@x", *words],
            cwd=repository, check=True, capture_output=True, text=True,
        )  # fmt: skip
        return said.stdout

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "begin")
    for number in range(count):
        (place / f"it's {number}.py").write_text("x = 1\n", encoding="utf-8")
    left = git("ls-files", "-z", "--others").split("\0")[:-1]
    page = killall.render(mission, killall.Toll(1, (), {"parser": tuple(left)}))
    typed = next(line for line in page.splitlines() if "stash" in line and "push" in line)
    env = {**os.environ, "GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x@x"}
    env |= {"GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x@x"}
    subprocess.run(["bash", "-c", typed], cwd=root, check=True, env=env)
    assert git("status", "--porcelain") == ""
    assert len(git("stash", "list").splitlines()) == 1


@pytest.mark.spec("SM-05")
def test_a_stuck_sprint(golden: Golden) -> None:
    made = MADE["blocked"]()
    unit = made.mission.units["parser"]
    assert unit.current is not None
    attempts = stuck.attempts_of((e for _, e in made.happened), "parser", "2")
    opus = "claude-opus-4-5"
    page = "\n".join(stuck.render(unit, unit.current, attempts, opus)) + "\n"
    golden("boards/stuck.txt", page)
    assert page.count("│") == stuck.OUTPUT_LINES
    assert "--model" not in page, "it was tried"
    early = replace(unit.current, model=attempts[0].model)
    told = "\n".join(stuck.render(unit, early, attempts[:1], opus))
    assert "topkick retry U1/2 --model claude-opus-4-5  try again with a stronger model" in told
    assert len(attempts) == 3


@pytest.mark.parametrize("name", MADE)
def test_story(name: str, golden: Golden) -> None:
    made = MADE[name]()
    told = [event_log.tell(mission, event, at_us) for at_us, mission, event in made.told()]
    golden(f"boards/story-{name}.txt", "\n".join(t for t in told if t) + "\n")


@pytest.mark.spec("LP-04")
@pytest.mark.parametrize(
    "name",
    [
        "completed",
        "blocked",
        "resting",
        "killed",
        "at_work",
        "spent",
        "gate-asks",
        "gate-completed",
        "gate-nothing-known",
    ],
)
def test_closing_lines(name: str, golden: Golden) -> None:
    made = MADE[name]()
    golden(
        f"boards/closing-{name}.txt",
        "\n".join(closing_lines.lines(made.mission, made.now_us)) + "\n",
    )


def test_an_empty_mission_has_pages_too() -> None:
    nobody = Mission()
    assert "Work units: 0" in state_file.render(nobody, HEAD, 0)
    assert "Active agents: 0" in status.render_text(nobody, Situation(0))
    assert event_log.line(nobody, h.TimePassed()) is None
