"""BD-02 to BD-05: tasks, units, sprints and checks of the plans that come out."""

import re
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from proof.plans.agreement import differences
from topkick.engine.errors import UsageError
from topkick.plan_format import document
from topkick.plan_format.model import SprintPlan
from topkick.planning.breakdown.draft import (
    Breakdown,
    break_down,
    objections,
    plan_in,
    without_repeats,
)
from topkick.planning.breakdown.model import Confidence, LineRange, Requirement, RequirementKind
from topkick.planning.breakdown.packs import split
from topkick.planning.project_facts import Surroundings

FIXTURES = Path(__file__).parents[2] / "fixtures" / "requirements"
NAMES = ("cli-tool.md", "web-service.md", "library.md")
PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)


def broken_down(text: str, around: Surroundings | None = None) -> Breakdown:
    return break_down(text, document="REQUIREMENTS.md", name="larder", around=around)


def asked(text: str, line: int = 1) -> Requirement:
    return Requirement(text, LineRange(line, line), (), Confidence.EXPLICIT, RequirementKind.LISTED)


def sprints(found: Breakdown) -> list[SprintPlan]:
    plan = document.read(found.text, default_name="x").plan
    return [sprint for unit in plan.units for sprint in unit.sprints]


@pytest.mark.spec("BD-02")
@pytest.mark.parametrize(
    ("said", "tasks"),
    [
        (
            "Add a parser for dates and remove the old scanner",
            ["Add a parser for dates", "Remove the old scanner"],
        ),
        (
            "Create a date parser and integrate it with the importer",
            ["Create a date parser", "Integrate a date parser with the importer"],
        ),
        (
            "Add support for plain text, rich text and scanned pages",
            [
                "Add support for plain text",
                "Add support for rich text",
                "Add support for scanned pages",
            ],
        ),
        (
            "Keep the old file and log the failure when a write fails",
            ["Keep the old file when a write fails", "Log the failure when a write fails"],
        ),
        ("Support JSON, YAML and TOML", ["Support JSON, YAML and TOML"]),
        ("Parse the file and store it in the cache", ["Parse the file and store it in the cache"]),
        ("Install and configure the proxy", ["Install and configure the proxy"]),
    ],
)
def test_the_split_table(said: str, tasks: list[str]) -> None:
    assert [task.text for task in split(asked(said))] == tasks


@pytest.mark.spec("BD-02")
def test_files_of_two_directories_are_two_tasks() -> None:
    found = split(asked("Rename the flag in `src/cli.py` and `docs/cli.md`"))
    assert [task.text.rpartition(": ")[2] for task in found] == ["`src/cli.py`", "`docs/cli.md`"]


@pytest.mark.spec("BD-02")
def test_what_is_asked_for_twice_is_one_task() -> None:
    found = without_repeats(
        [
            asked("Store notes of the pantry safely on disk", 3),
            asked("Print the weekly shopping list", 5),
            asked("Store notes of the pantry safely on disk as plain text files", 9),
        ]
    )
    assert [one.lines.first for one in found] == [5, 9]


@pytest.mark.spec("BD-02")
def test_a_story_above_its_acceptance_criteria_is_no_task_of_its_own() -> None:
    found = broken_down(
        "## Requirements\n\n### Requirement 1: Soup\n\n**User Story:** As a cook, I want soup.\n\n"
        "#### Acceptance Criteria\n\n1. WHEN it boils THEN the system SHALL ring\n"
        "2. WHEN it is done THEN the system SHALL stop\n"
    )
    assert [one.text for one in found.requirements] == [
        "Ring when it boils",
        "Stop when it is done",
    ]
    assert found.draft.units[0].sprints[0].name == "Soup"


@pytest.mark.spec("BD-02")
def test_sections_are_units_and_what_names_the_same_waits() -> None:
    found = broken_down(
        "# Larder\n\n## Store\n\n- Add a class `NoteStore`\n- Add a lock for writers\n"
        "- Add a backup of yesterday\n\n## Kitchen\n\n- Add a recipe page\n- Add a timer for eggs\n"
        "- Add a search that asks `NoteStore`\n"
    )
    store, kitchen = found.draft.units
    assert (store.name, store.layer, store.needs) == ("Store", 0, ())
    assert (kitchen.name, kitchen.layer, kitchen.needs) == ("Kitchen", 1, ("Store",))


