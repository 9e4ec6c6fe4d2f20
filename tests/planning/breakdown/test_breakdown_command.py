"""`topkick breakdown` in real directories: what it reads, writes, refuses and says."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from topkick.app.project import find_project, make_state_dir
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentProgram
from topkick.engine.codec.chain import ChainEntry
from topkick.engine.errors import UsageError
from topkick.engine.journal.writer import Journal
from topkick.engine.messages import CODEC
from topkick.engine.settings import Settings
from topkick.planning.commands.breakdown import RequirementsNotFound, command, find_requirements
from topkick.sprint.run.load_plan import read_plan

TEXT = """\
# Larder

## Requirements

### Notes

- Add a note to the pantry
- Remove a note from the pantry
- List what expires this week

## Out of scope

- Barcodes on every can

## Open questions

- Which time zone counts?
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "larder"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("TOPKICK_PLAN", raising=False)
    return place


def said(*words: str) -> Result:
    return CliRunner().invoke(command, words, catch_exceptions=False, standalone_mode=False)


@pytest.mark.spec("PL-03")
def test_the_first_of_four_names_is_read(here: Path) -> None:
    for name in ("README.md", "SPEC.md", "PRD.md", "REQUIREMENTS.md"):
        (here / name).write_text(TEXT)
        assert find_requirements(None).path.name == name
    other = here / "docs"
    other.mkdir()
    (other / "wishes.md").write_text(TEXT)
    found = find_requirements(Path("docs/wishes.md"))
    assert (found.path, found.project.root) == (other / "wishes.md", other)


@pytest.mark.spec("PL-03")
@pytest.mark.parametrize(
    ("words", "what"), [((), "a requirements document"), (("nowhere.md",), "{here}/nowhere.md")]
)
def test_nothing_found_is_three_lines_and_exit_2(
    here: Path, words: tuple[str, ...], what: str
) -> None:
    with pytest.raises(RequirementsNotFound) as caught:
        said(*words)
    assert caught.value.exit_code == 2
    assert str(caught.value).split("\n") == [
        f"ERROR: Cannot find {what.format(here=here)}.",
        "The breakdown command needs a source document to analyze.",
        "Please provide the path: topkick breakdown /path/to/requirements.md",
    ]
    assert list(here.iterdir()) == []


@pytest.mark.spec("BD-03", "BD-04")
def test_the_plan_is_written_beside_the_document_and_summed_up(here: Path) -> None:
    (here / "PRD.md").write_text(TEXT)
    (here / "pyproject.toml").write_text("[project]\nname = 'larder'\n")
    (here / "larder.py").write_text("")
    page = said().output
    plan = (here / "EXECUTION_PLAN.md").read_text()
    assert plan.startswith("# EXECUTION_PLAN.md — larder\n")
    assert "1. Add a note to the pantry (PRD:7)" in plan
    assert "`python -m pytest -q tests/test_notes.py` passes" in plan
    assert "Barcodes" not in plan
    assert f"Source: {here / 'PRD.md'}" in page
    assert f"Output: {here / 'EXECUTION_PLAN.md'}" in page
    for row in ("| Requirements detected |     3 |", "| Atomic tasks          |     4 |"):
        assert row in page
    for row in ("| Work units            |     1 |", "| Sprints               |     1 |"):
        assert row in page
    assert "1 open question" in page
    assert page.rstrip().endswith("Next: topkick plan prioritize")


@pytest.mark.spec("BD-04")
def test_a_plan_that_is_there_is_not_touched_without_force(here: Path) -> None:
    (here / "REQUIREMENTS.md").write_text(TEXT)
    plan = here / "EXECUTION_PLAN.md"
    plan.write_text("# Mine\n")
    with pytest.raises(UsageError, match="--diff") as caught:
        said()
    assert "--force" in str(caught.value)
    assert plan.read_text() == "# Mine\n"
    shown = said("--diff").output
    assert "-# Mine" in shown
    assert "+# EXECUTION_PLAN.md — larder" in shown
    assert plan.read_text() == "# Mine\n"
    told = json.loads(said("--diff", "--json").output)
    assert (told["written"], "-# Mine" in told["diff"]) == (False, True)
    said("--force")
    assert plan.read_text().startswith("# EXECUTION_PLAN.md — larder")
    assert said("--diff").output == "Nothing would change.\n"


@pytest.mark.spec("BD-01", "BD-05")
def test_programs_get_every_requirement_and_the_same_each_time(here: Path) -> None:
    (here / "REQUIREMENTS.md").write_text(TEXT)
    told = json.loads(said("--json").output)
    assert told["counts"] == {
        "requirements_detected": 3,
        "atomic_tasks": 4,
        "work_units": 1,
        "sprints": 1,
    }
    assert told["requirements"][2] == {
        "text": "List what expires this week",
        "heading": "Notes",
        "lines": [9, 9],
        "confidence": "explicit",
        "kind": "list item",
    }
    assert told["questions"] == [{"line": 17, "text": "Which time zone counts?"}]
    first = (here / "EXECUTION_PLAN.md").read_bytes()
    said("--force", "--json")
    assert (here / "EXECUTION_PLAN.md").read_bytes() == first


@pytest.mark.spec("BD-04")
def test_nothing_is_written_while_a_run_of_the_plan_exists(here: Path) -> None:
    (here / "REQUIREMENTS.md").write_text(TEXT)
    said()
    project = find_project(here / "EXECUTION_PLAN.md")
    make_state_dir(project)
    project.current.mkdir(mode=0o700)
    settings = Settings(AgentProgram("none", ("true",)))
    began = h.MissionBegan("m", "sprint", read_plan(project).plan, settings)
    with Journal.create(project.journal_path, 1) as journal:
        journal.begin_epoch("test")
        journal.append(2, [ChainEntry(*CODEC.encode(began))])
    before = (here / "EXECUTION_PLAN.md").read_bytes()
    (here / "REQUIREMENTS.md").write_text(TEXT.replace("List what", "Print what"))
    with pytest.raises(UsageError, match="A run of this plan exists"):
        said("--force")
    assert (here / "EXECUTION_PLAN.md").read_bytes() == before
    assert "+3. Print what" in said("--diff").output


AGENT = """\
agent = "scribe"
[agents.scribe]
command = ["sh", "{script}", "{{prompt_file}}"]
"""


def _agent(here: Path, script: str) -> None:
    path = here / "scribe.sh"
    path.write_text(script)
    (here / "topkick.toml").write_text(AGENT.format(script=path))


@pytest.mark.spec("BD-05")
def test_an_agent_may_improve_the_draft(here: Path) -> None:
    (here / "REQUIREMENTS.md").write_text(TEXT)
    better = "sed -i 's/List what expires this week/Print what expires, soonest first/'"
    _agent(here, f"{better} EXECUTION_PLAN.md\n")
    page = said("--agent", "scribe").output
    plan = (here / "EXECUTION_PLAN.md").read_text()
    assert "scribe improved the draft" in page, page
    assert "3. Print what expires, soonest first (REQUIREMENTS:9)" in plan


@pytest.mark.spec("BD-05")
def test_an_answer_that_loses_work_is_not_taken(here: Path) -> None:
    (here / "REQUIREMENTS.md").write_text(TEXT)
    _agent(here, "sed -i '/^3[.] List/d' EXECUTION_PLAN.md\n")
    page = said("--agent", "scribe").output
    assert "topkick kept its own draft" in page
    assert "REQUIREMENTS:9" in page
    assert "3. List what expires this week" in (here / "EXECUTION_PLAN.md").read_text()
