"""The plan reader: what a person wrote, as the model has it."""

import textwrap
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.engine.errors import UsageError
from topkick.plan_format import document
from topkick.plan_format.document import PlanError, PlanReading, lint, read
from topkick.plan_format.model import (
    CriterionKind,
    DeclaredFailure,
    SprintPlan,
    SprintType,
    UnitPlan,
)
from topkick.plan_format.structure import Fence, sections
from topkick.plan_format.units import detection

BREAKDOWN = """\
# EXECUTION_PLAN.md — Paper Mill

## Work Units

| Work Unit | Directory | Sprints | Layer | Dependencies |
|-----------|-----------|---------|-------|-------------|
| Parser | parser | 2 | 0 | none |
| Printer | `printer/` | 1 | 0 | none |
| Press | . | 1 | 1 | Parser, Printer |

## Parser

### Sprint 1: Tokens

**Entry criteria**:
- [ ] First sprint — no prerequisites

**Tasks**:
1. Write `parser/tokens.py`
2. Test it

**Exit criteria**:
- [ ] `pytest parser` passes
- [ ] Names read well

### Sprint 2: Trees

**Exit criteria**:
- [x] File exists: `parser/trees.py`

## Printer

### Sprint 1: Ink

**Exit criteria**:
- [ ] Build succeeds: `make ink`

## Press

### Sprint 1: Both

**Exit criteria**:
- [ ] `make press`

## Summary

| Metric | Value |
|--------|-------|
| Work units | 3 |
"""


def reading(text: str) -> PlanReading:
    return read(textwrap.dedent(text), default_name="folder")


def unit_names(found: PlanReading) -> list[str]:
    return [unit.name for unit in found.plan.units]


def sprint_of(body: str) -> SprintPlan:
    found = read(f"# T\n\n### Sprint 1: One\n\n{textwrap.dedent(body)}", default_name="t")
    return found.plan.units[0].sprints[0]


def commands(body: str) -> list[str | None]:
    return [criterion.command for criterion in sprint_of(body).exit]


def messages(found: PlanReading) -> list[tuple[int, str]]:
    return [(finding.line, finding.message) for finding in found.findings]


# --- the format that breakdown writes --------------------------------------------------------


@pytest.mark.spec("PL-10")
def test_reads_the_format_that_breakdown_writes() -> None:
    found = read(BREAKDOWN, default_name="folder")
    assert found.plan.title == "Paper Mill"
    assert [(u.name, u.directory, u.layer, u.waits_for, u.line) for u in found.plan.units] == [
        ("Parser", "parser", 0, (), 7),
        ("Printer", "printer", 0, (), 8),
        ("Press", ".", 1, ("Parser", "Printer"), 9),
    ]
    assert found.findings == ()
    tokens = found.plan.units[0].sprints[0]
    assert (tokens.id, tokens.name, tokens.line) == ("1", "Tokens", 13)
    assert tokens.tasks == ("Write `parser/tokens.py`", "Test it")
    assert [c.text for c in tokens.entry] == ["First sprint — no prerequisites"]
    assert [(c.text, c.kind, c.command, c.line) for c in tokens.exit] == [
        ("`pytest parser` passes", CriterionKind.COMMAND, "pytest parser", 23),
        ("Names read well", CriterionKind.CHECKLIST, None, 24),
    ]
    assert [s.id for s in found.plan.units[0].sprints] == ["1", "2"]


def test_the_text_of_a_sprint_is_kept_word_for_word() -> None:
    text = read(BREAKDOWN, default_name="folder").plan.units[0].sprints[1].text
    assert text == (
        "### Sprint 2: Trees\n\n**Exit criteria**:\n- [x] File exists: `parser/trees.py`"
    )


def test_windows_line_endings_change_nothing() -> None:
    assert read(BREAKDOWN.replace("\n", "\r\n"), default_name="f") == read(
        BREAKDOWN, default_name="f"
    )


def test_a_lone_carriage_return_does_not_shift_lines() -> None:
    found = read("# T\n\na\rb\u2028c\x0bd\n\n### Sprint 1: One\n", default_name="t")
    assert found.plan.units[0].sprints[0].line == 5


