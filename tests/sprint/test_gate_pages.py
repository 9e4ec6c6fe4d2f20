"""Screens about gates: what is built, the result, what waits and for which person or unit."""

import json
from dataclasses import replace

import made_missions
import pytest
from made_missions import Story
from test_pages import MADE, Golden, situation

from topkick.app.run_view import View
from topkick.app.state_dir.lock import Holder
from topkick.checks.model import CheckOutcome, CheckResult, Counts
from topkick.cli.viewer import page as viewer_page
from topkick.engine import messages as h
from topkick.engine.codec.chain import EMPTY
from topkick.engine.settings import Settings
from topkick.git.isolation import Tip
from topkick.sprint import status as sprint_status
from topkick.sprint.blockers.model import Blocked
from topkick.sprint.blockers.waits import GateAsks
from topkick.sprint.explain import evidence
from topkick.sprint.gates import as_json as gate_json
from topkick.sprint.gates import evidence as gate_evidence
from topkick.sprint.gates import views as gates
from topkick.sprint.gates.model import Covered, Gate, GateKind, GateRun, GateVerdict
from topkick.sprint.model import Mission, Proof
from topkick.sprint.transitions import SprintState
from topkick.sprint.views import (
    blocker_lines,
    closing_lines,
    event_log,
    pull_request,
    status,
    status_json,
)

MADE_HERE = {
    **{name: made for name, made in MADE.items() if name.startswith("gate-")},
    "gate-cannot-run": made_missions.gate_cannot_run,
    "gate-accepted": made_missions.gate_accepted,
}


def viewed(made: Story, width: int = 120, height: int = 30) -> list[str]:
    view = View(made.mission, EMPTY, Holder(1, made.now_us), 0, made.now_us)
    drawn = viewer_page.page(view, [], width, height, where=situation(made))
    return [str(line) for line in drawn.renderables]


def page(made: Story) -> str:
    return status.render_text(made.mission, situation(made), 120)


def explained(made: Story, gate_id: str) -> str:
    gate = gates.find(made.mission, gate_id)
    assert gate is not None
    return "\n".join(gate_evidence.render(made.mission, gate, made.now_us, 0)) + "\n"


def explained_sprint(made: Story, unit: str, sprint: str) -> list[str]:
    numbered = ((n, at_us, e) for n, (at_us, e) in enumerate(made.happened))
    told = evidence.told_of(numbered, unit, sprint)
    mission = made.mission
    return evidence.render(
        mission, mission.units[unit], mission.sprint(unit, sprint), told, 0, whole=False
    )


@pytest.mark.spec("GT-03", "GT-07")
@pytest.mark.parametrize(
    ("name", "gate"),
    [
        ("gate-open", "G1"),
        ("gate-red", "G1"),
        ("gate-together", "G1"),
        ("gate-together", "G2"),
        ("gate-two", "G1"),
        ("gate-asks", "G1"),
        ("gate-bars", "G2"),
        ("gate-cannot-run", "G1"),
        ("gate-accepted", "G1"),
        ("gate-completed", "G2"),
    ],
)
def test_a_gate_is_explained_run_by_run(name: str, gate: str, golden: Golden) -> None:
    made = MADE_HERE[name]()
    golden(f"boards/explain-{name}-{gate}.txt", explained(made, gate))


@pytest.mark.spec("GT-03")
@pytest.mark.parametrize("name", ["gate-red", "gate-open"])
def test_a_gate_is_explained_to_programs(name: str, golden: Golden) -> None:
    gate = gates.find(MADE_HERE[name]().mission, "G1")
    assert gate is not None
    golden(f"boards/explain-{name}-G1.json", json.dumps(gate_json.with_runs(gate), indent=2) + "\n")


