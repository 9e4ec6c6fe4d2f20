"""`topkick plan analyze` and `plan refine` on real files: what they write, and what they leave."""

import json
import subprocess
from pathlib import Path

import pytest
from test_cli import topkick

from topkick.app.project import find_project, make_state_dir
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentProgram
from topkick.engine.codec.chain import ChainEntry
from topkick.engine.journal.writer import Journal
from topkick.engine.messages import CODEC
from topkick.engine.settings import Settings
from topkick.sprint.run.load_plan import read_plan

SPRINT = """\
### Sprint {n}: {name}
**Depends on**: {needs}

**Tasks**:
1. Create `src/{file}.py`
2. Create `tests/test_{file}.py`

**Exit criteria**:
- [ ] `test -f src/{file}.py`
- [ ] `test -f tests/test_{file}.py`

"""
GOOD = (
    "# Mailer\n\n## Starting State\n- Python 3.11 is installed\n\n"
    + SPRINT.format(n=1, name="Types", needs="none", file="types")
    + SPRINT.format(n=2, name="Colours", needs="none", file="colours")
    + SPRINT.format(n=3, name="Store", needs="Sprint 1", file="store")
    + SPRINT.format(n=4, name="Pages", needs="Sprint 3", file="pages")
    + "## Success Criteria\n- Pages show the colours of the store\n"
)
OPEN = GOOD.replace("1. Create `src/store.py`", "1. Create `src/store.py` in a database (TBD)")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    (tmp_path / "EXECUTION_PLAN.md").write_text(GOOD)
    return tmp_path


def files(place: Path) -> dict[str, bytes]:
    inside = [path for path in place.rglob("*") if path.is_file() and ".git" not in path.parts]
    return {str(path.relative_to(place)): path.read_bytes() for path in inside}


def begin_a_run(place: Path) -> None:
    project = find_project(place)
    make_state_dir(project)
    project.current.mkdir(mode=0o700)
    settings = Settings(AgentProgram("none", ("true",)))
    began = h.MissionBegan("m", "sprint", read_plan(project).plan, settings)
    with Journal.create(project.journal_path, 1) as journal:
        journal.begin_epoch("test")
        journal.append(2, [ChainEntry(*CODEC.encode(began))])


# --- analyze ---------------------------------------------------------------------------------


@pytest.mark.spec("AN-02")
def test_a_good_plan_is_left_alone_and_has_a_report(place: Path) -> None:
    before = files(place)
    said = topkick("plan", "analyze", cwd=place, check_code=0)
    after = files(place)
    report = after.pop("ANALYSIS_REPORT.md").decode()
    assert after == before
    assert report.startswith("# Execution Plan Analysis Report\n\nGenerated: 20")
    assert "Report: ANALYSIS_REPORT.md" in said.stdout
    assert "Ready to execute: topkick start" in said.stdout


@pytest.mark.spec("AN-02")
def test_the_report_is_not_for_git(place: Path) -> None:
    topkick("plan", "analyze", cwd=place, check_code=0)
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=place, check=True, capture_output=True, text=True
    )
    assert status.stdout == "?? EXECUTION_PLAN.md\n"


@pytest.mark.spec("AN-02")
def test_what_would_block_the_run_is_exit_1(place: Path) -> None:
    (place / "EXECUTION_PLAN.md").write_text(OPEN)
    said = topkick("analyze", cwd=place, check_code=1).stdout
    assert "- Open: Create `src/store.py` in a database (TBD) (line 32)" in said
    assert "Re-run: topkick plan analyze" in said


@pytest.mark.spec("AN-02")
def test_with_no_write_nothing_is_written(place: Path) -> None:
    before = files(place)
    said = topkick("plan", "analyze", "--no-write", "--json", cwd=place, check_code=0).stdout
    assert files(place) == before
    found = json.loads(said)
    assert (found["report"], found["issues"][:0]) == ("", [])
    assert found["graph"]["current"] == {"agents": 1, "rounds": 4}
    assert found["graph"]["maximum"] == {"agents": 2, "rounds": 3}


@pytest.mark.spec("AN-02")
def test_a_report_is_replaced_and_a_file_of_others_is_not(place: Path) -> None:
    topkick("plan", "analyze", cwd=place, check_code=0)
    topkick("plan", "analyze", cwd=place, check_code=0)
    (place / "ANALYSIS_REPORT.md").write_text("# Quarterly sales\n")
    said = topkick("plan", "analyze", cwd=place, check_code=2)
    assert "is not an analysis report" in said.stderr
    assert (place / "ANALYSIS_REPORT.md").read_text() == "# Quarterly sales\n"


@pytest.mark.spec("AN-02")
def test_a_link_in_the_place_of_the_report_is_not_followed(place: Path) -> None:
    (place / "ANALYSIS_REPORT.md").symlink_to(place / "EXECUTION_PLAN.md")
    topkick("plan", "analyze", cwd=place, check_code=2)
    assert (place / "EXECUTION_PLAN.md").read_text() == GOOD