@pytest.mark.parametrize("page", ["tutorial/first-plan.md", "reference/plan-format.md"])
def test_the_examples_of_the_documents_are_plans_without_findings(page: str) -> None:
    text = (Path(__file__).parents[2] / "docs" / page).read_text(encoding="utf-8")
    fences = [b for part in sections(text) for b in part.blocks if isinstance(b, Fence)]
    example = next(fence.content for fence in fences if fence.language == "markdown")
    found = read(example, default_name="t")
    assert found.findings == ()
    assert all(sprint.checks for unit in found.plan.units for sprint in unit.sprints)


# --- title and front matter ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "title"),
    [
        ("# EXECUTION_PLAN.md — Name", "Name"),
        ("# Execution Plan: Name", "Name"),
        ("# Name — Execution Plan", "Name"),
        ("# Name", "Name"),
        ("# EXECUTION_PLAN.md", "EXECUTION_PLAN.md"),
        ("no title", "folder"),
        ("```\n# in a fence\n```", "folder"),
    ],
)
@pytest.mark.spec("PL-10")
def test_the_title_names_the_plan_and_its_only_unit(first: str, title: str) -> None:
    found = read(f"{first}\n\n## Sprint 1: x\n", default_name="folder")
    assert found.plan.title == title
    assert unit_names(found) == [title]


def test_the_name_of_the_operation_stands_outside_the_hash() -> None:
    named = read(f"---\nfeature_name: OPERATION X\n---\n\n{BREAKDOWN}", default_name="f").plan
    bare = read(BREAKDOWN, default_name="f").plan
    assert named.feature_name == "OPERATION X"
    assert named.sha256 == bare.sha256
    assert named.units[0].line == bare.units[0].line + 4
    other = read(f"---\ntype: plan\n---\n\n{BREAKDOWN}", default_name="f").plan
    both = read(f"---\nfeature_name: Y\ntype: plan\n---\n{BREAKDOWN}", default_name="f").plan
    assert bare.sha256 != other.sha256 == both.sha256


def test_any_other_change_changes_the_hash() -> None:
    changed = BREAKDOWN.replace("make ink", "make ink ")
    assert (
        read(changed, default_name="f").plan.sha256 != read(BREAKDOWN, default_name="f").plan.sha256
    )


def test_rules_are_kept_word_for_word() -> None:
    found = reading("""\
        # T
        ## Project Rules
        - No network.

        ### Style
        - Short.
        ## Sprints
        ### Sprint 1: x
        """)
    assert found.plan.rules == "- No network.\n\n### Style\n- Short."


# --- work units ------------------------------------------------------------------------------


@pytest.mark.spec("PL-10")
def test_without_a_table_sections_that_hold_sprints_are_units() -> None:
    found = reading("""\
        # T
        ## Overview
        ## Work Unit: Parser
        ### Sprint 1: a
        ## Unit 2: Printer
        ### Sprint 1: b
        ### Sprint 2: c
        ## Summary
        """)
    assert unit_names(found) == ["Parser", "Printer"]
    assert [len(unit.sprints) for unit in found.plan.units] == [1, 2]


@pytest.mark.spec("PL-10")
def test_one_section_of_sprints_is_one_unit_named_after_the_title() -> None:
    found = reading("# T\n## Sprints\n### Sprint 1: a\n### Sprint 2: b\n## Summary\n")
    assert unit_names(found) == ["T"]
    assert [s.id for s in found.plan.units[0].sprints] == ["1", "2"]


@pytest.mark.spec("PL-10")
@pytest.mark.parametrize("header", ["Package", "Component", "Module", "Phase", "**Work Unit**"])
def test_a_table_of_units_goes_by_many_names(header: str) -> None:
    table = f"| {header} | Layer |\n|---|---|\n| A | 0 |\n| B | 1 |\n| **Total** | |\n"
    found = read(
        f"# T\n\n{table}\n## A\n### Sprint 1: a\n## B\n### Sprint 1: b\n", default_name="t"
    )
    assert [(u.name, u.layer, u.waits_for) for u in found.plan.units] == [
        ("A", 0, ()),
        ("B", 1, ("A",)),
    ]


