"""A refused command says why, and what to type next; nothing is changed."""

import pytest
from story_project import Project, plan, sprint, unit

LIMITS = {"max_dispatches": 2, "max_retries": 2}


def refused(project: Project, *words: str, order: str = "") -> str:
    done = project.run(*words, env={"TOPKICK_ORDER": order})
    said = done.stdout + done.stderr
    assert done.returncode == 2, f"topkick {' '.join(words)}: {done.returncode}\n{said}"
    assert ".\nNext: topkick " in said
    return said


@pytest.mark.spec("SD-05")
def test_a_command_that_makes_no_sense_is_refused_with_what_to_type(project: Project) -> None:
    project.make(plan(unit("a", sprint()), unit("b", sprint())), limits=LIMITS)
    project.script("b.1", "fail()")
    project.says("start", "--yes", "--foreground", code=3)
    assert (project.state("a/1"), project.state("b/1")) == ("COMPLETED", "FATAL")

    said = refused(project, "accept", "U1/1", "--why", "x")
    assert said == ("Cannot accept U1/1: it is completed already.\nNext: topkick explain U1/1\n")
    assert "topkick retry U2/1" in refused(project, "reject", "U2/1", "--why", "x")
    assert "U2/1 has no open finding" in refused(project, "waive", "U2/1", "f1", "--why", "x")
    assert "max_dispatches" in refused(project, "retry", "U2/1")
    assert "G7 does not wait" in refused(project, "accept", "G7", "--why", "x")
    assert "no background process server" in refused(project, "background", "stop", "server")
    run = refused(project, "background", "run", "server", "sleep", "1", order="m-9")
    assert run.startswith("Run m-9 has no agent at work")

    path = project.root / "topkick.toml"
    path.write_text(path.read_text().replace("max_retries = 2", "max_retries = 1"))
    said = refused(project, "resume", "--yes", "--foreground")
    assert "U2/1 has failed 2 times already; max_retries is 1" in said

    assert (project.state("a/1"), project.state("b/1")) == ("COMPLETED", "FATAL")
    shown = project.says("journal", "show", "--all")
    assert "refused: cannot accept U1/1: it is completed already. Next: topkick" in shown
    assert "refused: cannot accept U1/1" in project.says("explain", "U1/1")
