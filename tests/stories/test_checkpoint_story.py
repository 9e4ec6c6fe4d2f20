"""A resident judge by the real command line: served, asked, killed, and sent home."""

import os
import re
import signal

import psutil
import pytest
from judge_session import EXISTS, Session, role_spec, shell
from story_project import Project, wait_for

from topkick.engine import messages as h
from topkick.engine.errors import UsageError
from topkick.team.run.judge_session import REQUIRED, read_prompt

AGENT = "clear | agent | Is the brief clear? | consistency | normal"
SPEC = role_spec(c001=(EXISTS, shell("test -s spec/brief.md")), c002=(shell("false", "critical"),))
READY = (
    "[supervisor] Resident supervisor ready. Baseline loaded for session night. "
    "Awaiting checkpoint assignments."
)
LINE = re.compile(r"\[supervisor\]( |$)")
PROMPT = """\
role: supervisor
role_spec: role.md
session: night
session_id: night
team_name: owls
requirement: A lexer
recovery: true
"""


def untagged(said: str) -> list[str]:
    return [line for line in said.splitlines() if not LINE.match(line)]


@pytest.mark.spec("CK-01", "CK-02", "CK-03", "CK-04", "CK-08")
def test_it_is_served_asked_and_sent_home(project: Project):
    session = Session(project, SPEC)
    judge = session.serve()
    assert session.content("message") == [READY]
    assert "Verdict: pass (score: 1.00)" in session.request("CHECKPOINT-001", "--wait")
    assert "Verdict: block (score: 0.00)" in session.request("CHECKPOINT-002", "--wait", code=1)
    assert "has no CHECKPOINT-009" in session.request("CHECKPOINT-009", "--wait", code=1)
    assert "this request is CHECKPOINT-001-R2" in session.request("CHECKPOINT-001", "--wait")
    assert sorted(session.reports()) == [
        "CHECKPOINT-001-R2-report.md",
        "CHECKPOINT-001-report.md",
        "CHECKPOINT-002-report.md",
    ]
    assert list(session.said("state_update")[0].fields) == [
        *("status", "task_id", "ref", "key_findings", "decisions", "verification"),
        *("supervision_verdict", "supervision_score", "risks_logged", "blocks_detected"),
    ]
    assert "Shutdown approved" in session.shut_down()
    code, said = project.end_of(judge)
    assert (code, untagged(said)) == (0, [])
    asked = next(m for m in session.bus.messages() if m.type == "shutdown_request")
    assert session.said("shutdown_response")[0].fields["request_id"] == asked.fields["request_id"]
    assert {m.to for m in session.bus.messages() if m.sender == "supervisor"} == {"coordinator"}


@pytest.mark.spec("CK-07")
@pytest.mark.parametrize("name", REQUIRED)
def test_a_prompt_without_a_field_is_refused_by_its_name(name: str):
    lines = [line for line in PROMPT.splitlines() if not line.startswith(f"{name}:")]
    with pytest.raises(UsageError, match=rf"does not say {name}, so"):
        read_prompt("\n".join(lines))
    where, told = read_prompt(PROMPT)
    assert (where, told.role_spec, told.session_id, told.recovery) == (
        *("night", "role.md", "night"),
        True,
    )
    assert (told.team, told.requirement) == ("owls", "A lexer")


@pytest.mark.spec("CK-03", "CK-07")
def test_a_prompt_starts_it_and_what_is_missing_is_named_with_the_tag(project: Project):
    session = Session(project, SPEC)
    said = project.says("checkpoint", "serve", "night", code=2)
    assert "Missing: --role-spec." in said
    assert untagged(said) == []
    (session.place / "team-session.json").write_text("{}")
    said = project.says("checkpoint", "serve", "night", "--role-spec", "role.md", code=2)
    assert "Missing: --session-id, --team, --requirement." in said
    (project.root / "prompt").write_text(PROMPT)
    judge = project.begin("checkpoint", "serve", "--prompt", "prompt")
    wait_for(lambda: session.said("message"))
    assert session.content("message") == [
        "[supervisor] Recovered. Rebuilt context from 0 previous checkpoint reports."
    ]
    session.shut_down()
    assert project.end_of(judge)[0] == 0


