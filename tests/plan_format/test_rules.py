"""Units, sprints and dependencies are found in plans as people write them."""

import textwrap

import pytest

from topkick.engine.errors import PlanError
from topkick.plan_format.document import PlanReading, read
from topkick.plan_format.model import SprintRef, SprintType
from topkick.plan_format.structure import sections
from topkick.plan_format.units.kinds import kind_of


def reading(text: str, root: str = "", name: str = "folder") -> PlanReading:
    return read(textwrap.dedent(text), default_name=name, root=root)


def ids(found: PlanReading) -> dict[str, list[str]]:
    return {unit.name: [sprint.id for sprint in unit.sprints] for unit in found.plan.units}


def told(found: PlanReading) -> str:
    return "\n".join(f"{finding.line}: {finding.message}" for finding in found.findings)


# --- sprints (PL-11) -------------------------------------------------------------------------


@pytest.mark.spec("PL-11")
@pytest.mark.parametrize(
    ("text", "rule", "sprints"),
    [
        ("## [SPRINT 0] Clean\n- a\n## [SPRINT 1] More\n- b\n", "say Sprint", ["0", "1"]),
        ("### Sortie 3a2.1: Deep\n- a\n", "say Sprint", ["3a2.1"]),
        ("## WU1: A\n### S1.1 – One\n- a\n### S1.2 – Two\n- b\n", "S1.2", ["S1.1", "S1.2"]),
        ("| Sprint | Name |\n|-|-|\n| 1 | a |\n| 2b | b |\n| **Sum** | |\n", "table", ["1", "2b"]),
        ("| Sprint | Scope |\n|-|-|\n| **Step 0** | Zero |\n", "table", ["0"]),
        ("## W\n### Task 1.1: a\n- x\n### Task 1.2: b\n### Task 2.1: c\n", "Task N.M", ["1", "2"]),
        ("## Phase 1: One\n- a\n## Phase 2 — Two\n- b\n", "say Phase", ["1", "2"]),
        ("## Day 1 — a\n- x\n## Week 2\n### Day 2 — b\n- y\n", "say Day", ["1", "2"]),
        ("## فاز ۲: الف\n- x\n## فاز ۳: ب\n- y\n", "say Phase", ["۲", "۳"]),
        ("## 1. Phase 0 计划：基线\n- x\n## 2. Phase 1 计划：闭环\n- y\n", "say Phase", ["0", "1"]),
        ("## Parser\n- [ ] a\n## Printer\n- [ ] b\n", "with checkboxes", ["1", "2"]),
        ("## 1. Parser\n- a\n## 2. Printer\n- b\n", "numbered", ["1", "2"]),
    ],
)  # fmt: skip
def test_sprints_are_found_by_the_first_rule_that_fits(
    text: str, rule: str, sprints: list[str]
) -> None:
    found = reading(f"# T\n\n{text}")
    assert rule in found.sprint_rule
    assert [s.id for u in found.plan.units for s in u.sprints] == sprints


@pytest.mark.spec("PL-11")
def test_earlier_rules_win_over_later_ones() -> None:
    text = """
        # T
        ## Phase 1: All of it
        ### Sprint 1: One
        - a
        #### Task 2.1: a task of sprint 1
        - [ ] b

        | Sprint | Name |
        |--------|------|
        | 9 | not this |
        """
    assert ids(reading(text)) == {"T": ["1"]}


@pytest.mark.spec("PL-11")
def test_phases_that_hold_all_tasks_are_the_sprints_and_lose_none() -> None:
    text = """
        ## Phase 0 — Base
        ### Task 0.1: a
        - x
        ## Phase 1 — Rest
        - only a list
        """
    found = reading(text)
    assert [s.name for s in found.plan.units[0].sprints] == ["Base", "Rest"]
    assert found.plan.units[0].sprints[0].tasks == ("Task 0.1: a",)


@pytest.mark.spec("PL-11")
def test_tasks_beside_the_phases_are_not_lost() -> None:
    text = """
        ## Phase 1: Base
        ### Task 1.1: a
        - x
        ## Final steps
        ### Task 2.1: b
        - y
        """
    found = reading(text)
    assert [(s.id, s.name) for s in found.plan.units[0].sprints] == [
        ("1", "Phase 1: Base"),
        ("2", "Final steps"),
    ]