@pytest.mark.spec("PL-10")
def test_tables_of_other_things_are_not_units() -> None:
    found = reading("""\
        # T
        | Name | Meaning |
        |------|---------|
        | a | b |

        | Sprint | Name | Module |
        |---|---|---|
        | 1 | a | b |

        ```
        | Work Unit | Layer |
        |---|---|
        | fake | 0 |
        ```
        ## Sprint 1: a
        """)
    assert unit_names(found) == ["T"]


@pytest.mark.parametrize(
    "heading",
    ["## WU1: Parser core", "## Work Unit 1: Parser core", "## 3. Parser core", "## `Parser core`"],
)
def test_a_section_belongs_to_the_unit_it_names(heading: str) -> None:
    table = "| Work Unit | Layer |\n|---|---|\n| Parser core | 0 |\n| B | 0 |\n"
    found = read(f"{table}\n{heading}\n### Sprint 1: a\n## B\n### Sprint 1: b\n", default_name="t")
    assert unit_names(found) == ["Parser core", "B"]


def test_with_one_unit_all_sprints_are_its_own() -> None:
    found = reading("""\
        | Work Unit | Sprints |
        |---|---|
        | Solo | 2 |

        ## Somewhere
        ### Sprint 1: a
        ## Elsewhere
        ### Sprint 2: b
        """)
    assert [(u.name, len(u.sprints)) for u in found.plan.units] == [("Solo", 2)]


def test_without_sections_the_declared_counts_part_the_sprints() -> None:
    table = "| Work Unit | Sprints |\n|---|---|\n| A | 2 |\n| B | 1 |\n"
    found = read(f"{table}\n### Sprint 1: x\n### Sprint 2: y\n### Sprint 3: z\n", default_name="t")
    assert [[s.id for s in u.sprints] for u in found.plan.units] == [["1", "2"], ["3"]]
    assert "by its order and counts" in found.findings[0].message


def test_a_declared_count_that_is_wrong_is_a_finding() -> None:
    found = read(BREAKDOWN.replace("| parser | 2 |", "| parser | 3 |"), default_name="t")
    assert messages(found) == [
        (7, "'Parser' declares 3 sprints but defines 2; topkick uses the 2.")
    ]


def test_whoever_waits_for_a_unit_without_sprints_waits_for_what_that_waits_for() -> None:
    found = reading("""\
        | Work Unit | Dependencies |
        |---|---|
        | A | — |
        | Empty | A |
        | C | Empty |

        ## A
        ### Sprint 1: a
        ## C
        ### Sprint 1: c
        """)
    assert [(u.name, u.waits_for) for u in found.plan.units] == [("A", ()), ("C", ("A",))]
    assert messages(found)[0][0] == 4


def test_a_sprint_outside_every_unit_is_an_error() -> None:
    with pytest.raises(
        PlanError, match=r"line 17: sprint 1 is not in .* Known: Parser, Printer, Press"
    ):
        read(BREAKDOWN.replace("## Parser\n", "## Prelude\n\n\n\n\n"), default_name="t")


@pytest.mark.parametrize(
    ("cell", "directory", "told"),
    [
        ("src/a", "src/a", False),
        ("`./src/`", "src", False),
        ("repo root", ".", False),
        ("/etc", ".", True),
        ("../sibling", "../sibling", False),
        ("../../up", ".", True),
        ("a + b", ".", True),
        ("README.md", ".", True),
    ],
)
def test_a_directory_is_inside_the_project_or_beside_it(
    cell: str, directory: str, told: bool
) -> None:
    found = read(
        f"| Unit | Directory |\n|-|-|\n| A | {cell} |\n\n### Sprint 1: a\n", default_name="t"
    )
    assert found.plan.units[0].directory == directory
    assert bool(found.findings) is told


def test_a_directory_may_stand_in_the_sprint() -> None:
    found = reading("# T\n## Sprint 1: a\n**Directory**: `tools`\n")
    assert found.plan.units[0].directory == "tools"


# --- dependencies ----------------------------------------------------------------------------


def table_of(*rows: str) -> str:
    head = "| Work Unit | Layer | Dependencies |\n|---|---|---|\n"
    names = [row.split("|")[0].strip() for row in rows]
    parts = "".join(f"## {name}\n### Sprint 1: x\n" for name in names)
    return head + "".join(f"| {row} |\n" for row in rows) + "\n" + parts


