"""The commands that prove units together, the phases, and sprints about dependencies alone."""

import textwrap

import pytest

from topkick.engine import messages as h
from topkick.engine.agents.program import AgentProgram
from topkick.engine.fold import apply
from topkick.engine.settings import Settings
from topkick.plan_format.document import PlanReading, read
from topkick.plan_format.front_matter import content_hash
from topkick.plan_format.model import Plan, SprintPlan
from topkick.plan_format.order.gate_commands import builds, prepared
from topkick.sprint.model import Mission
from topkick.sprint.start.plan_difference import difference


def reading(text: str) -> PlanReading:
    return read(textwrap.dedent(text), default_name="folder")


def not_run(found: PlanReading) -> list[tuple[int, str]]:
    start = "Not run as a gate: "
    return [
        (one.line, one.message.removeprefix(start).rstrip("."))
        for one in found.findings
        if one.message.startswith(start)
    ]


# --- the gate of everything (GT-02) ----------------------------------------------------------

TWO = "## Parser\n\n### Sprint 1: One\n- a\n\n## Printer\n\n### Sprint 1: Two\n- b\n"
ONE = "### Sprint 1: One\n- a\n"


def gate(text: str, sprints: str = TWO) -> tuple[str, ...]:
    return read(f"# T\n\n{text}\n\n{sprints}", default_name="folder").plan.gate


@pytest.mark.spec("GT-02")
@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("**Build gate**: `make test`", ("make test",)),
        ("**Build gate:** run `make build` and `make test`", ("make build", "make test")),
        ("Build gate: `make test` must pass after every phase.", ("make test",)),
        ("Build gates: after each wave, run `make test`.", ("make test",)),
        ("1. Build gate — `make test` → all green", ("make test",)),
        ("## Build gate\n\nRun:\n```bash\nmake test\n```", ("make test",)),
        ("BUILD CHECKPOINT: `cargo test --all`", ("cargo test --all",)),
        ("> **BUILD CHECKPOINT**: `cargo test --all`", ("cargo test --all",)),
        ("Build & test: `npm run build && npm test`", ("npm run build && npm test",)),
        ("- Build command: `go build ./...`\n- Test command: `go test ./...`",
         ("go build ./...", "go test ./...")),
        ("- **Build**: `swift build`\n- **Test**: `swift test`", ("swift build", "swift test")),
        ("- [ ] Full test suite: `pytest -q` exits 0", ("pytest -q",)),
        ("**Gate command**:\n\n```bash\nmake build\nmake test\n```", ("make build", "make test")),
        ("## Build Gate\n\nWhen a phase is over:\n\n```sh\nmake all  # both\n```", ("make all",)),
        ("## Build gate: `make all`", ("make all",)),
        ("## 7. Final Verification\n\n- [ ] `make test` passes\n- [ ] The README is good\n",
         ("make test",)),
        ("## Build and test\n\n```\n$ make test\nok\n```", ("make test",)),
        ("Build gate: `make test`\n\nBuild checkpoint: `make test`", ("make test",)),
        ("**Build gate**:\n```bash\ncd app\nnpm ci\nnpm test\n```",
         ("set -e\ncd app\nnpm ci\nnpm test",)),
        ("**Build gate**:\n```bash\nmake \\\n  test\n```", ("set -e\nmake \\\n  test",)),
        ("Build gate: `cd $PROJECT_ROOT/app && npm test`", ("cd ./app && npm test",)),
        ("Build gate: `make test 2>&1 | tail -5`", ("make test",)),
    ],
)  # fmt: skip
def test_a_plan_names_the_command_of_its_gate(text: str, commands: tuple[str, ...]) -> None:
    assert gate(text) == commands
    assert gate(text, ONE) == commands