def _gate(verdict: GateVerdict, why: str = "", **more: object) -> Gate:
    passed = CheckResult("pytest -q", CheckOutcome.PASSED, 0, 10, "", Counts(120))
    tips = (Tip("project", "1a2b3c4" + "0" * 33),)
    run = GateRun(("a", "b"), (passed,), tips=tips)
    gate = Gate("G1", phase="layer 0", covers=(Covered("a", 1), Covered("b", 1)), runs=(run,))
    return replace(gate, verdict=verdict, why=why, **more)  # type: ignore[arg-type]


FAILED = "`pytest -q` failed (2 tests)"
WORDS = [
    (_gate(GateVerdict.PASSED), "passed at 1a2b3c4 (`pytest -q`: 120 tests)"),
    (_gate(GateVerdict.NOT_RUN, "`pytest -q` ran no test"), "not run: `pytest -q` ran no test"),
    (
        _gate(GateVerdict.PRE_EXISTING, f"{FAILED}, as it did before the work began"),
        f"red, but not because of this work: {FAILED}, as it did before the work began",
    ),
    (_gate(GateVerdict.FLAKY, f"{FAILED} once"), f"flaky: {FAILED} once"),
    (
        _gate(GateVerdict.CULPRITS, FAILED, groups=(("b",),)),
        f"red: {FAILED}; found in 1 run: b",
    ),
    (
        _gate(GateVerdict.INTERACTION, FAILED, groups=(("a", "b"),)),
        f"red: {FAILED}; found in 1 run: a together with b",
    ),
    (_gate(GateVerdict.CANNOT_RUN, "no tree"), "cannot run: no tree"),
    (_gate(GateVerdict.UNCLEAR, FAILED), f"red, and the cause is not clear: {FAILED}"),
    (
        _gate(GateVerdict.UNCLEAR, FAILED, groups=(("a",),)),
        f"red, and the cause is not clear: {FAILED}; perhaps a",
    ),
    (
        _gate(GateVerdict.CANNOT_RUN, "no tree", accepted="I built it", passed=True),
        "cannot run: no tree; a person let it pass: I built it",
    ),
    (
        _gate(GateVerdict.PASSED, closed_at_us=1, passed=False),
        "passed at 1a2b3c4 (`pytest -q`: 120 tests); a person refused it",
    ),
    (
        _gate(GateVerdict.CULPRITS, FAILED, kind=GateKind.CLEARANCE, clears="c"),
        f"does not verify: {FAILED}",
    ),
    (_gate(GateVerdict.WARNED, "score 0.60; terms"), "warned at 1a2b3c4: score 0.60; terms"),
    (
        _gate(GateVerdict.BLOCKED, "score 0.10; terms", accepted="so be it", passed=True),
        "blocked at 1a2b3c4: score 0.10; terms; a person let it pass: so be it",
    ),
]


@pytest.mark.spec("GT-02", "GT-03", "RP-02")
@pytest.mark.parametrize(("gate", "told"), WORDS)
def test_every_verdict_in_words(gate: Gate, told: str) -> None:
    assert gates.outcome(gate) == told


@pytest.mark.spec("GT-02")
@pytest.mark.parametrize(("gate", "told"), WORDS)
def test_only_what_passed_is_called_passed(gate: Gate, told: str) -> None:
    assert told.startswith("passed") is (gate.verdict is GateVerdict.PASSED)


def test_each_verdict_has_words() -> None:
    assert {gate.verdict for gate, _ in WORDS} == set(GateVerdict)


@pytest.mark.spec("GT-02", "RP-02")
def test_what_is_held_is_listed_and_counted_as_held() -> None:
    made = MADE["gate-held"]()
    said = page(made)
    assert "2 of 3 sprints done (2 held)" in said
    assert "  U1/1 COMPLETED, held: `pytest pages` passes\n" in said
    assert "U1 pages, U2 style wait for the gate of layer 0\n" in said
    told = json.loads(status_json.as_json(made.mission, situation(made)))
    assert told["sprints"] == {
        "total": 3,
        "done": 2,
        "checked": 0,
        "unchecked": 0,
        "accepted": 0,
        "held": 2,
    }
    assert told["units"][0]["sprints"][0]["held_criteria"] == ["pytest pages"]
    assert told["units"][0]["state"] == "RUNNING"
    assert told["units"][0]["waits_for_gate"] == "the gate of layer 0"
    lines = explained_sprint(made, "pages", "1")
    assert "  Held: `pytest pages` passes: run at the gate of layer 0, not before" in lines