@pytest.mark.spec("AN-01")
def test_files_of_the_project_and_its_requirements_are_known(place: Path) -> None:
    (place / "EXECUTION_PLAN.md").write_text(
        GOOD.replace("2. Create", "2. Extend `src/shared.py`\n3. Create", 1)
    )
    (place / "PRD.md").write_text(
        "# Mailer\n\n## Requirements\n- The system must sing opera arias\n"
    )
    found = json.loads(topkick("plan", "analyze", "--json", cwd=place, check_code=1).stdout)
    assert [one["path"] for one in found["bridges"]][:1] == ["src/shared.py"]
    assert found["requirements"] == "PRD.md"
    (wanted,) = found["coverage"]
    assert "opera arias" in wanted["text"]
    assert wanted["mentioned_by"] == []
    (place / "src").mkdir()
    (place / "src" / "shared.py").touch()
    found = json.loads(topkick("plan", "analyze", "--json", cwd=place, check_code=0).stdout)
    assert found["bridges"] == []


@pytest.mark.spec("AN-02")
def test_a_plan_under_another_name_has_a_report_of_its_own(place: Path) -> None:
    (place / "night.md").write_text(GOOD)
    topkick("plan", "analyze", "night.md", cwd=place, check_code=0)
    assert (place / "ANALYSIS_REPORT.night.md").exists()
    assert not (place / "ANALYSIS_REPORT.md").exists()


@pytest.mark.spec("AN-02")
def test_a_run_does_not_hinder_an_analysis(place: Path) -> None:
    begin_a_run(place)
    topkick("plan", "analyze", cwd=place, check_code=0)
    assert (place / "ANALYSIS_REPORT.md").exists()


# --- refine ----------------------------------------------------------------------------------


@pytest.mark.spec("AN-01", "PR-02")
def test_refine_puts_the_plan_in_order_once_and_for_all(place: Path) -> None:
    said = topkick("plan", "refine", cwd=place, check_code=0).stdout
    steps = said.partition("### Next Steps")[2].partition("**Workflow Note**")[0].split("\n")
    assert [s for s in steps if s] == [
        "- Look at it: topkick plan show",
        "- Ready to execute: topkick start",
    ]
    text = (place / "EXECUTION_PLAN.md").read_text()
    assert "Written: EXECUTION_PLAN.md" in said
    assert "### Sprint 2: Store" in text
    assert "**Priority**" in text
    assert (place / "ANALYSIS_REPORT.md").exists()
    again = topkick("refine", cwd=place, check_code=0).stdout
    assert "EXECUTION_PLAN.md was not changed." in again
    assert (place / "EXECUTION_PLAN.md").read_text() == text


@pytest.mark.spec("AN-01")
def test_refine_shows_the_difference_and_writes_nothing(place: Path) -> None:
    before = files(place)
    said = topkick("plan", "refine", "--diff", cwd=place, check_code=0).stdout
    assert "+### Sprint 2: Store" in said
    assert files(place) == before


@pytest.mark.spec("AN-01")
@pytest.mark.parametrize("diff", [(), ("--diff",)])
def test_refine_stops_at_questions_that_only_a_person_can_answer(
    place: Path, diff: tuple[str, ...]
) -> None:
    (place / "EXECUTION_PLAN.md").write_text(OPEN)
    said = topkick("plan", "refine", *diff, cwd=place, check_code=3).stdout
    assert "EXECUTION_PLAN.md:32: Create `src/store.py` in a database (TBD)" in said
    assert (place / "EXECUTION_PLAN.md").read_text() == OPEN
    assert (place / "ANALYSIS_REPORT.md").exists() is not bool(diff)


@pytest.mark.spec("AN-01")
def test_refine_tells_programs_why_it_stopped_and_what_it_did(place: Path) -> None:
    (place / "EXECUTION_PLAN.md").write_text(OPEN)
    found = json.loads(topkick("plan", "refine", "--json", cwd=place, check_code=3).stdout)
    assert (found["stopped"], found["written"]) == (True, False)
    assert [one["line"] for one in found["questions"]] == [32]
    (place / "EXECUTION_PLAN.md").write_text(GOOD)
    found = json.loads(topkick("plan", "refine", "--json", cwd=place, check_code=0).stdout)
    assert (found["stopped"], found["written"]) == (False, True)
    assert len(found["prioritized"]["sprints"]) == 4


@pytest.mark.spec("AN-02")
def test_refine_without_a_place_for_its_report_changes_nothing(place: Path) -> None:
    (place / "ANALYSIS_REPORT.md").write_text("# Quarterly sales\n")
    before = files(place)
    topkick("plan", "refine", cwd=place, check_code=2)
    assert files(place) == before


@pytest.mark.spec("PR-02", "EV-02")
def test_refine_refuses_while_a_run_of_the_plan_exists(place: Path) -> None:
    begin_a_run(place)
    said = topkick("plan", "refine", cwd=place, check_code=2)
    assert "A run of this plan exists" in said.stderr
    assert (place / "EXECUTION_PLAN.md").read_text() == GOOD
    assert not (place / "ANALYSIS_REPORT.md").exists()
    topkick("plan", "refine", "--diff", cwd=place, check_code=0)


@pytest.mark.spec("AN-02")
def test_bytes_that_are_no_text_are_shown_and_kept(place: Path) -> None:
    (place / "EXECUTION_PLAN.md").write_bytes(GOOD.encode().replace(b"Colours\n", b"Col\xffours\n"))
    topkick("plan", "analyze", cwd=place, check_code=0)
    topkick("plan", "analyze", "--json", cwd=place, check_code=0)
    topkick("plan", "refine", cwd=place, check_code=0)
    assert b"Col\xffours" in (place / "EXECUTION_PLAN.md").read_bytes()