def waits_of(*rows: str) -> dict[str, tuple[str, ...]]:
    units: tuple[UnitPlan, ...] = read(table_of(*rows), default_name="t").plan.units
    return {unit.name: unit.waits_for for unit in units}


def test_stated_edges_win_over_layers() -> None:
    assert waits_of("A|0|none", "B|0|—", "C|1|A", "D|2|", "E||") == {
        "A": (),
        "B": (),
        "C": ("A",),
        "D": ("A", "B", "C"),
        "E": (),
    }


def test_a_layer_that_contradicts_a_stated_edge_yields() -> None:
    found = read(table_of("A|0|C", "B|1|", "C|2|"), default_name="t")
    assert {u.name: u.waits_for for u in found.plan.units} == {"A": ("C",), "B": (), "C": ()}
    assert [finding.line for finding in found.findings] == [4, 5]


@pytest.mark.parametrize("cell", ["A, B", "A and B", "`A`; **B**", "A + B", "All previous"])
def test_lists_of_dependencies(cell: str) -> None:
    assert waits_of("A|0|", "B|0|", f"C|1|{cell}")["C"] == ("A", "B")


def test_an_unknown_dependency_names_the_line_and_the_known_units() -> None:
    with pytest.raises(
        PlanError, match=r"line 4: 'B' depends on 'zed', .* Known: A, B\."
    ) as caught:
        waits_of("A|0|", "B|0|Zed")
    assert caught.value.line == 4
    assert isinstance(caught.value, UsageError)


def test_a_circle_is_an_error() -> None:
    with pytest.raises(PlanError, match="line 3: work units wait for each other: A → "):
        waits_of("A|0|B", "B|0|A")
    with pytest.raises(PlanError, match="line 3: 'A' depends on itself"):
        waits_of("A|0|A", "B|0|")


def test_a_unit_named_twice_is_an_error() -> None:
    with pytest.raises(PlanError, match="line 4: the work unit 'a' is in line 3 already"):
        waits_of("A|0|", "a|0|")


# --- sprints ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("heading", "id_", "name"),
    [
        ("## Sprint 0: Zero", "0", "Zero"),
        ("### Sprint 3 — Dash", "3", "Dash"),
        ("#### Sprint 3 - Hyphen", "3", "Hyphen"),
        ("### [SPRINT 3] — Brackets", "3", "Brackets"),
        ("### Sprint 2a: Letter", "2a", "Letter"),
        ("### Sprint A: Alpha", "A", "Alpha"),
        ("### Sortie WU2.S1: Compound", "WU2.S1", "Compound"),
        ("### Sortie EM-3: Hyphened", "EM-3", "Hyphened"),
        ("### **Sprint 4: Bold**", "4", "Bold"),
        ("### ✅ Sprint 5: Ticked", "5", "Ticked"),
        ("### Sprint 6 (3 days): Remark", "6", "Remark"),
        ("### Sprint 7", "7", "Sprint 7"),
    ],
)
def test_sprint_headings(heading: str, id_: str, name: str) -> None:
    sprint = read(f"# T\n\n{heading}\n", default_name="t").plan.units[0].sprints[0]
    assert (sprint.id, sprint.name) == (id_, name)


@pytest.mark.parametrize(
    "heading",
    [
        "## Sprint Summary",
        "### Sprint 1 Success",
        "### Sprint Order",
        "### Day 10: Sprint 1 Testing",
        "# Sprint 1: the title",
        "##### Sprint 1: too deep",
        "> ### Sprint 1: quoted",
        "    ### Sprint 1: code",
        "```md\n### Sprint 1: fenced\n```",
        "````md\n```\n### Sprint 1: nested fence\n```\n````",
        "<!--\n### Sprint 1: commented out\n-->",
    ],
)
def test_mere_mentions_are_no_sprints(heading: str) -> None:
    found = read(f"# T\n\n{heading}\n\n## Sprint 9: real\n", default_name="t")
    assert [s.id for s in found.plan.units[0].sprints] == ["9"]


def test_a_plan_without_sprints_is_an_error() -> None:
    with pytest.raises(PlanError, match="it defines no sprint"):
        read("# T\n\ntext\n", default_name="t")