@pytest.mark.spec("GT-02")
@pytest.mark.parametrize("name", MADE_HERE)
def test_whatever_is_done_is_counted_once(name: str) -> None:
    mission = MADE_HERE[name]().mission
    tally = sprint_status.tally(mission)
    assert tally.done == tally.checked + tally.held + tally.unchecked + tally.accepted
    sprints = [s for u in mission.units.values() for s in u.sprints]
    assert tally.held == sum(s.proof is Proof.HELD for s in sprints)
    assert tally.done == sum(s.state is SprintState.COMPLETED for s in sprints)


@pytest.mark.spec("GT-02", "RP-02")
def test_an_open_gate_says_what_is_built_now() -> None:
    made = MADE["gate-open"]()
    said = page(made)
    now = "run 3, the work of all units, again: `python -m pytest -q` (begun 2 min ago)"
    assert f"  G1 (layer 0) of pages, style, words: {now}\n" in said
    assert f"Next event: gate G1: {now.replace('2 min', '2 min')}\n" in said
    assert "U1 pages, U2 style, U3 words wait for gate G1\n" in said
    (gate,) = json.loads(status_json.as_json(made.mission, situation(made)))["gates"]
    assert (gate["state"], gate["runs"], gate["verdict"]) == ("open", 2, None)
    assert gate["running"] == ["pages", "style", "words"]


@pytest.mark.spec("GT-02")
@pytest.mark.parametrize(
    ("units", "told"),
    [
        (("a", "b", "c"), "the work of all units"),
        ((), "the base, without their work"),
        (("a", "b"), "without c"),
        (("b",), "b alone"),
    ],
)
def test_what_is_in_a_run(units: tuple[str, ...], told: str) -> None:
    gate = Gate("G1", covers=tuple(Covered(name, 1) for name in "abc"))
    assert gates.content(gate, units) == told
    again = replace(gate, runs=(GateRun(units), GateRun(units)))
    assert gates.content(again, units, 2) == f"{told}, again"


@pytest.mark.spec("GT-03", "RP-02")
def test_a_red_gate_names_who_and_who_mends_it() -> None:
    made = MADE["gate-red"]()
    said = page(made)
    red = "red: `python -m pytest -q` failed (2 tests); found in 6 runs: words"
    assert f"  G1 (layer 0) {red}\n" in said
    assert "  U3/repair-1 words: repairs what the gate found\n" in said
    assert "U3/repair-1  words" in said, "its handle is whole in the table"
    lines = explained_sprint(made, "words", "repair-1")
    assert "  It repairs what gate G1 found. Why: topkick explain G1" in lines
    unit = json.loads(status_json.as_json(made.mission, situation(made)))["units"][2]
    assert [s["repairs"] for s in unit["sprints"]] == [False, True]


@pytest.mark.spec("GT-03", "RP-02")
def test_a_repair_that_only_the_gate_can_judge_is_held_for_it() -> None:
    made = MADE["gate-two"]()
    assert "found in 9 runs: pages; words\n" in page(made)
    assert "  U1/repair-1 COMPLETED, held: `python -m pytest -q` exits 0\n" in page(made)
    assert "  U3/repair-1 words: repairs what the gate found\n" in page(made)
    lines = explained_sprint(made, "pages", "repair-1")
    assert "  Held: `python -m pytest -q` exits 0: run at the gate of layer 0, not before" in lines
    assert "    (they also fail for reasons that other units repair)" in lines
    assert "  It repairs what gate G1 found. Why: topkick explain G1" in lines