@pytest.mark.spec("GT-02")
@pytest.mark.parametrize(
    "text",
    [
        "Prefer `make test`.",
        "**Build system**: `xcodebuild test`",
        "**Build tool**: `xcodebuild` — never `swift build`",
        "Never use: `swift build`",
        "**Build**: never `swift build`",
        "**Build gate**: the supervisor builds once",
        "**Build gate**: `make`d by hand",
        "- **Test**: `vitest`",
        "- **Build**: `make build` takes ten minutes",
        "**Execute**:\n```bash\nmake test\n```",
        "## Build gate\n\n**Execute**:\n```bash\nmake test\n```",
        "```\nBUILD CHECKPOINT: `make test`\n```",
        "<!-- Build gate: `make test` -->",
        "## Example\n\nBuild gate: `make test`",
        "## Archived\n\n### Old\n\nBuild gate: `make test`",
        "## Dispatch Template\n\nBuild gate: `make test`\n\n```\nYou are <X>\n```",
        "## Final verification\n\n```bash\ngrep -r TODO src\nls dist\n```",
        "## Final verification\n\n```powershell\ndotnet build\n```",
        "## Final verification\n\n- [ ] `dist/app.js` exists",
        "## Tests\n\n```bash\nmake test\n```",
        "Build gate: make test",
    ],
)
def test_better_no_gate_than_a_wrong_one(text: str) -> None:
    assert gate(text) == ()


@pytest.mark.spec("GT-02")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Build gate: `make test SCHEME=<Scheme>`", "`<Scheme>` is a placeholder"),
        ("Build gate: `make test && git push origin`",
         "`git push` changes files or systems, which a check must not do"),
        ("Build gate: `make -C /home/you/app test`",
         "`/home/you/app` is a path on another machine"),
        ("Build gate: `xcodebuild test -scheme $SCHEME`", "`$SCHEME` is not set anywhere"),
        ("Build gate: `npm run test:watch`", "`watch` does not end by itself"),
        ("Build gate: `make test` or `npm test`", "it names several commands to choose from"),
        ("Build commands: `make` only; never `swift build`",
         "the text around the command says more than that it must pass"),
        ("Build gate: `make test` (not on a laptop)",
         "the text around the command says more than that it must pass"),
        ("Build gate: `sudo make test`",
         "`sudo` changes files or systems, which a check must not do"),
        ("Build gate: `ls build`", "it neither builds nor tests"),
        ("## Build gate\n```sh\n# Node.js\nnpm test\n# Rust\ncargo test\n```",
         "it names several commands to choose from"),
        ("**Build gate**:\n```bash\nmake test\ncurl -f localhost\n```",
         "it does more than build and test"),
    ],
)  # fmt: skip
def test_what_looks_like_a_gate_and_cannot_be_run_is_told(text: str, reason: str) -> None:
    found = reading(f"# T\n\n{text}\n\n{TWO}")
    assert found.plan.gate == ()
    assert [why for _, why in not_run(found)] == [reason]


@pytest.mark.spec("GT-02")
def test_a_gate_has_at_most_five_commands() -> None:
    many = "".join(f"- Build gate: `make test-{n}`\n" for n in range(7))
    found = reading(f"# T\n\n{many}\n{TWO}")
    assert found.plan.gate == tuple(f"make test-{n}" for n in range(5))
    assert not_run(found) == [(n, "the gate has 5 commands already") for n in (8, 9)]


@pytest.mark.spec("GT-02", "PL-13")
@pytest.mark.parametrize(
    "body",
    [
        "**Execute**:\n```bash\nmake test\n```",
        "**Build gate**: `make test`",
        "#### Build gate\n\n```bash\nmake test\n```",
        "**Verification**:\n```bash\nmake test\n```",
    ],
)
def test_what_stands_in_a_sprint_is_that_sprints_own(body: str) -> None:
    plan = reading("# T\n\n" + TWO.replace("- a\n", f"- a\n\n{body}\n")).plan
    assert plan.gate == ()
    assert [unit.verify for unit in plan.units] == [(), ()]


# --- a unit's own commands (GT-01) -----------------------------------------------------------


def verify(text: str) -> dict[str, tuple[str, ...]]:
    return {unit.name: unit.verify for unit in reading(text).plan.units if unit.verify}


GATED = """
    # PDF

    ## Work Units

    | Package | Directory | Sprints | Layer | Dependencies |
    |---|---|---|---|---|
    | Pdf-parser | Pdf-parser | 1 | 0 | none |
    | Pdf-validation-profiles | Pdf-validation-profiles | 1 | 0 | none |
    | Pdf-validation | Pdf-validation | 1 | 1 | validation-profiles |

    ## Layer Gating Rules

    {text}

    ## Pdf-parser
    ### Sprint 1: One
    - a
    ## Pdf-validation-profiles
    ### Sprint 1: One
    - a
    ## Pdf-validation
    ### Sprint 1: One
    - a
    """