@pytest.mark.spec("PL-10", "PL-12")
def test_steps_that_run_on_through_phases_are_sprints_of_units_in_a_row() -> None:
    text = """
        # T
        ### PHASE 0: outline only
        ### PHASE 1: outline only
        ## PHASE 0 — Base
        ### Step 1: a
        - x
        ### Step 2: b
        - x
        ## PHASE 1 — Core
        ### Step 3: c
        - x
        """
    found = reading(text)
    assert ids(found) == {"PHASE 0 — Base": ["1", "2"], "PHASE 1 — Core": ["3"]}
    assert found.plan.units[1].waits_for == ("PHASE 0 — Base",)


@pytest.mark.spec("PL-11")
@pytest.mark.parametrize(
    "text",
    [
        "## Archive: old plans\n### Sprint 1: Gone\n- a\n",
        "## Notes\nSome words.\n",
        "## Phase 2 Complete When:\n- all is well\n",
        "",
    ],
)
def test_a_plan_without_work_is_a_clear_error(text: str) -> None:
    with pytest.raises(PlanError, match="line 1: it defines no sprint"):
        reading(f"# T\n\n{text}")


# --- units (PL-10) ---------------------------------------------------------------------------


@pytest.mark.spec("PL-10")
def test_the_table_that_says_most_of_units_is_taken() -> None:
    text = """
        ## Imports
        | Package | May Import |
        |---------|-----------|
        | lib-a | stdlib only |
        | lib-b | stdlib + `lib_a` |

        ## 8. Package: lib-a
        **Detailed reference**: `lib-a/TODO.md`
        | Sprint | Name |
        |--------|------|
        | 1 | One |

        ## 9. Package: lib-b
        **Layer**: 1 (depends on a)
        | Sprint | Name |
        |--------|------|
        | 1 | Two |

        ## Appendix
        | Package | Layer | Sprints |
        |---------|-------|---------|
        | lib-a | 0 | 1 |
        | lib-b | 1 | 1 |
        | **Total** | | 2 |
        | + Reconciliation | | TBD |
        """
    found = reading(text)
    assert ids(found) == {"lib-a": ["1"], "lib-b": ["1"]}
    assert [u.section for u in found.plan.units] == ["8", "9"]
    assert [u.directory for u in found.plan.units] == ["lib-a", "."]
    assert [u.imports for u in found.plan.units] == ["stdlib only", "stdlib + `lib_a`"]
    assert found.plan.units[1].waits_for == ("lib-a",)


@pytest.mark.spec("PL-10")
def test_a_table_of_names_alone_yields_to_one_that_says_more() -> None:
    text = """
        ## Owners
        | Module | Sprints |
        |--------|---------|
        | core | 1 |
        | shell | 1 |

        ## Units
        | Module | Directory | Sprints | Dependencies |
        |--------|-----------|---------|--------------|
        | core | lib/core | 1 | |
        | shell | bin | 1 | core |

        ## core
        ### Sprint 1: a
        - x
        ## shell
        ### Sprint 1: b
        - x
        """
    found = reading(text)
    assert [(u.name, u.directory) for u in found.plan.units] == [
        ("core", "lib/core"),
        ("shell", "bin"),
    ]
    assert found.plan.units[1].waits_for == ("core",)


@pytest.mark.spec("PL-10")
def test_headings_of_units_at_any_level_win_over_a_table_that_does_not_fit() -> None:
    text = """
        ## Work Units & Sorties
        ### WORK UNIT 1: Bump
        #### Sortie 1.1: a
        - x
        ### WORK UNIT 2: Paths
        #### Sortie 2.1: b
        - x
        ## Timeline
        | Phase | Sorties | Notes |
        |-------|---------|-------|
        | Paths | 1 | quick |
        | Review | 1 | slow |
        """
    assert ids(reading(text)) == {"Bump": ["1.1"], "Paths": ["2.1"]}


@pytest.mark.spec("PL-10")
def test_sections_that_talk_of_sprints_are_no_units() -> None:
    text = """
        # T
        ## Current Sprint
        ### Sprint 2 — now
        - a
        ## Sprint History
        ### Sprint 1 — then
        - b
        """
    assert ids(reading(text)) == {"T": ["2", "1"]}


