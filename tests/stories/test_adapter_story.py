"""Stories of an agent that is heard: a script prints a recorded stream of Claude Code."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from story_project import AGENT, Project, is_alive, plan, sprint, unit, wait_for

from topkick.engine import messages as h

HAPPY = Path(__file__).parents[1] / "fixtures" / "streams" / "claude-2.1.325" / "happy.jsonl"
STREAM = f"stream = Path({str(HAPPY)!r}).read_text().splitlines()\n"
TALK = STREAM + "work(); say('\\n'.join(stream))"


def _heard(project: Project, text: str, budget: str = "") -> Project:
    """Put the agent of the stories behind the command line of Claude Code."""
    tool = project.scripts / "claude-like"
    words = [sys.executable, "-I", "-S", str(AGENT), str(project.scripts), str(project.root)]
    tool.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$TOPKICK_ORDER" "$@"\n')
    tool.chmod(0o755)
    agent = {"adapter": "claude", "command": [str(tool)], "pass_env": ["STORY_TOKEN"]}
    project.make(text, agent=agent)
    if budget:
        path = project.root / "topkick.toml"
        path.write_text(f"{path.read_text()}\n[budget]\n{budget}\n")
    return project


@pytest.mark.spec("RP-02", "DP-10")
def test_what_an_agent_does_and_uses_is_seen_while_it_works_and_afterwards(
    project: Project,
) -> None:
    _heard(project, plan(unit("a")), "run = { usd = 5 }")
    project.script(
        "a.1", STREAM + "say('\\n'.join(stream[:4])); wait('gate'); work(); [*map(say, stream[4:])]"
    )
    project.start_in_background()
    wait_for(project.trail)
    commits = 'Bash: git add -A && git commit -m "sprint 1"'
    agent = wait_for(lambda: [a for a in project.status()["active_agents"] if a["turns"] == 2])[0]
    assert (agent["doing"], agent["turns"], agent["tokens"]) == (commits, 2, 3402)
    page = project.says("status")
    assert f"U1/1  2 turns, 3k tokens · {commits}" in page
    assert "· no cost reported yet, of $5.00\n" in page
    begun = ["      begins: claude-sonnet-4-5 2.1.325 acceptEdits", "   1  Write: hello.txt"]
    assert project.says("logs", "U1/1").splitlines() == [*begun, f"   2  {commits}"]
    following = project.begin("logs", "a", "-f")
    project.let_go("gate")
    code, said = project.end_of(following)
    assert code == 0
    assert said.splitlines()[-3:] == [
        "   3  says: done",
        "   3  done",
        "finished: 3 turns, 5k tokens, $0.01",
    ]
    project.wait_for_rest()
    assert project.says("logs", "a") == said
    raw = project.says("logs", "a", "--raw").splitlines()
    assert [json.loads(line)["type"] for line in raw[:2]] == ["system", "assistant"]
    assert project.status()["spent"]["cost_usd"] == 0.012915
    assert "1 done (1 checked), $0.01, " in project.says("watch")


@pytest.mark.spec("DP-05")
def test_everything_about_an_attempt_is_on_record(project: Project) -> None:
    _heard(project, plan(unit("a")))
    project.script("a.1", STREAM + "say('\\n'.join(stream[:4])); wait('gate'); work(); fail()")
    project.start_in_background()
    wait_for(project.trail)
    talk = json.loads(HAPPY.read_text().splitlines()[0])["session_id"]
    agent = wait_for(lambda: [a for a in project.status()["active_agents"] if a["turns"] == 2])[0]
    assert (agent["agent"], agent["attempt"], agent["conversation"]) == ("scripted", 1, talk)
    (row,) = [line for line in project.board().splitlines() if line.startswith("| a | 1 | RUNNING")]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:6] == ["a", "1", "RUNNING", "1/3", agent["model"], str(agent["score"])]
    run_id, output, dispatched_at, process = cells[6:10]
    assert run_id == agent["run"]
    assert Path(output, "output").is_file()
    assert dispatched_at == agent["dispatched_at"]
    assert is_alive(int(process.split()[-1]))
    project.let_go("gate")
    checked = wait_for(lambda: [f for f in project.happenings() if isinstance(f, h.WorkChecked)])
    project.says("killall")
    report = checked[0].evidence.report
    assert report is not None
    assert report.conversation is not None
    assert (report.conversation.id, report.usage.turns) == (talk, 2)
    assert report.usage.tokens == 3402


@pytest.mark.spec("DP-10")
def test_a_run_that_its_budget_stops_ends_with_7(project: Project) -> None:
    _heard(project, plan(unit("a", sprint(), sprint())), "run = { tokens = 5000 }")
    project.script("a.1", TALK)
    said = project.says("start", "--yes", "--foreground", code=7)
    assert "1 of 2 sprints done (1 checked), $0.01, " in said
    assert "Stopped: the budget of the run: 5,250 of 5,000 tokens." in said
    assert "raise it in topkick.toml ([budget]), then topkick resume" in said
    page = project.says("status")
    assert "Spent: 5k of 5k tokens, $0.01, 3 turns\n" in page
    assert "Spent, so no new orders: the budget of the run" in page
    assert len(project.starts()) == 1
    assert project.says("watch", code=7).endswith("Why: topkick status\n")


def test_the_log_of_an_order_that_came_to_nothing_is_there(project: Project) -> None:
    _heard(project, plan(unit("a")))
    refused = HAPPY.with_name("401.jsonl")
    project.script("a.1", f"say(Path({str(refused)!r}).read_text()); fail()")
    project.says("start", "--yes", "--foreground", code=3)
    last = project.says("logs", "U1/1").splitlines()[-1]
    assert last.startswith("authentication: ")