INDENT = "\n" + " " * 4
INTO = "cd $PROJECT_ROOT/Pdf-validation-profiles && make test 2>&1 | tail -5"


@pytest.mark.spec("GT-01")
@pytest.mark.parametrize(
    "text",
    [
        "Layer 1 (validation): Start ONLY when validation-profiles PROGRESS.md shows all sprints"
        " complete and Build status: passing. Before dispatching validation Sprint 1, verify"
        f" independently:\n\n```bash\n{INTO}\n```",
        "- **Layer 1** (validation): start only when validation-profiles is complete. Before"
        f" dispatching, verify independently: `{INTO}`",
        f"Before starting validation, verify validation-profiles: `{INTO}`.",
        f"Once validation-profiles is done, verify with `{INTO}` before validation starts.",
        f"Once parser and validation-profiles are done, verify:\n\n```sh\n{INTO}\n```",
    ],
)
def test_the_unit_that_is_waited_for_is_the_one_to_verify(text: str) -> None:
    found = verify(GATED.replace("{text}", text.replace("\n", INDENT)))
    assert {name: [c.split("\n")[-1] for c in given] for name, given in found.items()} == {
        "Pdf-validation-profiles": ["cd ./Pdf-validation-profiles && make test"]
    }


@pytest.mark.spec("GT-01")
@pytest.mark.parametrize(
    "text",
    [
        "Start ONLY when validation-profiles is complete. Verify it with an independent build.",
        "Start when ALL others are complete. Verify each: `make test`",
        "Run `make test` on validation-profiles to verify independently.",
        "When parser and validation-profiles are complete, verify: `make test`",
        "After validation-profiles: verify that `Pdf.swift` compiles",
    ],
)
def test_what_does_not_name_one_unit_and_a_command_verifies_none(text: str) -> None:
    assert verify(GATED.replace("{text}", text)) == {}


@pytest.mark.spec("GT-01")
@pytest.mark.parametrize(
    ("header", "cell", "commands"),
    [
        ("Verify", "`make -C a test`", ("make -C a test",)),
        ("Verification", "`cd a && make` and `cd a && make test`",
         ("cd a && make", "cd a && make test")),
        ("Build command", "`make a` (fast)", ("make a",)),
        ("Gate", "`test -x a/bin/run`", ("test -x a/bin/run",)),
        ("Build", "passing", ()),
        ("Build", "make a", ()),
        ("Tests", "`tests/a`", ()),
        ("Verify", "`make a FOR=<X>`", ()),
        ("Notes", "`make a`", ()),
    ],
)  # fmt: skip
def test_a_column_of_the_table_of_units(header: str, cell: str, commands: tuple[str, ...]) -> None:
    text = f"# T\n\n| Work Unit | Sprints | {header} |\n|-|-|-|\n| A | 1 | {cell} |\n| B | 1 | |\n"
    text += "## A\n### Sprint 1: One\n- a\n## B\n### Sprint 1: Two\n- b\n"
    assert verify(text) == ({"A": commands} if commands else {})


@pytest.mark.spec("GT-01")
def test_a_cell_that_cannot_be_run_is_told() -> None:
    rows = "| A | `make -C a` or `npm test` |\n| B | `make FOR=<X>` |\n| C | `make c` (not now) |\n"
    table = f"| Work Unit | Verify |\n|-|-|\n{rows}"
    units = "".join(f"## {name}\n### Sprint 1: One\n- a\n" for name in "ABC")
    found = reading(f"# T\n\n## Work Units\n\n{table}\n{units}")
    assert [unit.verify for unit in found.plan.units] == [(), (), ()]
    assert not_run(found) == [
        (7, "it names several commands to choose from"),
        (8, "`<X>` is a placeholder"),
        (9, "the text around the command says more than that it must pass"),
    ]


@pytest.mark.spec("GT-01", "GT-02")
def test_what_verifies_the_only_unit_verifies_the_whole() -> None:
    table = "| Work Unit | Sprints | Verify |\n|-|-|-|\n| A | 1 | `make a` |\n"
    plan = reading(f"# T\n\n{table}\n## A\n\nTest: `make test`\n\n{ONE}").plan
    assert plan.gate == ("make a", "make test")
    assert plan.units[0].verify == ()


