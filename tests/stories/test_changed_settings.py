"""Stories of settings that run something or hand something over and that were changed since."""

import os
import pty
import subprocess
import sys
from contextlib import suppress

import pytest
from judge_session import EXISTS, Session, role_spec
from story_project import Project, plan, sprint, unit, wait_for

ATTACK = """
path = PROJECT / "topkick.toml"
text = path.read_text()
marks = str(SCRIPTS / "ran-")
text = f'on_event = ["sh", "-c", "touch {marks}on_event"]\\n' + text
text = text.replace("[verify]", f'[verify]\\nprepare = ["touch {marks}prepare"]')
text = text.replace("[limits]", 'pass_env = ["STORY_SECRET"]\\n[limits]')
agent = f'command = ["sh", "-c", "touch {marks}agent; cat > {marks}order"]'
path.write_text("\\n".join(agent if x.startswith("command") else x for x in text.split("\\n")))
wait("gate")
work()
"""


def _ran(project: Project) -> list[str]:
    return sorted(path.name for path in project.scripts.glob("ran-*"))


def _at_a_terminal(project: Project, answer: str, *words: str) -> tuple[int, str]:
    """Answer one question at a terminal; return the exit code and everything on the screen."""
    ours, theirs = pty.openpty()
    argv = [sys.executable, "-m", "topkick", *words]
    with subprocess.Popen(
        argv, cwd=project.root, env=project.env, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        os.write(ours, f"{answer}\n".encode())
        seen = b""
        with suppress(OSError):  # Linux says so when the last reader's other end is closed
            while part := os.read(ours, 65536):
                seen += part
        code = process.wait(timeout=60)
    os.close(ours)
    return code, seen.decode("utf-8", "replace")


@pytest.mark.spec("ST-05")
def test_settings_that_an_agent_changed_are_shown_and_do_not_run_unasked(project: Project) -> None:
    """Attack A9c: a plain `resume` ran the agent's own on_event and prepare."""
    project.make(plan(unit("a", sprint(), sprint())))
    project.script("a.1", ATTACK)
    project.start_in_background()
    wait_for(project.trail)
    project.says("stop")
    project.let_go("gate")
    project.wait_for_rest()

    said = project.says("resume", "--foreground", code=2)
    assert "topkick resume --yes" in said
    assert "on_event\n    + sh -c 'touch" in said
    assert "[verify] prepare\n    - what lock files call for\n    + touch" in said
    assert "[agents.scripted] pass_env\n    + STORY_SECRET" in said
    assert "[agents.scripted] command\n    - " in said
    assert "    + sh -c 'touch" in said.partition("[agents.scripted] command")[2]
    assert _ran(project) == []

    code, seen = _at_a_terminal(project, "n", "resume")
    assert code != 0
    assert "+ STORY_SECRET" in seen
    assert "Accept this?" in seen
    assert _ran(project) == []
    assert project.mission().settings.on_event == ()

    project.says("resume", "--foreground", "--yes", code=3)
    assert "ran-agent" in _ran(project)
    assert "ran-on_event" in _ran(project)
    assert any(
        d.startswith("Settings changed: ") and "[agents.scripted] command" in d
        for d in project.decisions()
    )


@pytest.mark.spec("ST-05")
def test_settings_that_did_not_change_are_not_asked_for(project: Project) -> None:
    project.make(plan(unit("a")), top={"on_event": ["true"]}, verify={"prepare": ["true"]})
    project.script("a.1", "wait('gate'); work()")
    project.start_in_background()
    wait_for(project.trail)
    project.says("stop")
    project.let_go("gate")
    project.wait_for_rest()
    project.configure("[limits]", "[limits]\nmax_turns = 70")
    project.says("resume", "--foreground")


@pytest.mark.spec("CK-23")
def test_a_judge_takes_no_settings_that_nobody_accepted(project: Project) -> None:
    """The team that a judge watches can write topkick.toml; its next judge took what it said."""
    session = Session(project, role_spec(c001=(EXISTS,), c002=(EXISTS,), c003=(EXISTS,)))
    session.judge("CHECKPOINT-001")
    mark = project.scripts / "ran-on_event"
    settings = project.root / "topkick.toml"
    settings.write_text(f'on_event = ["touch", "{mark}"]\n{settings.read_text()}')
    said = session.judge("CHECKPOINT-002")
    assert "so not used: on_event." in said
    assert "done: CHECKPOINT-002 is judged" in said
    assert not mark.exists()
    assert "without a person's consent" not in session.judge("CHECKPOINT-003", "--yes")


def test_settings_that_an_agent_changed_are_named_by_every_screen(project: Project) -> None:
    """The run completed without a word about it."""
    project.make(plan(unit("a")))
    project.script("a.1", ATTACK)
    project.let_go("gate")
    for words in (("status",), ("start", "--yes", "--foreground")):
        assert "topkick.toml was changed" not in project.says(*words)
    assert project.overall() == "completed"
    for words in (("status",), ("explain",), ("explain", "U1/1"), ("report",)):
        said = project.says(*words)
        assert "topkick.toml was changed: on_event, [verify] prepare" in said, words
        assert "takes effect only after you accept it" in said
    project.git("checkout", "topkick.toml")
    assert "topkick.toml was changed" not in project.says("status")