@pytest.mark.spec("CK-07")
def test_judging_once_ends_by_itself_with_a_code_that_says_how(project: Project):
    session = Session(project, SPEC)
    asked = session.project.run("checkpoint", "shutdown", "night", "--timeout", "0.01")
    assert (asked.returncode, "No judge answered" in asked.stdout) == (1, True)
    assert "CHECKPOINT-001 is judged" in session.judge("CHECKPOINT-001")
    assert "CHECKPOINT-002 is judged" in session.judge("CHECKPOINT-002", code=1)
    assert "is not a checkpoint" in session.judge("DRAFT-001", code=2)
    assert len(session.said("shutdown_response")) == 1
    assert len(session.said("supervision_report")) == 2


@pytest.mark.spec("CK-05")
def test_a_second_judge_is_refused_and_harms_nothing(project: Project):
    session = Session(project, SPEC)
    judge = session.serve()
    before = session.bus.messages()
    said = project.says("checkpoint", "serve", "night", "--role-spec", "role.md", code=4)
    assert "End it: topkick checkpoint shutdown night" in said
    assert untagged(said) == []
    assert session.bus.messages() == before
    assert "CHECKPOINT-001 complete" in session.judge("CHECKPOINT-001"), "the first is asked"
    session.shut_down()
    assert project.end_of(judge)[0] == 0


@pytest.mark.spec("CK-05", "T2")
def test_interrupted_or_killed_it_goes_on_where_it_was(project: Project):
    session = Session(project, role_spec(c001=(shell("false"), AGENT, EXISTS)))
    judge = session.serve()
    judge.send_signal(signal.SIGINT)
    code, said = project.end_of(judge)
    assert (code, untagged(said)) == (6, [])
    os.mkfifo(project.scripts / "wait")
    judge = session.serve()
    session.request("CHECKPOINT-001")
    wait_for((project.scripts / "starts").exists)
    project.die(judge)
    project.let_go("wait")
    judge = session.serve("--recovery")
    again = "[supervisor] Recovered. Rebuilt context from 0 previous checkpoint reports."
    assert session.content("message") == [READY, READY, again]
    wait_for(lambda: session.said("supervision_report"))
    project.die(judge)
    judge = session.serve("--recovery")
    assert session.content("message")[-1] == again.replace("0", "1")
    session.shut_down()
    code, said = project.end_of(judge)
    assert (code, untagged(said)) == (0, [])
    assert len((project.scripts / "starts").read_text().splitlines()) == 1, "it is asked once"
    assert len(session.said("supervision_report")) == 1
    assert len((session.place / "wisdom/issues.md").read_text().splitlines()) == 1
    assert [entry.task for entry in session.remembered()] == ["CHECKPOINT-001"]


@pytest.mark.spec("CK-23", "CK-24")
def test_agents_are_started_outside_the_fence_until_none_can_be(project: Project):
    """When what starts them had died, they were started by the judge, and could write nothing."""
    session = Session(project, role_spec(c001=(AGENT,)))
    judge = session.serve()
    answers = []
    for number in ("", "-R2", "-R3", "-R4"):
        answers.append(session.ask(f"CHECKPOINT-001{number}").summary.rpartition(" ")[2])
        children = psutil.Process(judge.pid).children()
        launchers = sorted(p.pid for p in children if "keeper.keeper" in " ".join(p.cmdline()))
        for pid in launchers[:1]:
            os.kill(pid, signal.SIGKILL)
    assert answers == ["pass", "pass", "pass", "warn"]
    assert (
        "not checked: scripted cannot be started"
        in session.reports()["CHECKPOINT-001-R4-report.md"]
    )
    project.die(judge)


@pytest.mark.spec("CK-03")
def test_what_was_read_before_is_not_read_again(project: Project):
    session = Session(project, role_spec(c001=(shell("true"),)))
    judge = session.serve()
    session.ask("CHECKPOINT-001", "DRAFT-001")
    session.ask("CHECKPOINT-001-R2", "DRAFT-001", "DRAFT-002")
    project.die(judge)
    looks = [x for x in session.happened() if isinstance(x, h.FilesObserved)]
    read = [f.path for look in looks for f in look.files if f.path.startswith("spec/")]
    assert read == ["spec/brief.md", "spec/prd.md"]
