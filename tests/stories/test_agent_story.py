"""Stories of the agent program: its start, its prompt, and what it can see."""

import json
from pathlib import Path

import pytest
from story_project import Project, Start, plan, unit

PROMPT = "You are executing Sprint 1: Part 1."


def _words(project: Project, start: Start) -> list[str]:
    words: list[str] = json.loads((project.scripts / f"words.{start.run_id}").read_text())
    return words


@pytest.mark.spec("DP-01", "DP-03", "DP-06")
def test_the_prompt_comes_by_stdin(project: Project) -> None:
    project.make(plan(unit("a")))
    project.says("start", "--yes", "--foreground")
    prompt = project.prompt(project.starts()[0])
    parts = ["FIRST, read these files", PROMPT, "EXIT CRITERIA", "IMPORTANT:"]
    places = [prompt.index(part) for part in parts]
    assert places == sorted(places)
    assert "Do NOT start the next sprint" in prompt


@pytest.mark.spec("DP-06")
def test_the_prompt_comes_as_an_argument(project: Project) -> None:
    command = project.agent_command("{model}", "{prompt}")
    project.make(plan(unit("a")), agent={"command": command, "prompt": "argument"})
    project.says("start", "--yes", "--foreground")
    (start,) = project.starts()
    model, prompt = _words(project, start)
    assert model == "haiku"
    assert PROMPT in prompt
    assert project.prompt(start) == ""


@pytest.mark.spec("DP-06")
def test_the_prompt_comes_in_a_file(project: Project) -> None:
    command = project.agent_command("--order={prompt_file}")
    project.make(plan(unit("a")), agent={"command": command, "prompt": "file"})
    project.script("a.1", "write('order.txt', Path(sys.argv[4][8:]).read_text()); work()")
    project.says("start", "--yes", "--foreground")
    (start,) = project.starts()
    assert PROMPT in (project.root / "a" / "order.txt").read_text()
    assert project.prompt(start) == ""


def test_a_secret_of_the_caller_reaches_only_whom_it_is_passed_to(project: Project) -> None:
    project.make(plan(unit("a")), agent={"pass_env": ["ALLOWED_TOKEN"]})
    project.script("a.1", "say('token ' + os.environ['ALLOWED_TOKEN']); work()")
    secrets = {"ALLOWED_TOKEN": "open-sesame", "OTHER_TOKEN": "never-to-be-seen"}
    done = project.run("start", "--yes", "--foreground", env=secrets)
    assert done.returncode == 0, done.stdout
    (start,) = project.starts()
    seen = json.loads((project.scripts / f"env.{start.run_id}").read_text())
    assert seen["ALLOWED_TOKEN"] == "open-sesame"
    assert "OTHER_TOKEN" not in seen
    assert "open-sesame" not in project.run("logs", "U1/1", env=secrets).stdout
    for path in project.place.state_dir.rglob("*"):
        assert not path.is_file() or b"never-to-be-seen" not in path.read_bytes(), path


def test_an_agent_program_that_vanishes_charges_nobody_and_is_named_by_doctor(
    project: Project,
) -> None:
    tool = project.scripts / "vanishing-agent"
    tool.write_text('#!/bin/sh\nrm -- "$0"\n')
    tool.chmod(0o755)
    project.make(plan(unit("a"), unit("b")), agent={"command": [str(tool)]})
    project.configure("[limits]", "[limits]\nmax_agents = 1")
    said = project.says("start", "--yes", "--foreground", code=3)
    assert f"cannot be started: No such file or directory: {tool}" in said
    assert "Traceback" not in said
    assert [project.sprint(x).failures for x in ("a/1", "b/1")] == [1, 0]
    assert "topkick doctor" in project.says("status")
    assert f"{tool} not found" in project.says("doctor", code=1)
    before = f'["{tool}"]'
    project.configure(before, json.dumps(project.agent_command()))
    project.says("doctor")
    project.says("resume", "--foreground", "--yes")
    assert project.overall() == "completed"


def test_on_event_is_called_with_each_event_as_json(project: Project) -> None:
    heard = project.scripts / "heard"
    hook = ["sh", "-c", f"cat >> {heard}"]
    project.make(plan(unit("a")), top={"on_event": hook})
    project.says("start", "--yes", "--foreground")
    events = [json.loads(line) for line in heard.read_text().splitlines()]
    kinds = [event["event"] for event in events]
    assert "MissionBegan" in kinds
    assert "RunDispatched" in kinds
    assert any(e["text"].endswith("U1/1 a: COMPLETED, checked") for e in events)
    moved = [e["data"] for e in events if e["event"] == "UnitMoved"]
    assert moved[-1]["now"] == "COMPLETED"


def test_an_on_event_that_fails_harms_nothing(project: Project) -> None:
    project.make(plan(unit("a")), top={"on_event": ["no-such-hook"]})
    project.says("start", "--yes", "--foreground")
    assert project.overall() == "completed"


@pytest.mark.spec("DP-07")
def test_an_agent_that_knows_turns_is_told_how_many(project: Project) -> None:
    command = project.agent_command("--max-turns", "{max_turns}")
    project.make(plan(unit("a")), agent={"command": command}, limits={"max_turns": 7})
    project.says("start", "--yes", "--foreground")
    assert _words(project, project.starts()[0]) == ["--max-turns", "7"]


TEMPLATE = """
## Dispatch Template

```
You work on <PACKAGE_NAME> in $PROJECT_ROOT/<PACKAGE_DIR>/. Do sprint <N>, "<SPRINT_NAME>".
Keep <ANGLE BRACKETS> that are nobody's.
```
"""


@pytest.mark.spec("DP-02")
def test_the_plans_own_template_is_the_order(project: Project) -> None:
    project.make(plan(unit("a")) + TEMPLATE)
    project.script("a.1.1", "sys.exit(1)")
    project.says("start", "--yes", "--foreground")
    first, second = (project.prompt(start) for start in project.starts())
    assert first == (
        'You work on a in ./a/. Do sprint 1, "Part 1".\nKeep <ANGLE BRACKETS> that are nobody\'s.\n'
    )
    assert second.startswith(first.rstrip())
    assert "failed on attempt 1" in second
    assert "- Dispatch mode: template (of the plan)" in project.board()


def test_an_agent_commits_as_the_user_even_if_it_hides_the_users_settings(project: Project) -> None:
    project.make(plan(unit("a")))
    hidden = "os.environ.update(GIT_CONFIG_GLOBAL='/dev/null', GIT_CONFIG_SYSTEM='/dev/null')\n"
    project.script("a.1", f"import os\n{hidden}work()")
    for key in ("user.name", "user.email"):
        project.git("config", "--unset", key)
    home = project.env["HOME"]
    Path(home, ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.invalid\n")
    project.says("start", "--yes", "--foreground")
    assert project.git("log", "-1", "--format=%an <%ae>").strip() == "Ada <ada@example.invalid>"
