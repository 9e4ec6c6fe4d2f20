"""A team run by the real command line: scripted roles, the real judge, real processes."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from story_project import Project, wait_for

AGENT = Path(__file__).with_name("team_agent.py")
SESSION = "team/notes"
BEGIN = ("checkpoint", "run", SESSION, "--requirement", "Search and share notes", "--pipeline")
RUN = ("checkpoint", "run", SESSION)
MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(\+00:00|Z)")


def make(project: Project) -> Project:
    project.make("# Nothing to run by units\n", top={"agent": "scripted"})
    (project.root / "EXECUTION_PLAN.md").unlink()
    command = [sys.executable, "-I", "-S", str(AGENT), str(project.scripts)]
    project.configure(json.dumps(project.agent_command()), json.dumps(command))
    return project


def asked(project: Project) -> list[str]:
    lines = (project.scripts / "starts").read_text().splitlines()
    ids = [line.split(" ")[0] for line in lines]
    assert len(ids) == len(set(ids)), "an order was begun twice"
    return [line.split(" ")[2] for line in lines]


def session(project: Project) -> dict:
    return json.loads((project.root / SESSION / "team-session.json").read_text())


def read(project: Project, name: str) -> str:
    return (project.root / SESSION / name).read_text()


def judges(project: Project) -> list[psutil.Process]:
    place = str(project.root / SESSION)
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if place in words and "serve" in words and "-m" in words[:3]:
            found.append(process)
    return found


@pytest.mark.spec("CK-12", "CK-14", "CK-24")
def test_a_warning_a_block_overridden_and_one_revised(
    project: Project, golden: Callable[[str, str], None]
):
    make(project)
    said = project.says(*BEGIN, "full", code=3)
    assert "CHECKPOINT-001 blocks" in said
    assert f"topkick checkpoint revise {SESSION} CHECKPOINT-001 --task DRAFT-002" in said
    assert not judges(project), "nobody is left running while a person thinks"
    words = ("checkpoint", "revise", SESSION, "CHECKPOINT-001", "--task", "DRAFT-002")
    project.says(*words, "--why", "goal 2 has no requirement")
    said = project.says(*RUN, code=3)
    assert "CHECKPOINT-001-R2: Verdict pass" in said
    assert "CHECKPOINT-002: Verdict warn" in said
    assert "QUALITY-001 waits for a person's approval: score 85 (pass)" in said
    shown = project.says("checkpoint", "show", SESSION)
    assert "awaiting_approval" in shown
    assert f"topkick checkpoint approve {SESSION} QUALITY-001" in shown
    project.says("checkpoint", "approve", SESSION, "QUALITY-001", "--why", "read it")
    said = project.says(*RUN, code=3)
    assert "CHECKPOINT-003 blocks" in said
    project.says(
        "checkpoint", "override", SESSION, "CHECKPOINT-003", "--why", "sharing comes later"
    )
    said = project.says(*RUN)
    assert "done: 13 tasks completed; checkpoints: 1 pass, 1 warn, 2 block" in said
    assert asked(project).count("DRAFT-002") == 2
    assert sorted(asked(project)[-2:]) == ["REVIEW-001", "TEST-001"]
    assert not judges(project)
    assert "components-have-stories" in read(project, "wisdom/issues.md")
    decisions = read(project, "wisdom/decisions.md")
    assert "because: goal 2 has no requirement" in decisions
    assert "CHECKPOINT-003 overridden" in decisions
    for path in sorted((project.root / SESSION / "artifacts").glob("CHECKPOINT-*")):
        text = MOMENT.sub("(moment)", path.read_text())
        golden(f"teams/{path.name}", text)
    bus = [json.loads(line) for line in read(project, ".msg/messages.jsonl").splitlines()]
    assert {m["to"] for m in bus if m["from"] == "supervisor"} == {"coordinator"}
    assert "Pipeline run" in project.says("status")
    assert "its answer was read" in project.says("explain", "DRAFT-002")
    assert "PLAN-001 is written" in project.says("logs", "PLAN-001")
    assert "every decision agrees with the rules" in project.says("journal", "replay", "--check")


@pytest.mark.spec("CK-05", "CK-14")
def test_killed_with_its_judge_it_goes_on_and_a_lost_journal_is_no_loss(project: Project):
    make(project)
    project.script("PLAN-001.1", "I am done, really.\n")
    env = {"TOPKICK_CRASH_AT": "loop.written:40", "TOPKICK_CRASH_TRACE": str(project.scripts / "t")}
    project.run(*BEGIN, "impl-only", env=env)
    for judge in judges(project):
        judge.kill()
    state = next((project.root / ".git" / "topkick").glob("*pipeline*"))
    said = project.says(*RUN)
    assert "done: 5 tasks completed" in said
    last = json.loads(read(project, ".msg/messages.jsonl").splitlines()[-1])
    assert (last["from"], last["type"]) == ("supervisor", "shutdown_response")
    done = session(project)
    assert done["status"] == "completed"
    assert done["impl_topology"] == "single"
    before = asked(project)
    for path in sorted(state.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    assert "nothing to do: 5 tasks completed" in project.says(*RUN)
    assert asked(project) == before


@pytest.mark.spec("CK-14")
def test_a_session_is_aborted_while_roles_are_at_work(project: Project):
    make(project)
    project.configure(str(AGENT), str(AGENT.with_name("team_sleeper.py")))
    running = project.begin(*BEGIN, "spec-only")
    wait_for((project.scripts / "starts").exists)
    wait_for(lambda: judges(project))
    project.says("checkpoint", "abort", SESSION, "--why", "no longer wanted")
    code, said = project.end_of(running)
    assert code == 3
    assert "the session was aborted by" in said
    assert session(project)["status"] == "aborted"
    assert not judges(project)
    assert "aborted" in project.says(*RUN, code=3)


@pytest.mark.spec("CK-14")
def test_mistakes_are_told_with_what_to_do_next(project: Project):
    make(project)
    assert "--pipeline and" in project.says(*RUN, code=2)
    assert "Create one: topkick checkpoint run" in project.says(
        "checkpoint", "show", SESSION, code=2
    )
    wrong = (*BEGIN, "impl-only", "--role-spec", "nowhere.md")
    assert "cannot be read" in project.says(*wrong, code=2)
    assert not (project.root / SESSION).exists(), "nothing is left of what was not begun"
    project.says(*BEGIN, "impl-only", "--no-supervision")
    assert "cannot change" in project.says(*BEGIN, "full", code=2)
    words = ("checkpoint", "override", SESSION, "CHECKPOINT-003")
    assert "No reason was given" in project.says(*words, code=2)
    assert "does not wait" in project.says(*words, "--why", "x", code=2)
    assert "is not a checkpoint" in project.says(*words[:3], "QUALITY-001", "--why", "x", code=2)
    schema = json.loads(project.says("schema", "team-worker"))
    assert schema["properties"]["key_findings"]["maxItems"] == 5