@pytest.mark.spec("GT-02")
def test_a_gate_that_waits_for_a_person_says_what_to_type() -> None:
    made = MADE["gate-asks"]()
    said = page(made)
    mend = "U is U1, U2 or U3: it gets a repair sprint"
    assert f'      → topkick reject G1 --unit U --why "..."  {mend}\n' in said
    assert '      → topkick accept G1 --why "..."           lets it pass\n' in said
    (gate,) = json.loads(status_json.as_json(made.mission, situation(made)))["gates"]
    assert gate["state"] == "waits for a person"
    told = [event_log.tell(mission, e, at_us) for at_us, mission, e in made.told()]
    assert any(t and t.endswith("waits for a person: topkick explain G1") for t in told)


@pytest.mark.spec("GT-01")
def test_a_unit_that_may_not_begin_says_why() -> None:
    made = MADE["gate-bars"]()
    why = "what it builds on does not verify: `make -C pages verify` ended with 2"
    assert f"  U4  {why}\n" in page(made)
    lines = explained_sprint(made, "shop", "1")
    assert f"  The unit may not begin: {why}" in lines
    assert "    │ page 7 is blank" in lines
    unit = json.loads(status_json.as_json(made.mission, situation(made)))["units"][3]
    assert unit["state"] == "NOT_STARTED"
    assert unit["held"].startswith(why)


@pytest.mark.spec("GT-07")
def test_the_last_gate_stands_in_the_final_verdict() -> None:
    made = MADE["gate-completed"]()
    passed = "Gate: passed at 1a2b3c4 (`python -m pytest -q`: 118 tests)"
    assert passed in closing_lines.lines(made.mission, made.now_us)
    assert passed in pull_request.text(made.mission).splitlines()


@pytest.mark.spec("GT-02", "GT-07")
def test_a_run_that_nothing_could_build_says_that_it_was_not() -> None:
    made = MADE["gate-nothing-known"]()
    not_run = f"not run: {gates.NOTHING_KNOWN}"
    assert f"Gate: {not_run}" in closing_lines.lines(made.mission, made.now_us)
    assert f"Gates:\n  {not_run}\n" in page(made)
    assert "passed" not in page(made)
    told = json.loads(status_json.as_json(made.mission, situation(made)))
    assert (told["gate"], told["gates"]) == ({"mode": "auto", "commands": [], "from": None}, [])


@pytest.mark.parametrize("name", ["completed", "blocked", "at_work"])
def test_without_gates_nothing_is_said_of_them(name: str) -> None:
    made = MADE[name]()
    assert "Gate" not in page(made)
    assert not any(
        line.startswith("Gate") for line in closing_lines.lines(made.mission, made.now_us)
    )


@pytest.mark.spec("GT-02")
def test_whose_word_it_is_that_names_the_commands() -> None:
    made = MADE["gate-open"]()
    assert made.mission.plan is not None
    assert gate_json.mode(made.mission)["from"] == "configuration"
    of_plan = replace(made.mission, plan=replace(made.mission.plan, gate=("make",)))
    assert gate_json.mode(of_plan) == {"mode": "auto", "commands": ["make"], "from": "plan"}
    settings = replace(made.mission.settings or _none(), gate_commands=())
    by_manifests = replace(made.mission, settings=settings, gate_detected=("npm test",))
    assert gate_json.mode(by_manifests)["from"] == "manifests"
    assert gate_json.mode(Mission())["mode"] is None


def _none() -> Settings:
    raise AssertionError("a mission without settings")


@pytest.mark.spec("GT-02")
def test_while_work_is_stopped_an_open_gate_waits_for_resume() -> None:
    made = MADE["gate-open"]()
    made.fact(h.CommandGiven(h.Stop()))
    (gate,) = made.mission.gates.values()
    told = gates.under_way(made.mission, gate, made.now_us)
    assert (
        told == "run 3, the work of all units, again: `python -m pytest -q`, after topkick resume"
    )