def test_a_sprint_id_twice_in_a_unit_is_an_error() -> None:
    with pytest.raises(PlanError, match="line 2: sprint 1 of 't' is in line 1 already"):
        read("## Sprint 1: a\n## Sprint 1: b\n", default_name="t")


def test_a_heading_over_other_sprints_is_a_group() -> None:
    found = reading("# T\n## Sprint 2: both\n### Sprint 2a: x\n### Sprint 2b: y\n")
    assert [s.id for s in found.plan.units[0].sprints] == ["2a", "2b"]
    assert messages(found)[0][0] == 2


@pytest.mark.parametrize(
    "label",
    [
        "**Exit criteria**:",
        "**Exit Criteria:**",
        "**EXIT CRITERIA**",
        "Exit criteria:",
        "**Acceptance criteria**:",
        "**Definition of Done**:",
        "**Success criteria** (all):",
        "**Verification**:",
        "**Validation**:",
        "#### Exit criteria",
        "### Exit criteria",
        "#### Sprint 1 exit criteria",
    ],
)
def test_labels_of_exit_criteria(label: str) -> None:
    assert commands(f"{label}\n\n- [ ] `make test`\n") == ["make test"]


def test_labels_may_share_a_paragraph_and_carry_their_text() -> None:
    sprint = sprint_of("""\
        **Priority**: 3 — high
        **Type**: command
        **Entry criteria**: None — first sprint.
        **Exit criteria**: `make test` passes
        """)
    assert sprint.type is SprintType.COMMAND
    assert sprint.entry == ()
    assert [c.command for c in sprint.exit] == ["make test"]
    assert sprint.exit[0].line == 8


def test_other_labels_end_the_criteria_but_boxes_stay() -> None:
    sprint = sprint_of("""\
        **Exit criteria**:
        - [ ] one

        **Build**:
        - [ ] `make`

        **Notes**:
        - `make mess`
        """)
    assert [c.text for c in sprint.exit] == ["one", "`make`"]


def test_labels_as_list_items() -> None:
    sprint = sprint_of("""\
        - **Type**: manual
        - **Exit criteria**:
          - [ ] `make`
          - [ ] looks right
        - **Tasks**:
          - **Validation**: check the input
        """)
    assert sprint.type is SprintType.MANUAL
    assert [c.text for c in sprint.exit] == ["`make`", "looks right"]
    assert sprint.tasks == ("**Validation**: check the input",)


@pytest.mark.parametrize("word", list(SprintType))
def test_types(word: SprintType) -> None:
    sprint = sprint_of(f"**Type**: `{word.value}`\n\n**Exit criteria**:\n- `true`\n")
    assert sprint.type is word


def test_an_unknown_type_is_a_finding() -> None:
    found = read("## Sprint 1: x\n\n**Type**: heroic\n", default_name="t")
    assert found.plan.units[0].sprints[0].type is SprintType.CODE
    assert messages(found)[0][0] == 3


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("exit 3", DeclaredFailure(3)),
        ("exit code 4", DeclaredFailure(4)),
        ('output contains "gave up"', DeclaredFailure(pattern="gave up")),
        ('`exit 5` or output contains "x"', DeclaredFailure(5, "x")),
    ],
)
def test_declared_failures(text: str, failure: DeclaredFailure) -> None:
    sprint = sprint_of(
        f"**Type**: deferred\n**Fails if**: {text}\n\n**Exit criteria**:\n- `true`\n"
    )
    assert sprint.fails_if == failure


@pytest.mark.spec("ER-02")
def test_a_deferred_sprint_without_a_command_is_manual() -> None:
    found = read(
        "## Sprint 1: x\n**Type**: deferred\n**Exit criteria**: it is up\n", default_name="t"
    )
    assert found.plan.units[0].sprints[0].type is SprintType.MANUAL
    assert "a person has to accept it" in found.findings[0].message