@pytest.mark.spec("BD-02")
def test_what_belongs_to_no_part_runs_beside_nothing_before_it() -> None:
    found = broken_down(
        "# Larder\n\n## Kitchen\n\n- Add a recipe page\n- Add a timer for eggs\n- Add a scale\n\n"
        "## Garden\n\n- Add a map of beds\n- Add a rain gauge\n- Add a seed list\n\n"
        "## Tasks\n\n- Add a front page\n- Add a help page\n"
    )
    assert [(unit.name, unit.needs) for unit in found.draft.units] == [
        ("Kitchen", ()),
        ("Garden", ()),
        ("larder", ("Kitchen", "Garden")),
    ]


@pytest.mark.spec("BD-02")
def test_packages_are_units_where_every_task_names_one() -> None:
    lines = [f"- Add a page to `packages/{p}/{n}.py`" for p in ("web", "api") for n in "abc"]
    found = broken_down("## Requirements\n\n" + "\n".join(lines) + "\n")
    assert [(unit.name, unit.directory) for unit in found.draft.units] == [
        ("packages/web", "packages/web"),
        ("packages/api", "packages/api"),
    ]


@pytest.mark.spec("BD-02")
def test_foundations_come_first_and_tests_last() -> None:
    found = broken_down(
        "## Requirements\n\n### Testing\n\n- Add a test for pages\n- Add a test for lists\n\n"
        "### Pages\n\n- Add a front page\n- Add a help page\n\n"
        "### Data model\n\n- Define the type of a note\n- Define the schema of a list\n"
    )
    names = [sprint.name for sprint in found.draft.units[0].sprints]
    assert names == ["Data model", "Pages", "Testing"]


@pytest.mark.spec("BD-02", "BD-03")
@pytest.mark.parametrize("count", [1, 2, 3, 6, 7, 8, 13, 50])
def test_sprints_have_three_to_seven_tasks_or_say_why(count: int) -> None:
    words = [f"- Add the dish{n} of cuisine{n} to menu{n}\n" for n in range(count)]
    found = sprints(broken_down("## Requirements\n\n" + "".join(words)))
    sizes = [len(sprint.tasks) for sprint in found]
    assert sum(sizes) == count + len(found)
    assert all(3 <= len(s.tasks) <= 7 or "**Size**:" in s.text for s in found)
    assert all(size >= 3 for size in sizes) or count == 1


@pytest.mark.spec("BD-03", "BD-04")
@pytest.mark.parametrize("name", NAMES)
def test_plans_are_read_back_and_every_sprint_checks_its_own_work(name: str) -> None:
    text = (FIXTURES / name).read_text()
    found = break_down(text, document=name, name="x")
    reading = document.read(found.text, default_name="x")
    assert differences(found.draft, reading) == ()
    for sprint in sprints(found):
        tasks = " ".join(sprint.tasks)
        own = [c for c in sprint.exit if c.command and any(p in tasks for p in c.text.split("`"))]
        assert own, sprint.name
        assert all(f"({name[:-3]}:" in task for task in sprint.tasks)
    assert not any("Barcodes" in s.text or "mobile app" in s.text for s in sprints(found))
    assert "synchronise directories" not in found.text


@pytest.mark.spec("BD-05")
@pytest.mark.parametrize(
    ("name", "project"),
    [("cli-tool.md", "larder"), ("web-service.md", "deskbook"), ("library.md", "tidemark")],
)
def test_the_drafts_in_the_docs_are_what_comes_out(name: str, project: str) -> None:
    page = (FIXTURES.parents[2] / "docs" / "explanation" / "breakdown.md").read_text()
    found = break_down((FIXTURES / name).read_text(), document=name, name=project)
    assert found.text.rstrip() in page


@pytest.mark.spec("BD-03")
@pytest.mark.parametrize(
    ("around", "command"),
    [
        (
            Surroundings("python", "python -m pytest -q", "tests"),
            "python -m pytest -q tests/test_notes.py",
        ),
        (
            Surroundings("python", "python -m unittest -q", "tests"),
            "python -m unittest tests/test_notes.py",
        ),
        (Surroundings("typescript", "pnpm run test"), "pnpm run test tests/notes.test.ts"),
        (Surroundings("javascript", "npm test", "test"), "npm test -- test/notes.test.js"),
        (Surroundings("swift", "swift test", module="Larder"), "swift test --filter NotesTests"),
        (Surroundings("rust", "cargo test"), "cargo test --test notes"),
        (Surroundings("go", "go test ./..."), "go test ./internal/notes/..."),
        (Surroundings("java", "./gradlew build"), "./gradlew test --tests NotesTest"),
        (Surroundings("java", "mvn -B -q verify"), "mvn -q -Dtest=NotesTest test"),
        (Surroundings("ruby"), "bundle exec rspec spec/notes_spec.rb"),
        (Surroundings("cobol"), "sh tests/notes.sh"),
    ],
)
def test_the_test_of_a_sprint_is_run_as_its_project_does(
    around: Surroundings, command: str
) -> None:
    found = broken_down("## Requirements\n\n### Notes\n\n- Add a note\n- Add a list\n", around)
    (sprint,) = sprints(found)
    assert sprint.exit[0].command == command