@pytest.mark.spec("PL-10")
def test_sprints_in_a_section_that_the_table_does_not_know_are_kept_and_said() -> None:
    text = """
        | Work Unit | Sprints |
        |-----------|---------|
        | A | 1 |
        | B | 1 |

        ## A
        ### Sprint 1: a
        ## B
        ### Sprint 1: b
        ## Extra
        ### Sprint 1: c
        """
    found = reading(text)
    assert ids(found) == {"A": ["1"], "B": ["1"], "Extra": ["1"]}
    assert "'Extra' holds sprints but is not in the table" in told(found)


@pytest.mark.spec("PL-10")
def test_units_in_several_repositories() -> None:
    text = """
        | Work Unit | Directory | Sprints |
        |-----------|-----------|---------|
        | App | /srv/them/Projects/app | 1 |
        | Lib | /srv/them/Projects/lib | 1 |
        | Tool | ../tool | 1 |
        | Deep | /srv/them/Projects/app/src | 1 |

        ## App
        ### Sprint 1: a
        ## Lib
        ### Sprint 1: b
        ## Tool
        ### Sprint 1: c
        ## Deep
        ### Sprint 1: d
        """
    found = reading(text, root="/srv/us/app", name="app")
    assert [u.directory for u in found.plan.units] == [".", "../lib", "../tool", "src"]


# --- dependencies (PL-12, GT-08) -------------------------------------------------------------

UNITS = """
    | Work Unit | Layer | Dependencies |
    |-----------|-------|--------------|
    {rows}

    ## WU-1: A
    ### Sprint 1: a1
    {a1}
    ### Sprint 2: a2
    - x
    ## WU-2: B
    ### Sprint 3: b1
    {b1}
    ### Sprint 4: b2
    {b2}
    ## WU-3: C
    ### Sprint 5: c1
    - x
    """


def units(rows: list[str], a1: str = "- x", b1: str = "- x", b2: str = "- x") -> PlanReading:
    cells = "\n    ".join(f"| {row} |" for row in rows)
    return reading(UNITS.format(rows=cells, a1=a1, b1=b1, b2=b2))


def waits(found: PlanReading) -> list[tuple[str, ...]]:
    return [unit.waits_for for unit in found.plan.units]


A, B, C = "WU-1: A", "WU-2: B", "WU-3: C"


@pytest.mark.spec("PL-12")
@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("none", ()),
        ("WU-1", (A,)),
        ("WU1, WU2", (A, B)),
        ("WU-1 through WU-2", (A, B)),
        ("WU1–2", (A, B)),
        ("All previous", (A, B)),
        ("all others", (A, B)),
        ("A and B", (A, B)),
        ("WU-1 (its release)", (A,)),
    ],
)
def test_what_a_dependency_cell_names(cell: str, names: tuple[str, ...]) -> None:
    assert waits(units([f"{A} | 0 | none", f"{B} | 0 | none", f"{C} | 2 | {cell}"]))[2] == names


NUMBERED = """
    # A plan
    ### Work Unit 1: Alpha
    #### Sprint 1: a1
    - x
    ### Work Unit 2: Beta
    #### Sprint 1: b1
    - x
    ### Work Unit 3: Gamma
    **Dependencies**: {text}
    #### Sprint 1: c1
    - x
    """


@pytest.mark.spec("PL-12")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Work Unit 1", ("Alpha",)),
        ("Work Unit 1.", ("Alpha",)),
        ("Work Unit 1 (all three sorties must complete first).", ("Alpha",)),
        ("Work Unit 1 must complete first", ("Alpha",)),
        ("Work Units 1", ("Alpha",)),
        ("Unit 1", ("Alpha",)),
        ("WU1", ("Alpha",)),
        ("WU-1", ("Alpha",)),
        ("1", ("Alpha",)),
        ("1 and 2", ("Alpha", "Beta")),
        ("1-2", ("Alpha", "Beta")),
        ("U1", ("Alpha",)),
        ("Alpha.", ("Alpha",)),
        ("Alpha, Beta.", ("Alpha", "Beta")),
        ("None.", ()),
        ("Work Units 1-2", ("Alpha", "Beta")),
        ("Work Units 1 and 2 must both complete", ("Alpha", "Beta")),
        ("Work Unit 1 or Work Unit 2", ("Alpha", "Beta")),
    ],
)
def test_a_numbered_heading_can_be_called_by_its_number(text: str, names: tuple[str, ...]) -> None:
    found = reading(NUMBERED.format(text=text))
    assert waits(found)[2] == names
    assert "outside the plan" not in told(found)