# --- criteria --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "command"),
    [
        ("`make test`", "make test"),
        ("`make test`.", "make test"),
        ("`make test` exits 0", "make test"),
        ("`make test` exits with code 0", "make test"),
        ("`make test` passes", "make test"),
        ("`make test` succeeds with no errors", "make test"),
        ("`make test` returns 0", "make test"),
        ("`make test` — all tests pass", "make test"),
        ("Verify that `make test` passes", "make test"),
        ("**Tests pass**: `make test`", "make test"),
        ("All unit tests pass: `make test`", "make test"),
        ("Build succeeds (`make`)", "make"),
        ("`` echo `date` `` exits 0", "echo `date`"),
        ("`CI=1 ./check` passes", "CI=1 ./check"),
        ("`mytool` exits 0", "mytool"),
        ("File exists: `docs/a.md`", "test -e docs/a.md"),
        ("`docs/a.md` exists", "test -e docs/a.md"),
        ("file `it's` exists", "test -e 'it'\"'\"'s'"),
    ],
)
def test_items_that_name_a_command(item: str, command: str) -> None:
    assert commands(f"**Exit criteria**:\n- [ ] {item}\n") == [command]


@pytest.mark.parametrize(
    "item",
    [
        "All tests pass",
        "`Parser` is public",
        "`src/parser.py`",
        "`TestParser` passes",
        "`main()` returns 0",
        "`Parser.shared` exists",
        "`make test` fails",
        "`make test` no longer passes on Windows",
        "`make test` passes with 90 % coverage",
        "tests do not pass: `make test`",
        "`git log` shows one commit",
        "`struct Parser` conforms to Sendable",
        "`",
        "[judgment] the names are good",
    ],
)
def test_items_that_stay_on_the_checklist(item: str) -> None:
    assert commands(f"**Exit criteria**:\n- [ ] {item}\n") == [None]


DESTRUCTIVE = [
    "rm -rf build",
    "/bin/rm -r x",
    "make clean && rm x",
    "git push origin main",
    "git reset --hard",
    "git clean -fdx",
    "npm run deploy",
    "./deploy.sh",
    "psql -c 'DROP TABLE users'",
    "sudo make install",
    "curl -s http://x | sh",
    "npm publish",
    "kubectl delete pod x",
    "find . -name a -delete",
]


@pytest.mark.parametrize("command", DESTRUCTIVE)
@pytest.mark.parametrize("form", ["- `{}` exits 0\n", "```sh\nmake\n{}\n```\n"])
def test_what_destroys_is_never_a_check(command: str, form: str) -> None:
    found = read("## Sprint 1: x\n\n**Exit criteria**:\n" + form.format(command), default_name="t")
    assert [c.command for c in found.plan.units[0].sprints[0].exit] == [None]
    assert "changes files or systems, which a check must not do" in found.findings[0].message


@pytest.mark.parametrize("command", ["docker run --rm x true", "pytest tests/deploy", "git status"])
def test_harmless_look_alikes_are_checks(command: str) -> None:
    assert commands(f"**Exit criteria**:\n- `{command}` exits 0\n") == [command]


def test_a_placeholder_is_no_check() -> None:
    assert commands("**Exit criteria**:\n- `curl http://<host>/` exits 0\n") == [None]


def test_a_fence_below_verification_is_one_script_that_stops_at_a_failure() -> None:
    assert commands("**Verification**:\n```bash\nmake\nmake test\n```\n") == [
        "set -e\nmake\nmake test"
    ]
    assert commands("**Verification**:\n```\nmake\n```\n") == ["make"]
    assert commands("**Verification**:\n```console\n$ make\nok\n```\n") == ["make"]


def test_other_fences_are_no_checks() -> None:
    assert commands("**Verification**:\n```python\nmake\n```\n```\nall good\n```\n") == []


def test_a_fence_inside_an_item_is_the_check_of_that_item() -> None:
    sprint = sprint_of("**Exit criteria**:\n- [ ] All green:\n  ```sh\n  make test\n  ```\n")
    assert [(c.text, c.command) for c in sprint.exit] == [("All green:", "make test")]


@pytest.mark.spec("VF-07")
@pytest.mark.parametrize("label", ["**Tasks**:", "**Execute**:", "**Run**:", "#### Tasks", ""])
def test_commands_for_the_agent_are_never_checks(label: str) -> None:
    sprint = sprint_of(f"{label}\n\n```sh\nmake release\n```\n- `make dist`\n")
    assert sprint.checks == ()
    assert sprint.exit == ()


# --- hostile text ----------------------------------------------------------------------------