@pytest.mark.spec("BD-03")
def test_the_test_has_to_use_what_the_tasks_name_in_code() -> None:
    (sprint,) = sprints(
        broken_down(
            "## Requirements\n\n### Notes\n\n- Add `NoteStore.open(path:)` for readers\n"
            "- Write notes with `save_note`\n- Remove `old_save` for good\n"
        )
    )
    assert [c.command for c in sprint.exit[2:]] == [
        "grep -qF -- open tests/notes.sh",
        "grep -qF -- save_note tests/notes.sh",
    ]


@pytest.mark.spec("BD-03")
def test_local_acceptance_criteria_are_exit_criteria() -> None:
    (sprint,) = sprints(
        broken_down(
            "## Requirements\n\n### Notes\n\n- Add a note\n- Add a list\n\n"
            "#### Acceptance Criteria\n\n- `make notes` passes\n- Notes read well\n"
        )
    )
    assert [(c.text, c.command) for c in sprint.exit[-2:]] == [
        ("`make notes` passes", "make notes"),
        ("Notes read well", None),
    ]


@pytest.mark.spec("BD-04")
def test_without_a_requirement_the_error_says_what_to_write() -> None:
    with pytest.raises(UsageError, match="No requirement was found") as caught:
        broken_down("# Larder\n\nA pantry is a small room.\n")
    assert "## Requirements" in str(caught.value)


@pytest.mark.spec("BD-04")
def test_a_giant_is_refused() -> None:
    with pytest.raises(UsageError, match="split it"):
        broken_down("## Requirements\n" + "\n" * 200_001)


@pytest.mark.spec("BD-03", "BD-05")
@settings(max_examples=60, deadline=None, phases=PHASES)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [
                    "## Requirements",
                    "### Sprint 3: Notes",
                    "## None | all",
                    "- [ ] `a|b` must",
                    "- Add `x` and **y** to | z",
                    "1. WHEN a THEN the system SHALL b",
                    "| a | b |",
                    "|---|---|",
                    "```",
                    "> quote",
                    "## Out of scope",
                    "TBD: which?",
                    "# Title",
                    "- As a cook, I want soup",
                    "**Acceptance criteria**:",
                    "  - Add a thing:",
                ]
            ),
            st.text(max_size=20),
        ),
        max_size=25,
    )
)
def test_any_document_gives_a_plan_that_reads_back_or_an_error(lines: list[str]) -> None:
    text = "\n".join(lines)
    try:
        found = broken_down(text)
    except UsageError:
        return
    assert differences(found.draft, document.read(found.text, default_name="x")) == ()
    assert broken_down(text) == found


@pytest.mark.spec("BD-05")
def test_an_answer_is_taken_only_if_nothing_is_lost_and_everything_is_checked() -> None:
    found = broken_down(
        "## Requirements\n\n### Notes\n\n- Add a note\n- Add a list\n- Add a page\n"
    )
    lost = found.text.replace("2. Add a list (REQUIREMENTS:6)", "2. Add a list")
    assert any("REQUIREMENTS:6" in why for why in objections(lost, found.draft))
    said = f"{lost}\n## Left out\n\n- REQUIREMENTS:6: lists are not needed\n"
    assert not any("Nothing cites" in why for why in objections(said, found.draft))
    unchecked = re.sub(r"(?m)^- \[ \] (?:`|File).*$", "- [ ] It reads well", found.text)
    assert any("no check" in why for why in objections(unchecked, found.draft))
    assert objections("# Nothing\n", found.draft) != ()


@pytest.mark.spec("BD-05")
def test_the_plan_in_an_answer_is_the_last_block_or_all_of_it() -> None:
    plan = "# Plan\n\n### Sprint 1: A\n"
    assert plan_in(f"Here it is:\n\n```markdown\n{plan}```\n\nEnjoy.") == plan
    assert plan_in(f"```md\n# Old\n```\nNo, this:\n```\n{plan}```") == plan
    assert plan_in(f"Sure.\n{plan}") == plan
    assert plan_in("I cannot do that.") == ""