@pytest.mark.spec("PL-12")
def test_a_heading_gives_its_number_to_the_row_of_the_table() -> None:
    table = """
    # A plan
    | Work Unit | Dependencies |
    |---|---|
    | Alpha | none |
    | Beta | Work Unit 1, which sets up the ground |
    ## Work Unit 1: Alpha
    ### Sprint 1: a1
    - x
    ## Work Unit 2: Beta
    ### Sprint 1: b1
    - x
    """
    assert waits(reading(table)) == [(), ("Alpha",)]


@pytest.mark.spec("PL-12")
@pytest.mark.parametrize("more", ["must complete first", "and a key", "(released)"])
def test_a_sentence_that_begins_with_a_number_nobody_has_is_an_error(more: str) -> None:
    with pytest.raises(PlanError, match="depends on 'work unit 9', which is not a work unit"):
        reading(NUMBERED.format(text=f"Work Unit 9 {more}"))


@pytest.mark.spec("PL-12")
def test_stated_edges_win_over_layers() -> None:
    found = units([f"{A} | 0 | none", f"{B} | 1 | none", f"{C} | 2 | WU-1"])
    assert waits(found) == [(), (), (A,)]
    found = units([f"{A} | 0 |", f"{B} | 1 |", f"{C} | 2 |"])
    assert waits(found) == [(), (A,), (A, B)]


@pytest.mark.spec("PL-12")
def test_an_unknown_name_is_an_error_and_a_sentence_is_a_condition() -> None:
    with pytest.raises(PlanError, match=r"line 6: .*depends on 'wu-9', which is not a work unit"):
        units([f"{A} | 0 | none", f"{B} | 0 | none", f"{C} | 1 | WU-9"])
    found = units([f"{A} | 0 | none", f"{B} | 0 | none", f"{C} | 1 | the vendor ships the keys"])
    assert "waits for something outside the plan" in told(found)


@pytest.mark.spec("GT-08", "PL-12")
@pytest.mark.parametrize(
    "said",
    [
        "**Depends on**: Sprint 1",
        "> **Depends on**: A Sprint 1",
        "**Entry criteria**:\n    - [ ] Sprint 1 complete",
        "**Entry criteria**: Sprint 1 exit criteria satisfied.",
    ],
)
def test_a_sprint_may_wait_for_one_of_another_unit(said: str) -> None:
    found = units([f"{A} | | none", f"{B} | | none", f"{C} | | none"], b2=said)
    assert found.plan.units[1].sprints[1].waits_for == (SprintRef(A, "1"),)
    assert waits(found) == [(), (), ()]


@pytest.mark.spec("GT-08")
def test_what_the_unit_waits_for_anyway_is_not_said_twice() -> None:
    found = units([f"{A} | | none", f"{B} | | A", f"{C} | | none"], b2="**Depends on**: Sprint 1")
    assert found.plan.units[1].sprints[1].waits_for == ()


@pytest.mark.spec("GT-08")
@pytest.mark.parametrize("cell", ["A/1", "WU-1 Sprint 1 complete", "A-S1"])
def test_a_unit_may_wait_for_a_single_sprint(cell: str) -> None:
    found = units([f"{A} | | none", f"{B} | | {cell}", f"{C} | | none"])
    assert found.plan.units[1].sprints[0].waits_for == (SprintRef(A, "1"),)


@pytest.mark.spec("GT-08", "PL-12")
def test_the_sprint_that_is_worked_on_first_waits_for_what_the_unit_waits_for() -> None:
    rows = [f"{A} | | none", f"{B} | | A/1", f"{C} | | none"]
    unit = units(rows, b1="**Depends on**: Sprint 4").plan.units[1]
    assert [(s.id, s.waits_for) for s in unit.sprints] == [
        ("4", (SprintRef(A, "1"),)),
        ("3", ()),
    ]