@pytest.mark.spec("GT-01")
@pytest.mark.parametrize(
    ("said", "commands"),
    [
        ("**Verification**: `make -C a`", ("make -C a",)),
        ("Build: `make -C a`", ("make -C a",)),
        ("Verify with `make -C a`", ("make -C a",)),
        ("**Verification**:\n\n- [ ] `make -C a` passes\n- [ ] it is good", ("make -C a",)),
        ("### Verification\n\n```bash\nmake -C a\n```", ("make -C a",)),
        ("**Verification**: by hand", ()),
        ("**Verification**:\n\n```bash\ngrep -c x a\n```", ()),
    ],
)
def test_a_line_in_the_units_own_section(said: str, commands: tuple[str, ...]) -> None:
    text = f"# T\n\n## A\n\n{said}\n\n### Sprint 1: One\n- a\n\n## B\n### Sprint 1: Two\n- b\n"
    assert verify(text) == ({"A": commands} if commands else {})
    assert reading(text).plan.gate == ()


@pytest.mark.parametrize(
    ("command", "run"),
    [
        ("make", "make"),
        ("cd $PROJECT_ROOT/a && make", "cd ./a && make"),
        ('cd "${PROJECT_ROOT}/a" && make', 'cd "./a" && make'),
        ("make -C $PROJECT_ROOT/a && make -C $PROJECT_ROOT/b", "make -C ./a && make -C ./b"),
        ("cd a && make -C $PROJECT_ROOT/b", 'PROJECT_ROOT="$PWD"\ncd a && make -C $PROJECT_ROOT/b'),
        ("make | xcpretty", "make"),
        ("make | grep -q ok", "make | grep -q ok"),
    ],
)
def test_commands_are_run_from_the_root_and_end_as_they_end(command: str, run: str) -> None:
    assert prepared(command) == run


@pytest.mark.parametrize(
    ("command", "true"),
    [
        ("make", True),
        ("cd app && npm run build", True),
        ("CI=1 npm test", True),
        ("./scripts/build.sh", True),
        ("python -m pytest", True),
        ("test -f build/app", False),
        ("grep -r test src", False),
        ("ls build", False),
        ("npm ci", False),
        ("echo 'make test'", False),
    ],
)
def test_what_builds_or_tests(command: str, true: bool) -> None:
    assert builds(command) is true


# --- phases ----------------------------------------------------------------------------------


def phases(text: str) -> dict[str, str]:
    return {unit.name: unit.phase for unit in reading(text).plan.units}


SECTIONS = "## A\n### Sprint 1: One\n- a\n## B\n### Sprint 1: Two\n- b\n"


@pytest.mark.spec("GT-02")
@pytest.mark.parametrize(
    ("table", "wanted"),
    [
        ("| Work Unit | Sprints | Phase |\n|-|-|-|\n| A | 1 | 1 |\n| B | 1 | 2 |\n",
         {"A": "Phase 1", "B": "Phase 2"}),
        ("| Work Unit | Sprints | Wave |\n|-|-|-|\n| A | 1 | **Core** |\n| B | 1 | - |\n",
         {"A": "Core", "B": ""}),
        ("| Work Unit | Layer | Phase |\n|-|-|-|\n| A | 0 | 1 |\n| B | 1 | 2 |\n",
         {"A": "", "B": ""}),
        ("| Work Unit | Sprints | Owner |\n|-|-|-|\n| A | 1 | Ada |\n| B | 1 | Bo |\n",
         {"A": "", "B": ""}),
    ],
)  # fmt: skip
def test_a_column_names_the_phase(table: str, wanted: dict[str, str]) -> None:
    assert phases(f"# T\n\n{table}\n{SECTIONS}") == wanted


def units_below(*headings: str) -> str:
    """Return a plan with a unit for each letter, below the given headings."""
    told = "# T\n\n"
    for number, heading in enumerate(headings):
        title, _, units = heading.partition(" > ")
        told += f"## {title}\n\n"
        for name in units.split():
            told += f"### Work Unit {name}: {name}{number}\n\n#### Sprint 1: One\n- a\n\n"
    return told


