"""Stories of judging: what is believed, what is not, and what is left to a person."""

import pytest
from story_project import Project, is_alive, plan, sprint, unit, wait_for

from topkick.sprint.model import Proof


@pytest.mark.spec("VF-02", "VF-03", "V2")
def test_an_agent_that_claims_to_be_done_is_not_believed(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1.1", "say('All tests pass.'); claim('done', summary='finished')")
    said = project.says("start", "--yes", "--foreground")
    assert "the agent said it was done; the checks say otherwise" in said
    assert [s.attempt for s in project.starts()] == [1, 2]
    assert project.sprint("a/1").failures == 1


@pytest.mark.spec("VF-02")
def test_an_agents_own_doubt_lowers_the_verdict(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1.1", "work(); claim('partial', remaining=['the second verse'])")
    project.script("a.1.2", "commit('more.txt'); claim('done')")
    project.says("start", "--yes", "--foreground")
    _, second = project.starts()
    assert second.attempt == 1
    assert "- the second verse" in project.prompt(second)
    assert project.sprint("a/1").failures_ever == 0


@pytest.mark.spec("DP-04", "SM-07", "C3")
def test_partial_work_is_continued_and_not_charged(project: Project) -> None:
    project.make(plan(unit("a", sprint("test -f {here}/one.txt", "test -f {here}/two.txt"))))
    project.script("a.1.1", "commit('one.txt')")
    project.script("a.1.2", "commit('two.txt')")
    said = project.says("start", "--yes", "--foreground")
    assert "U1/1 a: PARTIAL" in said
    first, second = project.starts()
    assert (first.attempt, second.attempt) == (1, 1)
    prompt = project.prompt(second)
    assert "REMAINING:\n- `test -f a/two.txt` ended with 1" in prompt
    assert "- test -f a/one.txt" in project.prompt(first)
    assert "- test -f a/one.txt" not in prompt
    assert project.sprint("a/1").failures_ever == 0


@pytest.mark.spec("VF-03", "SM-07", "DP-12")
def test_uncommitted_work_is_not_done_and_is_named_in_the_next_order(project: Project) -> None:
    project.make(plan(unit("a")))
    project.script("a.1.1", "write('done-1.txt', 'mine')")
    project.script("a.1.2", "commit('done-1.txt', 'mine')")
    project.says("start", "--yes", "--foreground")
    _, second = project.starts()
    assert "not committed: a/done-1.txt" in project.prompt(second)
    assert "UNCOMMITTED FILES are in the tree from before" in project.prompt(second)
    assert project.git("log", "--format=%s").splitlines() == ["a: done-1.txt", "The plan"]


@pytest.mark.spec("VF-05")
def test_what_a_check_leaves_behind_is_ended(project: Project) -> None:
    pid_file = project.scripts / "left.pid"
    leave = f"(trap '' TERM; setsid sleep 1000 & echo $! >> {pid_file})"
    project.make(plan(unit("a", sprint(leave, "test -f {here}/done-1.txt"))))
    project.says("start", "--yes", "--foreground")
    pids = [int(pid) for pid in pid_file.read_text().split()]
    assert len(pids) >= 2
    assert not any(is_alive(pid) for pid in pids)


@pytest.mark.spec("VF-05")
def test_a_check_that_does_not_end_is_ended_and_fails(project: Project) -> None:
    check = "test ! -f {here}/done-1.txt || sleep 1000"
    project.make(
        plan(unit("a", sprint("test -f {here}/done-1.txt", check))),
        limits={"check_minutes": 0.01, "max_dispatches": 1},
    )
    project.says("start", "--yes", "--foreground", code=3)
    reasons = project.sprint("a/1").outcome
    assert reasons is not None
    assert any("did not end in time" in reason for reason in reasons.reasons)


def test_a_check_that_cannot_run_charges_nobody_and_asks_a_person(project: Project) -> None:
    """The program is there before the order and gone after it."""
    tool = project.home / "bin" / "vanishing-tool"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\nexit 1\n")
    tool.chmod(0o755)
    project.env["PATH"] = f"{tool.parent}:{project.env['PATH']}"
    project.make(plan(unit("a", sprint("vanishing-tool --at-all"))))
    project.script("a.1", f"Path({str(tool)!r}).unlink()\nwork()")
    project.says("start", "--yes", "--foreground", code=3)
    assert len(project.starts()) == 1
    found = project.sprint("a/1")
    assert (found.state.value, found.failures) == ("PARTIAL", 0)
    page = project.says("status")
    assert "a check cannot run here: vanishing-tool --at-all" in page
    assert "topkick accept U1/1" in page
    project.says("accept", "U1/1", "--why", "ran it elsewhere")
    assert project.overall() == "completed"


@pytest.mark.spec("DP-08")
def test_an_entry_criterion_holds_a_sprint_until_it_is_met(project: Project) -> None:
    project.make(plan(unit("a", sprint(entry="test -f key.txt"))))
    project.says("start", "--yes", "--foreground", code=3)
    assert project.starts() == []
    assert (project.state("a/1"), project.sprint("a/1").failures) == ("PENDING", 0)
    assert "entry criterion not met: `test -f key.txt`" in project.says("status")
    (project.root / "key.txt").write_text("here")
    project.says("resume", "--foreground")
    assert project.overall() == "completed"


@pytest.mark.spec("DP-08")
def test_a_held_sprint_is_tried_again_when_a_unit_completes(project: Project) -> None:
    held = unit("a", sprint(entry="test -f b/done-1.txt"))
    project.make(plan(held, unit("b")))
    project.script("b.1", "wait('gate'); work()")
    project.start_in_background()
    wait_for(lambda: project.sprint("a/1").hold if project.mission().units else "")
    project.let_go("gate")
    project.wait_for_rest()
    assert project.overall() == "completed"
    assert [s.unit for s in project.starts()] == ["b", "a"]


@pytest.mark.spec("DP-11", "VF-06")
def test_an_unchecked_sprint_needs_a_yes_and_is_counted_apart(project: Project) -> None:
    project.make(plan(unit("a", sprint(unchecked=True))))
    said = project.says("start", "--yes", "--foreground", code=3)
    assert "--accept-unchecked" in said
    assert project.starts() == []
    project.script("a.1.1", "claim('done')")
    said = project.says("resume", "--foreground", "--accept-unchecked")
    assert len(project.starts()) == 2
    assert project.sprint("a/1").proof is Proof.UNCHECKED
    assert "1 done (1 unchecked)" in project.says("status")


@pytest.mark.spec("VF-06")
def test_what_must_always_be_green_holds_an_unchecked_sprint_back(project: Project) -> None:
    project.make(
        plan(unit("a", sprint(unchecked=True))), verify={"always": ["test ! -s a/red.txt"]}
    )
    project.script("a.1.1", "commit('red.txt')")
    project.script("a.1.2", "commit('red.txt', '')")
    said = project.says("start", "--yes", "--foreground", "--accept-unchecked")
    assert "PARTIAL: `test ! -s a/red.txt` ended with 1" in said
    assert len(project.starts()) == 2
    assert project.sprint("a/1").proof is Proof.UNCHECKED


@pytest.mark.spec("VF-07")
def test_a_command_sprint_is_judged_by_its_criterion_without_a_commit(project: Project) -> None:
    made = project.scripts / "made.txt"
    project.make(plan(unit("a", sprint(f"test -f {made}", kind="command"))))
    project.script("a.1.1", "fail()")
    project.script("a.1.2", f"Path({str(made)!r}).touch()")
    project.says("start", "--yes", "--foreground")
    assert [s.attempt for s in project.starts()] == [1, 2]
    assert project.sprint("a/1").proof is Proof.CHECKED


@pytest.mark.spec("ER-04", "SM-08", "V6")
def test_a_manual_sprint_rests_until_a_person_decides(project: Project) -> None:
    project.make(plan(unit("a", sprint(kind="manual"))))
    project.says("start", "--yes", "--foreground", code=3)
    assert project.state("a/1") == "PARTIAL"
    project.says("resume", "--foreground", code=3)
    assert len(project.starts()) == 1
    assert "Do NOT mark this as complete" in project.prompt(project.starts()[0])
    project.says("reject", "U1/1", "--why", "it is out of tune")
    assert (project.state("a/1"), project.sprint("a/1").failures) == ("BACKOFF", 1)
    project.says("resume", "--foreground", code=3)
    assert "rejected by a person: it is out of tune" in project.prompt(project.starts()[1])
    project.says("confirm", "U1/1", "--why", "sounds right")
    assert project.overall() == "completed"
    assert project.sprint("a/1").proof is Proof.ACCEPTED


@pytest.mark.spec("ER-02", "SM-08", "V5")
def test_a_deferred_sprint_completes_without_an_agent(project: Project) -> None:
    condition = project.scripts / "it-is-time"
    project.make(
        plan(unit("a", sprint(f"test -f {condition}", kind="deferred"))),
        limits={"deferred_poll_seconds": 0.05},
    )
    project.start_in_background()
    wait_for(lambda: any("still not met after 20 checks" in d for d in project.decisions()))
    assert (project.state("a"), project.state("a/1")) == ("RUNNING", "RUNNING")
    condition.touch()
    project.wait_for_rest()
    assert project.overall() == "completed"
    assert project.starts() == []


@pytest.mark.spec("ER-02", "C4")
def test_a_deferred_sprint_fails_only_as_the_plan_declares(project: Project) -> None:
    answer, next_answer = project.scripts / "answer", project.scripts / "next"
    answer.write_text("1")
    check = f"exit $(cat {answer})"
    project.make(
        plan(unit("a", sprint(check, kind="deferred", fails_if="exit 3"))),
        limits={"deferred_poll_seconds": 0.05},
    )
    project.start_in_background()
    wait_for(lambda: any(r.polls >= 2 for r in project.mission().runs.values()))
    assert project.state("a/1") == "RUNNING"
    next_answer.write_text("3")
    next_answer.rename(answer)
    project.wait_for_rest()
    assert (project.state("a"), project.state("a/1")) == ("BLOCKED", "FATAL")


@pytest.mark.spec("ER-05", "K1")
def test_an_agent_out_of_time_with_a_commit_is_continued(project: Project) -> None:
    project.make(
        plan(unit("a", sprint("test -f {here}/one.txt", "test -f {here}/two.txt"))),
        limits={"sprint_minutes": 0.1},
    )
    project.script("a.1.1", "commit('one.txt'); deaf(); hang()")
    project.script("a.1.2", "commit('two.txt')")
    said = project.says("start", "--yes", "--foreground")
    assert "its agent ran out of time" in said
    assert [s.attempt for s in project.starts()] == [1, 1]
    assert "U1/1 a: PARTIAL" in said


@pytest.mark.spec("ER-05")
def test_an_agent_out_of_time_with_nothing_to_show_has_failed(project: Project) -> None:
    project.make(plan(unit("a")), limits={"sprint_minutes": 0.1})
    project.script("a.1.1", "write('notes.txt'); hang()")
    project.says("start", "--yes", "--foreground")
    _, second = project.starts()
    assert second.attempt == 2
    assert "the agent ran out of time" in project.prompt(second)
    assert "- a/notes.txt" in project.prompt(second)


@pytest.mark.spec("ER-01")
def test_a_silent_agent_is_noted_then_ended_and_charged(project: Project) -> None:
    project.make(plan(unit("a")), limits={"stall_poll_seconds": 0.5})
    project.script("a.1.1", "hang()")
    project.says("start", "--yes", "--foreground")
    decisions = project.decisions()
    assert "Agent may be unresponsive: no sign of life for 5 polls" in decisions
    assert "Agent ended: no sign of life for 10 polls" in decisions
    assert [s.attempt for s in project.starts()] == [1, 2]
    assert "no sign of life" in project.prompt(project.starts()[1])


@pytest.mark.spec("ER-01")
def test_our_own_board_is_no_sign_of_life_of_an_agent_at_the_root(project: Project) -> None:
    """The state file is written at the fifth poll in vain, in the directory of the unit."""
    text = plan(unit("a")).replace("| a | a |", "| a | . |")
    project.make(text, limits={"stall_poll_seconds": 0.5, "max_retries": 1})
    project.script("a.1.1", "hang()")
    project.says("start", "--yes", "--foreground", code=3)
    assert "Agent ended: no sign of life for 10 polls" in project.decisions()
