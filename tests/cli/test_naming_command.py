"""`plan name`, which is also `name-feature`, and the announcement of a name."""

import json
import os
import stat
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner, Result
from test_cli import PLAN

from topkick.app.project import Project, find_project
from topkick.engine.agents.program import AgentProgram
from topkick.engine.errors import TopkickError
from topkick.engine.settings import Settings
from topkick.plan_format.document import read
from topkick.plan_format.front_matter import feature_name_in, is_operation_name, with_feature_name
from topkick.planning.commands.announcement import announced_lines, box
from topkick.planning.commands.name import command
from topkick.planning.naming.operation_name import CHANGED, NamedPlan, give_name
from topkick.sprint.run.load_plan import imagined, read_plan
from topkick.text.columns import width_of

NAME = "OPERATION OVERNIGHT PORRIDGE"
OTHER = "OPERATION POLITE THUNDER"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "here"
    root.mkdir()
    (root / "EXECUTION_PLAN.md").write_text(PLAN)
    monkeypatch.chdir(root)
    return root / "EXECUTION_PLAN.md"


def _name(*words: str) -> Result:
    return CliRunner().invoke(command, list(words), standalone_mode=False, catch_exceptions=False)


def _agent(plan: Path, answers: str) -> Path:
    """Write an agent that prints the lines of `answers`, one per call, and notes each call."""
    place = plan.parent
    (place / "answers").write_text(answers)
    program = place / "agent.sh"
    program.write_text(
        '#!/bin/sh\ncat > /dev/null\npwd >> "$1/asked"; ls >> "$1/asked"\n'
        'sed -n "$(grep -c / "$1/asked")p" "$1/answers"\n'
    )
    program.chmod(0o755)
    (place / "topkick.toml").write_text(
        f'[agents.namer]\ncommand = ["{program}", "{place}", "{{model}}"]\n'
        'models = { haiku = "tiny" }\n'
    )
    return place / "asked"


# --- by hand ---------------------------------------------------------------------------------


@pytest.mark.spec("NM-01")
def test_before_any_start_there_is_a_reproach_and_nothing_else(here: Path) -> None:
    _agent(here, "OPERATION NEVER ASKED\n")
    for words in ((), ("--agent", "namer"), (str(here),)):
        said = _name(*words)
        assert said.return_value == 0
        assert "topkick start" in said.output
    told = json.loads(_name("--json").output)
    assert told == {
        "file": "EXECUTION_PLAN.md",
        "changed": False,
        "before": None,
        "name": None,
        "by": None,
    }
    assert here.read_text() == PLAN
    assert not (here.parent / "asked").exists()


@pytest.mark.spec("NM-01")
def test_after_a_start_there_is_a_new_name_each_time_quietly(here: Path) -> None:
    (here.parent / "SUPERVISOR_STATE.md").write_text("# of an earlier run\n")
    assert is_operation_name(_name().output.strip())
    names = [feature_name_in(here.read_text())]
    for _ in range(5):
        said = _name().output
        names.append(feature_name_in(here.read_text()))
        assert said == f"{names[-2]} → {names[-1]}\n"
    assert len(set(names)) == 6
    assert here.read_text() == with_feature_name(PLAN, names[-1])


@pytest.mark.spec("NM-01")
def test_a_plan_with_a_name_gets_another(here: Path) -> None:
    here.write_text(f"---\nfeature_name: '\x1b[31mMine'\n---\n{PLAN}")
    told = json.loads(_name("--json").output)
    assert (told["changed"], told["by"]) == (True, "topkick")
    assert feature_name_in(here.read_text()) == told["name"]
    here.write_text(f"---\nfeature_name: '\x1b[31mMine'\n---\n{PLAN}")
    assert "\x1b" not in _name().output


def test_a_plan_that_cannot_be_written_keeps_its_name(here: Path) -> None:
    here.write_text(with_feature_name(PLAN, NAME))
    here.chmod(0o444)
    with pytest.raises(TopkickError, match="was not changed: it is read-only, or another user's"):
        _name()
    assert here.read_text() == with_feature_name(PLAN, NAME)


# --- by an agent -----------------------------------------------------------------------------


@pytest.mark.spec("NM-02")
def test_an_agent_is_asked_in_an_empty_place_and_its_name_is_checked(here: Path) -> None:
    here.write_text(with_feature_name(PLAN, NAME))
    asked = _agent(here, f"{NAME}\nHere you are: {OTHER}\n")
    said = _name("--agent", "namer").output
    assert said == f"{NAME} → {OTHER}\n"
    places = asked.read_text().splitlines()
    assert len(places) == 2  # nothing was there to be listed
    assert not any(Path(place).exists() for place in places)