@pytest.mark.spec("GT-08")
def test_arrows_in_a_cell_are_pairs_of_sprints() -> None:
    found = units([f"{A} | | none", f"{B} | | S4 ← A-S2", f"{C} | | none"])
    assert found.plan.units[1].sprints[1].waits_for == (SprintRef(A, "2"),)


@pytest.mark.spec("GT-08")
def test_sprints_that_would_wait_for_each_other_do_not_and_it_is_said() -> None:
    found = units(
        [f"{A} | | none", f"{B} | | none", f"{C} | | none"],
        a1="**Depends on**: Sprint 4",
        b1="**Depends on**: Sprint 2",
    )
    assert all(s.waits_for == () for u in found.plan.units for s in u.sprints)
    assert "cannot wait for" in told(found)


@pytest.mark.spec("PL-12")
def test_sprints_may_state_their_order_inside_a_unit() -> None:
    text = """
        ## Sprint 1: a
        - x
        ## Sprint 2: b
        > **Depends on**: Sprint 1
        ## Sprint 3: c
        > **Depends on**: Sprint 1
        ## Sprint 4: d
        > **Depends on**: Sprint 2 AND Sprint 3
        """
    found = reading(text)
    unit = found.plan.units[0].name
    pairs = [(before[1], after[1]) for before, after in found.after]
    assert pairs == [("1", "2"), ("1", "3"), ("2", "4"), ("3", "4")]
    assert {before[0] for before, _ in found.after} == {unit}


@pytest.mark.spec("PL-12")
def test_a_sprint_comes_after_what_it_depends_on_wherever_it_stands() -> None:
    text = """
        ## Sprint 1: a
        - x
        ## Sprint 2: b
        **Depends on**: Sprint 3
        ## Sprint 3: c
        - x
        """
    found = reading(text)
    assert [s.id for s in found.plan.units[0].sprints] == ["1", "3", "2"]
    assert "Sprint 2 runs later than the plan lists it" in told(found)


@pytest.mark.spec("PL-12")
def test_a_mention_in_an_entry_criterion_is_no_dependency() -> None:
    text = """
        ## Sprint 1: a
        **Entry criteria**:
        - Keys are complete. Sprint 2 needs them too.
        ## Sprint 2: b
        - x
        """
    assert reading(text).after == ()


@pytest.mark.spec("PL-12")
@pytest.mark.parametrize(
    "drawing",
    [
        "```mermaid\ngraph TD\n  a[WU-1: A] --> b[WU-2: B]\n  b --> c[WU-3: C]\n```",
        "```\nA → B → C\n```",
        "```\nWU-2: B (Layer 1 — depends on: WU-1)\nWU-3: C (depends on: B)\n```",
    ],
)
def test_drawings_are_read(drawing: str) -> None:
    text = units([f"{A} | |", f"{B} | |", f"{C} | |"])
    plain = textwrap.dedent(UNITS).format(
        rows=f"| {A} | | |\n| {B} | | |\n| {C} | | |", a1="- x", b1="- x", b2="- x"
    )
    assert waits(text) == [(), (), ()]
    found = read(f"{plain}\n## Dependency graph\n{drawing}\n", default_name="t")
    assert waits(found) == [(), (A,), (B,)]


@pytest.mark.spec("PL-18")
def test_a_drawing_that_is_not_understood_is_said() -> None:
    plain = textwrap.dedent(UNITS).format(
        rows=f"| {A} | | |\n| {B} | | |\n| {C} | | |", a1="- x", b1="- x", b2="- x"
    )
    found = read(f"{plain}\n## Dependencies\n```\n┌───┐\n│ ? │\n└─┬─┘\n```\n", default_name="t")
    assert "topkick does not understand this drawing" in told(found)


# --- parts of a sprint (PL-13, PL-16) --------------------------------------------------------


@pytest.mark.spec("PL-13")
def test_criteria_that_stand_far_away_belong_to_their_sprint() -> None:
    text = """
        ## Sprint 1: One
        **Sprint 1 Deliverables:**
        - a thing
        ## Success Criteria
        ### Sprint 1 Success
        - [ ] `make one` passes
        - [ ] it is nice
        """
    sprint = reading(text).plan.units[0].sprints[0]
    assert [c.command for c in sprint.exit] == ["make one", None]