@pytest.mark.spec("GT-02")
@pytest.mark.parametrize(
    ("headings", "wanted"),
    [
        (("Phase 1: Core > 1 2", "Phase 2: Services > 3"),
         ["Phase 1: Core", "Phase 1: Core", "Phase 2: Services"]),
        (("Wave A > 1 2", "Wave B > 3 4"), ["Wave A", "Wave A", "Wave B", "Wave B"]),
        (("Phase 1: Core > 1", "Phase 2: Services > 2"), ["", ""]),
        (("Background > 1 2",), ["", ""]),
    ],
)  # fmt: skip
def test_a_heading_above_several_units_names_their_phase(
    headings: tuple[str, ...], wanted: list[str]
) -> None:
    assert list(phases(units_below(*headings)).values()) == wanted


@pytest.mark.spec("GT-02")
def test_units_that_are_phases_themselves_have_none() -> None:
    text = "# T\n## Phase 1: A\n### Sprint 1: x\n- a\n## Phase 2: B\n### Sprint 2: y\n- b\n"
    assert list(phases(text).values()) == ["", ""]


# --- a first sprint about dependencies alone (GT-07) -----------------------------------------


def sprints(*bodies: str) -> tuple[SprintPlan, ...]:
    return reading("# T\n\n" + "\n".join(f"### Sprint {b}\n" for b in bodies)).plan.units[0].sprints


@pytest.mark.spec("GT-07")
@pytest.mark.parametrize(
    ("body", "true"),
    [
        ("1: Dependencies", True),
        ("1: Add dependencies", True),
        ("1: Project setup and dependencies", True),
        ("1: Add Yams dependency", True),
        ("1: Package.swift and dependencies\n- Add Yams to `Package.swift`", True),
        ("1: Dependencies\n- [ ] Run `npm ci`\n- [ ] Pin the versions in package.json", True),
        ("1: Setup\n- Install the toolchain\n- Add the packages to Cargo.toml", True),
        ("1: Setup\n- Install the toolchain\n- Create the main window", False),
        ("1: Install packages\n- Install the packages", True),
        ("1: Packages\n- Create packages/core", False),
        ("1: Setup", False),
        ("1: Dependencies\n- Add Yams\n- Implement the parser", False),
        ("1: Dependency injection", False),
        ("1: Dependencies and parser", False),
        ("1: Resolve dependencies between tasks", False),
        ("1: Parser\n- Install nothing", False),
        ("1: Dependencies\n**Type**: manual\n", False),
    ],
)
def test_a_first_sprint_about_nothing_but_dependencies(body: str, true: bool) -> None:
    first, second = sprints(body, "2: Dependencies")
    assert first.dependencies_only is true
    assert not second.dependencies_only


# --- what an edit of them changes ------------------------------------------------------------

SETTINGS = Settings(AgentProgram("an agent", ("agent", "{prompt}")))
PLAIN = f"# T\n\n{TWO}"


@pytest.mark.spec("LP-05", "GT-01", "GT-02", "GT-07")
@pytest.mark.parametrize(
    ("edited", "handle", "details"),
    [
        ("# T\n\nBuild gate: `make test`\n\n" + TWO, "plan", ("nothing → make test",)),
        (
            PLAIN.replace("## Printer\n", "## Printer\n\nVerification: `make p`\n"),
            "U2",
            ("verified by: nothing → make p",),
        ),
        (
            PLAIN.replace("1: Two\n- b", "1: Dependencies\n- Add Yams to `Package.swift`"),
            "U2/1",
            ("name: Two → Dependencies", "a gate runs after it", "its text, as the agent reads it"),
        ),
    ],
)
def test_an_edit_of_them_is_told(edited: str, handle: str, details: tuple[str, ...]) -> None:
    before, after = (read(text, default_name="folder").plan for text in (PLAIN, edited))
    assert content_hash(edited) != content_hash(PLAIN)
    (found,) = difference(begun(before), after)
    assert (found.handle, found.details) == (handle, details)


def begun(plan: Plan) -> Mission:
    return apply(Mission(), h.MissionBegan("", "sprint", plan, SETTINGS, None), 0)