@pytest.mark.spec("GT-02", "RP-02")
@pytest.mark.parametrize(
    ("name", "line"),
    [
        (
            "gate-open",
            "Gate G1 (layer 0) of pages, style, words: run 3, the work of all units, again: "
            "`python -m pytest -q` (begun 2 min ago)",
        ),
        (
            "gate-red",
            "Gate G1 (layer 0) red: `python -m pytest -q` failed (2 tests); found in 6 runs: words",
        ),
        (
            "gate-asks",
            'WAITS FOR YOU: topkick accept G1 --why "..." (gate of pages, style, words: passed; '
            "a person decides whether the run continues)",
        ),
        ("gate-together", "Gate G2 (layer 0) passed at 1a2b3c4 (`python -m pytest -q`: 118 tests)"),
        (
            "gate-bars",
            "Waits for you: U4 what it builds on does not verify: `make -C pages verify` e…",
        ),
    ],
)
def test_the_viewer_shows_it(name: str, line: str) -> None:
    assert line in viewed(MADE[name](), 130)


@pytest.mark.spec("RP-02")
@pytest.mark.parametrize("size", [(80, 24), (60, 15), (200, 8)])
@pytest.mark.parametrize("name", MADE_HERE)
def test_the_viewer_fits_with_gates(name: str, size: tuple[int, int]) -> None:
    lines = viewed(MADE_HERE[name](), *size)
    assert len(lines) <= size[1]
    assert all(len(line) <= size[0] for line in lines)


@pytest.mark.spec("GT-02", "GT-03")
def test_what_failed_before_and_is_owed_is_not_said_to_be_new() -> None:
    failed = CheckResult("make a", CheckOutcome.FAILED, 2)
    runs = tuple(GateRun(units, (failed,), ("make a\t0",)) for units in (("a", "b"), ()) * 2)
    gate = replace(_gate(GateVerdict.CULPRITS, FAILED), runs=runs, groups=(("a",),))
    assert [*gate_evidence.reasons(gate)] == [
        "it fails on the base as well, but as a held exit criterion the unit has to meet it"
    ]


@pytest.mark.parametrize("failing", ["make\t0123456789ab", "make\ttests/test_a.py::test_b"])
def test_a_sum_of_an_output_is_no_name_of_a_test(failing: str) -> None:
    named = gate_evidence.named_failures(GateRun(("a",), failing=(failing,)))
    assert named == ([] if failing.endswith("ab") else ["tests/test_a.py::test_b"])


@pytest.mark.spec("GT-02")
@pytest.mark.parametrize("name", MADE_HERE)
def test_no_word_of_a_plan_steers_a_terminal(name: str) -> None:
    """Names of units, phases and commands are a plan's, and what a run printed is an agent's."""
    evil = "\x1b[2J\u202e"
    made = MADE_HERE[name]()
    for gate in (*made.mission.past_gates, *made.mission.gates.values()):
        failed = CheckResult(f"make {evil}", CheckOutcome.FAILED, 1, 1, f"boom {evil}")
        run = GateRun(gate.units, (failed,), (f"make\t{evil}",), (evil,), trouble=evil)
        hostile = replace(
            gate,
            phase=f"layer {evil}",
            why=evil,
            accepted=evil,
            clears=evil if gate.clears else "",
            covers=tuple(replace(c, unit=f"{c.unit}{evil}", handle="") for c in gate.covers),
            groups=((f"a{evil}", evil),),
            runs=(*gate.runs, run),
        )
        lines = [
            *gate_evidence.render(made.mission, hostile, made.now_us, 0),
            gates.outcome(hostile),
            *blocker_lines.offer_lines(Blocked("G1", GateAsks(hostile))),
            blocker_lines.words(Blocked("G1", GateAsks(hostile))),
        ]
        assert "\x1b" not in "".join(lines)
        assert "\u202e" not in "".join(lines)