@pytest.mark.spec("NM-02")
def test_an_agent_may_speak_of_the_present_name_too(here: Path) -> None:
    here.write_text(with_feature_name(PLAN, NAME))
    asked = _agent(here, f"Not {NAME}, but {OTHER}!\n")
    assert _name("--agent", "namer").output == f"{NAME} → {OTHER}\n"
    assert len(asked.read_text().splitlines()) == 1


@pytest.mark.spec("NM-02")
def test_an_agent_without_a_name_is_asked_once_more_and_then_it_is_ours(here: Path) -> None:
    here.write_text(with_feature_name(PLAN, NAME))
    asked = _agent(here, "I would rather not.\nOperation lower case\nOPERATION TOO LATE\n")
    told = json.loads(_name("--agent", "namer", "--json").output)
    assert len(asked.read_text().splitlines()) == 2
    assert told["by"] == "topkick"
    assert told["name"] not in (NAME, "OPERATION TOO LATE")
    assert is_operation_name(told["name"])


# --- the file --------------------------------------------------------------------------------


def _given(here: Path, data: bytes) -> tuple[Project, NamedPlan]:
    here.write_bytes(data)
    project = find_project(here)
    return project, give_name(project, read_plan(project).plan, NAME)


@pytest.mark.spec("NM-01")
def test_bytes_that_are_no_utf_8_and_the_mode_stay(here: Path) -> None:
    here.chmod(0o640)
    data = PLAN.encode() + b"\n\xff\xfe caf\xe9\r\n"
    project, named = _given(here, data)
    assert named.why_not == ""
    assert here.read_bytes() == b"---\nfeature_name: " + NAME.encode() + b"\n---\n\n" + data
    assert stat.S_IMODE(here.stat().st_mode) == 0o640
    assert named.plan == read_plan(project).plan
    assert [p.name for p in here.parent.iterdir()] == ["EXECUTION_PLAN.md"]


@pytest.mark.spec("NM-01")
def test_a_link_to_the_plan_stays_one(here: Path) -> None:
    away = here.parent / "docs" / "plan.md"
    away.parent.mkdir()
    here.rename(away)
    here.symlink_to(away)
    project = find_project()
    assert give_name(project, read_plan(project).plan, NAME).why_not == ""
    assert here.is_symlink()
    assert feature_name_in(away.read_text()) == NAME


@pytest.mark.spec("NM-01")
def test_the_state_may_be_on_another_disk(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == here.stat().st_dev:
        pytest.skip("there is no second file system here")
    with TemporaryDirectory(dir=memory) as place:
        monkeypatch.setenv("XDG_STATE_HOME", place)
        _, named = _given(here, PLAN.encode())
    assert named.why_not == ""
    assert here.read_text() == with_feature_name(PLAN, NAME)
    assert [p.name for p in here.parent.iterdir()] == ["EXECUTION_PLAN.md"]


@pytest.mark.spec("NM-01")
def test_a_plan_that_changed_since_it_was_read_is_not_touched(here: Path) -> None:
    project = find_project()
    plan = read_plan(project).plan
    edited = PLAN + "\nOne line more.\n"
    here.write_text(edited)
    named = give_name(project, plan, NAME)
    assert (named.why_not, named.plan.feature_name) == (CHANGED, NAME)
    assert here.read_text() == edited
    here.write_text(with_feature_name(PLAN, OTHER))
    named = give_name(project, plan, NAME)
    assert (named.why_not, named.plan.feature_name) == ("", OTHER)
    assert here.read_text() == with_feature_name(PLAN, OTHER)


def test_a_plan_with_a_second_name_on_disk_is_not_parted_from_it(here: Path) -> None:
    os.link(here, here.parent / "same.md")
    _, named = _given(here, PLAN.encode())
    assert "hard links" in named.why_not
    assert here.read_text() == PLAN


def test_a_plan_at_the_limit_of_its_size_stays_one(here: Path) -> None:
    full = PLAN + "\n" * (199_999 - PLAN.count("\n"))
    project, named = _given(here, full.encode())
    assert "200000 lines" in named.why_not
    assert read_plan(project).plan.feature_name == ""


# --- the ceremony ----------------------------------------------------------------------------


@pytest.mark.spec("NM-01")
@pytest.mark.parametrize("title", ["Notes", "\x1b[2J" + "Long " * 40, "計画の題名" * 20])
def test_the_box_is_straight_and_says_what_commences(title: str) -> None:
    plan = read(f"# {title}\n\n## Sprint 1: a\n\n## Sprint 2: b\n", default_name="x").plan
    mission = imagined(plan, Settings(AgentProgram("none", ("true",))))
    lines = announced_lines(mission, NamedPlan(replace(plan, feature_name=NAME)))
    assert lines[0] == NAME
    assert lines[2:] == ["Status:  COMMENCING", "Sprints: 2 sprints across 1 work unit"]
    rows = box(lines, 50)
    assert {width_of(row) for row in rows} == {50}
    assert any(NAME in row for row in rows)
    assert "\x1b" not in "".join(rows)
