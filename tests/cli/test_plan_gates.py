"""The gates of a plan on the pages, in the JSON, and among the commands that a person accepts."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_cli import topkick

from topkick.engine.agents.program import AgentProgram
from topkick.engine.settings import Settings
from topkick.plan_format.document import PlanReading, read
from topkick.sprint.gates.model import GateMode
from topkick.sprint.model import Mission
from topkick.sprint.run.load_plan import imagined
from topkick.sprint.start import plan_json, plan_page, start_screen

SETTINGS = Settings(AgentProgram("an agent", ("agent", "{prompt}")), gate=GateMode.AUTO)
PLAN = """\
# Shop

Build gate: `make all` and `make test`

| Work Unit | Directory | Wave | Dependencies | Verify |
|---|---|---|---|---|
| Core | core | 1 | none | `make -C core test` |
| Web | web | 2 | Core | |

## Core

### Sprint 1: Dependencies
- Add Yams to `Package.swift`

**Exit criteria**:
- `make deps` exits 0

## Web

### Sprint 1: Pages
- All of them
"""


def shown() -> tuple[Mission, PlanReading]:
    reading = read(PLAN, default_name="shop")
    return imagined(reading.plan, SETTINGS), reading


@pytest.mark.spec("GT-01", "GT-02", "ST-05")
def test_a_person_accepts_them_with_the_other_commands() -> None:
    mission, reading = shown()
    commands = ["make deps", "make all", "make test", "make -C core test"]
    assert plan_page.commands_of(reading.plan, SETTINGS) == commands
    page = start_screen.page(mission, start_screen.TreeState((), ()))
    assert "Checks     4 commands of the plan that topkick itself will run" in page
    assert [line.strip() for line in page if line.strip().startswith("make")] == commands
    assert plan_page.commands(mission) == commands


@pytest.mark.spec("GT-02", "ST-05")
@pytest.mark.parametrize(
    ("settings", "of_plan", "manifests", "told"),
    [
        ({}, ("make all",), ("npm test",), "after each phase: `make all` (from the plan)"),
        (
            {"gate_commands": ("make test",)},
            (),
            ("npm test",),
            "after each phase: `make test` (from topkick.toml)",
        ),
        ({}, (), ("npm test",), "after each phase: `npm test` (by manifests, as they are now)"),
        ({}, (), (), "after each phase: not run, no build or test command is known"),
        (
            {"gate": GateMode.ASK},
            (),
            (),
            "after each phase: not run, no build or test command is known; then asks a person",
        ),
        (
            {"gate": GateMode.ASK, "gate_commands": ("a", "b", "c", "d")},
            (),
            (),
            "after each phase: `a`, `b`, `c` and 1 more (from topkick.toml); then asks a person",
        ),
        ({"gate": GateMode.OFF}, ("make",), (), "off: nothing is built and tested together"),
    ],
)
def test_one_line_says_what_the_gate_runs_and_whose_word_it_is(
    settings: dict[str, Any], of_plan: tuple[str, ...], manifests: tuple[str, ...], told: str
) -> None:
    plan = replace(shown()[1].plan, gate=of_plan)
    said = replace(SETTINGS, **settings)
    assert plan_page.gate(plan, said, manifests) == told
    page = start_screen.page(imagined(plan, said), start_screen.TreeState((), (), manifests))
    assert f"Gate       {told}" in page


@pytest.mark.spec("GT-01", "GT-02", "GT-07", "PL-18")
def test_plan_show_tells_them() -> None:
    lines = plan_page.page(*shown())
    assert "Gate: after each phase: `make all`, `make test` (from the plan)" in lines
    assert "Gate of U1: make -C core test" in lines
    assert "  U1 Core (core): 1 sprint, 1 checked, Wave 1, line 7" in lines
    assert "    U1/1 Dependencies [code]: 1 check, then a gate, line 12" in lines


@pytest.mark.spec("GT-01", "GT-02", "GT-07", "PL-18")
def test_plan_show_explains_them_by_line() -> None:
    lines = plan_page.explained(*shown())
    assert "line  3    builds and tests everything together: make all (GT-02)" in lines
    assert "line  7    verifies U1 before others build on it: make -C core test (GT-01)" in lines
    assert "line  7    work unit U1 Core in core, Wave 1, waits for nothing (PL-12)" in lines
    assert "line 12    U1/1 is about dependencies alone: a gate runs after it (GT-07)" in lines


@pytest.mark.spec("GT-01", "GT-02", "GT-07", "PL-18")
def test_programs_get_them_too() -> None:
    told = plan_json.as_json(*shown())
    core, web = told["work_units"]
    assert told["gate"] == ["make all", "make test"]
    assert (core["verify"], core["phase"]) == (["make -C core test"], "Wave 1")
    assert (web["verify"], web["phase"]) == ([], "Wave 2")
    assert [unit["sprints"][0]["dependencies_only"] for unit in (core, web)] == [True, False]


def committed(place: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (place / name).write_text(text)
    for words in (
        ("init", "-q", "."),
        ("add", "."),
        ("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "-m", "all of it"),
    ):
        subprocess.run(["git", *words], cwd=place, check=True)


SCRIPTS = json.dumps({"scripts": {"test": "node --test"}})


@pytest.mark.spec("GT-02", "PL-18")
def test_plan_show_says_what_the_manifests_call_for_now(tmp_path: Path) -> None:
    plan = PLAN.replace("Build gate: `make all` and `make test`\n", "")
    committed(tmp_path, {"EXECUTION_PLAN.md": plan, "package.json": SCRIPTS})
    said = topkick("plan", "show", cwd=tmp_path, check_code=0).stdout
    assert "Gate: after each phase: `npm test` (by manifests, as they are now)\n" in said
    (tmp_path / "topkick.toml").write_text('gate = { mode = "ask", command = "make it" }\n')
    said = topkick("plan", "show", cwd=tmp_path, check_code=0).stdout
    asked = "after each phase: `make it` (from topkick.toml); then asks a person"
    assert f"Gate: {asked}\n" in said
    (tmp_path / "topkick.toml").write_text("nonsense = true\n")
    said = topkick("plan", "show", cwd=tmp_path, check_code=0).stdout
    assert "`npm test`" in said, "a plan can be looked at before the settings are right"


@pytest.mark.spec("GT-02", "PL-18")
def test_plan_show_without_anything_to_build_with_says_so(tmp_path: Path) -> None:
    plan = PLAN.replace("Build gate: `make all` and `make test`\n", "")
    (tmp_path / "EXECUTION_PLAN.md").write_text(plan)
    for place in ("without git", "with an empty repository"):
        if place != "without git":
            subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
        said = topkick("plan", "show", cwd=tmp_path, check_code=0).stdout
        known = "after each phase: not run, no build or test command is known"
        assert f"Gate: {known}\n" in said, place


def test_a_gate_that_never_was_is_explained_as_any_other_mistake(tmp_path: Path) -> None:
    (tmp_path / "EXECUTION_PLAN.md").write_text(PLAN)
    said = topkick("explain", "G7", cwd=tmp_path, check_code=2)
    assert "There is no run here yet" in said.stderr