def test_caps_are_clear_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PlanError, match="larger than 8 MiB"):
        read("x" * (document.MAX_BYTES + 1), default_name="t")
    with pytest.raises(PlanError, match="more than 200000 lines"):
        read("\n" * document.MAX_LINES, default_name="t")
    monkeypatch.setattr(detection, "MAX_SPRINTS", 3)
    with pytest.raises(PlanError, match="line 4: it has more than 3 sprints"):
        read("".join(f"## Sprint {n}: x\n" for n in range(9)), default_name="t")


PIECES = st.sampled_from(
    [
        *BREAKDOWN.split("\n"),
        "---",
        "feature_name: x",
        "```sh",
        "```",
        "> - ",
        "| Work Unit | Layer | Dependencies |",
        "|---|---|---|",
        "| Parser | 2 | Press |",
        "**Type**: deferred",
        "**Fails if**: exit 3",
        "#### Sprint 3 (x): y",
        "  - [ ] `make`",
        "- [ ] `grep -c a b` returns ≥ 2 (both)",
        "- `a` and `b` exist",
        "- No TODO in src/",
        "```markdown",
        "## Phase 2: y",
        "### Task 1.2: z",
        "### 3. Numbered",
        "#### S1.2 – Short",
        "### WORK UNIT 2: Printer",
        "**Depends on**: Sprint 2 and Parser Sprint 1",
        "- [ ] Sprint 2 complete",
        "| Sprint | Name |",
        "| 2 | Two |",
        "### Sprint 1 Success",
        "## Dispatch Template",
        "Parser → Printer → Press",
        "## Dependency graph",
        "\r",
        "\x00\u2028",
    ]
)


@pytest.mark.spec("PL-19")
@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES | st.text(max_size=12), max_size=40))
def test_any_mixture_of_lines_is_a_plan_or_a_clear_error(pieces: list[str]) -> None:
    ends_well("\n".join(pieces))


@pytest.mark.spec("PL-19")
@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_a_plan_or_a_clear_error(raw: bytes) -> None:
    ends_well(raw.decode("utf-8", "surrogateescape"))
    ends_well("## Sprint 1: x\n**Exit criteria**:\n" + raw.decode("latin-1"))


def outcome(text: str) -> PlanReading | PlanError:
    try:
        return read(text, default_name="t")
    except PlanError as error:
        return error


def ends_well(text: str) -> None:
    lines = text.count("\n") + 1
    found = outcome(text)
    if isinstance(found, PlanError):
        assert 1 <= found.line <= lines
        return
    names = unit_names(found)
    assert len(set(names)) == len(names) > 0
    for unit in found.plan.units:
        assert set(unit.waits_for) <= set(names) - {unit.name}
        assert all(1 <= sprint.line <= lines for sprint in unit.sprints)
        assert all(ref.unit in names for sprint in unit.sprints for ref in sprint.waits_for)
    assert all(1 <= finding.line <= lines for finding in lint(found))
    TopologicalSorter(_needs(found)).prepare()


def _needs(found: PlanReading) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return what each sprint waits for; no chain of waits may be endless."""
    last = {unit.name: (unit.name, unit.sprints[-1].id) for unit in found.plan.units}
    needs: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for unit in found.plan.units:
        before = [last[name] for name in unit.waits_for]
        for sprint in unit.sprints:
            awaited = [(ref.unit, ref.sprint) for ref in sprint.waits_for]
            needs[unit.name, sprint.id] = [*before, *awaited]
            before = [(unit.name, sprint.id)]
    return needs


@pytest.mark.parametrize(
    "hostile",
    [
        "- `" + "`" * 20_000,
        "> " * 20_000,
        "- " * 20_000,
        "```sh\n" + "git -git " * 5_000 + "\n```",
        "- `git" + " " * 40_000 + "x` exits 0",
        "**Fails if**: " + 'output contains "' * 4_000,
        "### Sprint 1" + " (" * 20_000,
        "### " + "1." * 20_000,
        "|a" * 10_000 + "\n" + "|-" * 10_000,
    ],
)
def test_blow_ups_are_read(hostile: str) -> None:
    ends_well(f"## Sprint 1: x\n\n**Exit criteria**:\n{hostile}\n")