@pytest.mark.spec("PL-13")
def test_deliverables_stand_in_where_there_are_no_criteria() -> None:
    sprint = reading("## Sprint 1: One\n**Deliverables:**\n- File exists: `a.py`\n").plan.units[0]
    assert sprint.sprints[0].checks[0].command == "test -e a.py"


@pytest.mark.spec("PL-13")
@pytest.mark.parametrize(
    "label",
    [
        "**Exit criteria**:",
        "**Acceptance Criteria** (all):",
        "### Definition of Done",
        "### Success Criteria",
        "**Validation:**",
        "Verification:",
        "**Critérios de aceite:**",
        "**Abnahmekriterien:**",
        "**验收标准**：",
        "#### Sprint 1 Exit Criteria",
    ],
)
def test_labels_of_criteria(label: str) -> None:
    sprint = reading(f"## Sprint 1: One\n\n{label}\n\n- `make` passes\n").plan.units[0].sprints[0]
    assert [c.command for c in sprint.exit] == ["make"]


@pytest.mark.spec("PL-13")
def test_a_sentence_that_leads_to_a_list_is_no_criterion() -> None:
    text = "## Sprint 1: a\n**Exit criteria**:\n\nAll of these hold:\n\n- `make` passes\n"
    assert len(reading(text).plan.units[0].sprints[0].exit) == 1


@pytest.mark.spec("PL-11")
def test_coded_headings_below_a_sprint_are_its_tasks() -> None:
    text = "## Sprint 10: a\n### S10-1: One\n- x\n- y\n### S10-2: Two\n- z\n"
    assert reading(text).plan.units[0].sprints[0].tasks == ("S10-1: One", "S10-2: Two")


@pytest.mark.spec("PL-13")
def test_boxes_of_another_part_are_no_criteria() -> None:
    text = """
        ### Sprint 4: Tests
        **Entry criteria**:
        - [ ] Sprint 3 complete
        **Tasks**:
        1. Write them
        **Test Coverage Required**:
        **Folder Tests**:
        - [ ] finds it
        **Exit criteria**:
        - [ ] `make test` passes
        """
    found = reading(text)
    sprint = found.plan.units[0].sprints[0]
    assert (len(sprint.entry), len(sprint.exit), sprint.tasks) == (1, 1, ("Write them",))


@pytest.mark.spec("PL-13")
def test_checks_for_every_sprint_are_checks_of_each() -> None:
    text = """
        ## Rules
        ### Universal Exit Criteria (apply to every sprint)
        - `make lint` passes
        ## Work
        ### Sprint 1: a
        **Exit criteria**:
        - `make a` passes
        ### Sprint 2: b
        - x
        """
    sprints = reading(text).plan.units[0].sprints
    assert [[c.command for c in s.exit] for s in sprints] == [
        ["make a", "make lint"],
        ["make lint"],
    ]


@pytest.mark.spec("PL-16")
@pytest.mark.parametrize(
    ("name", "tasks", "kind"),
    [
        ("Write the parser", (), SprintType.CODE),
        ("Deploy to staging", (), SprintType.COMMAND),
        ("Deploy scripts", ("Write deploy.sh", "Test it"), SprintType.CODE),
        ("Rollout", ("Run the migration", "Execute the check"), SprintType.COMMAND),
        ("Wait for the store review", (), SprintType.DEFERRED),
        ("Kick off training", (), SprintType.BACKGROUND),
        ("Spot-check the voices", (), SprintType.MANUAL),
        ("Fix the deploy", (), SprintType.CODE),
    ],
)
def test_kinds_of_work(name: str, tasks: tuple[str, ...], kind: SprintType) -> None:
    assert kind_of(name, tasks) is kind


# --- Markdown as it comes (PL-19) ------------------------------------------------------------


