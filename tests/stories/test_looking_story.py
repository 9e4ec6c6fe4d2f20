"""Stories of looking: logs, journal, status for programs, doctor, completion, plan, config."""

import json

import pytest
from story_project import Project, plan, sprint, unit, wait_for


def test_logs_shows_what_an_agent_printed_and_follows_it(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1", "say('first line'); wait('gate'); say('last \\x1b[31mline'); work()")
    assert "There is no run here yet" in project.says("logs", "U1/1", code=2)
    project.start_in_background()
    wait_for(project.trail)
    assert project.says("logs", "U1/1") == "first line\n"
    following = project.begin("logs", "a", "-f")
    assert following.stdout is not None
    assert following.stdout.readline() == "first line\n"
    project.let_go("gate")
    code, said = project.end_of(following)
    assert code == 0
    assert "last" in said
    assert "\x1b" not in said
    project.wait_for_rest()
    assert "U1/1 a: COMPLETED, checked" in project.says("logs")


@pytest.mark.spec("RP-02", "D9")
def test_status_for_programs_has_stable_keys(project: Project) -> None:
    project.make(plan(unit("a"), unit("b", needs="a")))
    assert project.status()["overall"] is None
    project.script("a.1", "wait('gate'); work()")
    project.start_in_background()
    wait_for(lambda: project.trail() and project.state("a/1") == "RUNNING")
    status = project.status()
    assert set(status) >= {
        "schema",
        "mission",
        "overall",
        "supervisor",
        "live_agents",
        "next_event",
        "sprints",
        "units",
        "active_agents",
        "needs",
        "models",
    }
    assert status["schema"] == "topkick.status/1"
    assert status["overall"] == "running"
    assert status["supervisor"] == {"alive": True, "pid": project.supervisor(), "restarts_at": None}
    assert status["live_agents"] == 1
    (agent,) = status["active_agents"]
    assert (agent["handle"], agent["attempt"], agent["run"]) == (
        "U1/1",
        1,
        project.starts()[0].run_id,
    )
    first, second = status["units"]
    assert (first["state"], second["state"]) == ("RUNNING", "NOT_STARTED")
    assert second["waits_for"] == ["a"]
    assert set(first["sprints"][0]) >= {"handle", "state", "attempt", "failures", "model", "proof"}
    seqs = len(project.happenings())
    project.says("status")
    assert len(project.happenings()) == seqs
    project.let_go("gate")
    project.wait_for_rest()


def test_journal_check_and_show(project: Project) -> None:
    project.make(plan(unit("a")))
    project.says("start", "--yes", "--foreground")
    assert project.says("journal", "check") == "The journal is whole.\n"
    shown = project.says("journal", "show")
    assert "U1/1 a: dispatched to scripted (haiku), attempt 1/3" in shown
    everything = project.says("journal", "show", "--all")
    assert len(everything.splitlines()) == len(project.happenings())


@pytest.mark.spec("J1")
def test_journal_check_sees_a_flipped_byte(project: Project) -> None:
    project.make(plan(unit("a")))
    project.says("start", "--yes", "--foreground")
    path = project.place.journal_path
    data = path.read_bytes()
    assert b"AgentExited" in data
    path.write_bytes(data.replace(b"AgentExited", b"AgentExiteD"))
    project.says("journal", "check", code=5)
    assert "journal" in project.says("doctor", code=1)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(project: Project, shell: str) -> None:
    said = project.says("completion", shell)
    assert "_TOPKICK_COMPLETE" in said


def test_init_finds_an_agent_and_never_overwrites(project: Project) -> None:
    said = project.says("init", "--command", "my-agent {prompt_file}", "--example")
    assert "topkick.toml" in said
    text = (project.root / "topkick.toml").read_text()
    assert "my-agent" in text
    assert (project.root / "EXECUTION_PLAN.md").exists()
    assert "topkick.toml" in project.says("init", "--command", "another-agent", code=2)
    assert (project.root / "topkick.toml").read_text() == text
    assert json.loads(project.run("config", "show").stdout)["limits"]["max_agents"] == 4


@pytest.mark.spec("D9")
def test_plan_show_and_plan_prompt_say_how_the_plan_is_understood(project: Project) -> None:
    project.make(plan(unit("a", sprint(), sprint(unchecked=True)), unit("b", needs="a")))
    said = project.says("plan", "show")
    assert "a" in said
    assert len(said.splitlines()) <= 40
    assert json.loads(project.says("plan", "show", "--json"))
    assert "You are executing Sprint 1: Part 1." in project.says("plan", "prompt", "U1/1")
    assert not project.place.state_dir.exists()


def test_watch_without_a_terminal_tells_the_events_and_ends_with_the_run(
    project: Project,
) -> None:
    project.make(plan(unit("a")))
    project.script("a.1", "wait('gate'); work()")
    project.start_in_background()
    wait_for(project.trail)
    watching = project.begin("watch")
    project.let_go("gate")
    code, said = project.end_of(watching)
    assert code == 0
    assert "U1/1 a: COMPLETED, checked" in said
    assert "1 done (1 checked)" in said


def test_an_unknown_handle_is_answered_with_those_that_exist(project: Project) -> None:
    project.make(plan(unit("a")), limits={"max_retries": 1})
    project.script("a.1", "fail()")
    project.says("start", "--yes", "--foreground", code=3)
    assert "U1  a" in project.says("retry", "U9/1", code=2)
    assert "U1/1" in project.says("accept", "a/7", "--why", "x", code=2)


def test_the_demo_shows_a_failure_a_lie_a_crash_and_the_end(project: Project) -> None:
    quick = {"TOPKICK_DEMO_PACE": "0.2", "TMPDIR": str(project.home)}
    done = project.run("demo", env=quick)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the agent said it was done; the checks say otherwise" in done.stdout
    assert "The supervisor is dead" in done.stdout
    assert "completed · 4 done (4 checked)" in done.stdout