@pytest.mark.spec("PL-19")
def test_a_fence_in_a_fence_does_not_turn_the_rest_inside_out() -> None:
    text = """
        ### Sprint 1: Docs

        ```markdown
        ## Not a heading
        ```bash
        make
        ```
        ### Sprint 9: not a sprint
        ```

        **Exit criteria**:
        - `make docs` passes
        ### Sprint 2: Next
        - x
        """
    found = reading(text)
    assert [s.id for s in found.plan.units[0].sprints] == ["1", "2"]
    assert [c.command for c in found.plan.units[0].sprints[0].exit] == ["make docs"]


@pytest.mark.spec("PL-19")
def test_fences_that_do_not_balance_are_read_as_markdown_says() -> None:
    parts = sections("```markdown\n```bash\nx\n```\n# Heading\n")
    assert [part.title for part in parts] == ["", "Heading"]


@pytest.mark.spec("PL-19")
def test_escaped_bars_stay_in_their_cell() -> None:
    found = reading("| Sprint | Name |\n|-|-|\n| 1 | a \\| b |\n")
    assert found.plan.units[0].sprints[0].name == "a | b"


@pytest.mark.spec("PL-13")
@pytest.mark.parametrize("label", ["Execute", "Run", "Steps", "Tasks"])
def test_what_the_agent_is_to_run_is_never_run_as_a_check(label: str) -> None:
    text = f"""
        ## Sprint 1: a
        **Validation**:
        ```bash
        make check
        ```
        **{label}**:
        ```bash
        make release
        ```
        """
    (sprint,) = reading(text).plan.units[0].sprints
    assert [criterion.command for criterion in sprint.exit] == ["make check"]


# --- what else it says (PL-14, PL-15, PL-17, PL-18, PL-20) -----------------------------------


@pytest.mark.spec("PL-14")
@pytest.mark.parametrize(
    ("section", "text"),
    [
        ("## Dispatch Template\n```\nYou are on <SPRINT_NAME>\n```", "You are on <SPRINT_NAME>"),
        ("## Appendix D: Prompt\n```\nYou are <N>\n```", "You are <N>"),
        ("## Appendix D: URL format\n```\nhttps://x/<repo>\n```", ""),
        ("## Config\n```yaml\ntemplate: |\n  You are <N>\n  go\nother: 1\n```", "You are <N>\ngo"),
        (
            "## Agent Prompt\n```\nYou are in /srv/them/P/<PACKAGE_DIR>/, read "
            "/srv/them/P/EXECUTION_PLAN.md\n```",
            "You are in $PROJECT_ROOT/<PACKAGE_DIR>/, read $PROJECT_ROOT/EXECUTION_PLAN.md",
        ),
    ],
)
def test_templates(section: str, text: str) -> None:
    found = read(f"# T\n## Sprint 1: a\n- x\n{section}\n", default_name="t")
    assert found.plan.template.strip() == text


@pytest.mark.spec("PL-15", "PL-17", "PL-20")
def test_files_questions_dangers_and_rules_of_its_own() -> None:
    text = """
        # T
        ## Sprint 1: a
        Read PROGRESS.md and `docs/SPEC.md`, as SPRINT_PLAN.md says. The name is TBD.
        ```bash
        rm -rf build
        make
        ```
        ## Retry Policy
        Try seven times.
        """
    found = reading(text)
    assert found.plan.files == ("PROGRESS.md", "docs/SPEC.md")
    assert [danger.message for danger in found.notes.dangers] == ["rm -rf build"]
    assert "Open: Read PROGRESS.md" in told(found)
    assert "topkick does not follow 'Retry Policy'; it keeps its own rules" in told(found)
    assert found.plan.units[0].sprints[0].exit == ()


@pytest.mark.spec("PL-18")
def test_every_heading_has_a_role() -> None:
    text = """
        # T
        ## Background
        ## Rules
        ### Style
        ## Work
        ### Sprint 1: a
        #### Exit Criteria
        - x
        #### Notes
        ## Success Criteria
        - all
        """
    roles = {one.title: (one.role, one.used) for one in reading(text).outline}
    assert roles["Background"] == ("background: no work is read from it", False)
    assert roles["Style"] == ("rules that are in every prompt", True)
    assert roles["Sprint 1: a"] == ("sprint 1", True)
    assert roles["Exit Criteria"] == ("exit criteria", True)
    assert roles["Notes"] == ("part of sprint 1", True)
    assert roles["Success Criteria"] == ("checks for the whole plan", True)
