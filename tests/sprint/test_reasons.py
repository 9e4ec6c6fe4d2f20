"""Blockers of a sprint or a unit on screens: the rule, the text, the command."""

import json
from collections.abc import Callable
from dataclasses import replace

import made_missions
import pytest
from made_missions import Story
from test_pages import MADE

from told_reasons import of_chains, of_reasons
from topkick.plan_format.model import SprintRef
from topkick.sprint.blockers import unit as blockers_unit
from topkick.sprint.explain import audit_trail, evidence
from topkick.sprint.explain import page as explained
from topkick.sprint.explain.audit_trail import AuditRecord
from topkick.sprint.model import Mission
from topkick.sprint.transitions import SprintState, UnitState
from topkick.sprint.views.blocker_lines import words

Golden = Callable[[str, str], None]


def numbered(made: Story) -> list[tuple[int, int, object]]:
    return [(n, at_us, x) for n, (at_us, x) in enumerate(made.happened, start=1)]


def page(made: Story, x: str) -> str:
    unit, _, sprint = x.partition("/")
    told = evidence.told_of(numbered(made), unit, sprint)
    return "\n".join(
        evidence.render(
            made.mission,
            made.mission.units[unit],
            made.mission.sprint(unit, sprint),
            told,
            0,
            whole=False,
            chain=audit_trail.of_sprint(numbered(made), unit, sprint),
        )
    )


def everything(mission: Mission) -> str:
    return "\n".join(explained.waiting(blockers_unit.of_all(mission)))


@pytest.mark.spec("MS-03")
@pytest.mark.parametrize("name", MADE)
def test_whatever_is_not_done_has_a_reason_and_every_state_a_move(name: str) -> None:
    made = MADE[name]()
    written = [(x, at_us) for at_us, x in made.happened]
    assert [*of_reasons(made.mission)] == []
    assert [*of_chains(made.mission, written)] == []


@pytest.mark.spec("MS-03")
@pytest.mark.parametrize("name", ["at_work", "blocked", "killed", "resting", "limited", "gate-red"])
def test_all_that_is_stuck_or_waits(name: str, golden: Golden) -> None:
    made = MADE[name]()
    golden(f"boards/explain-all-{name}.txt", everything(made.mission) + "\n")
    rows = explained.waiting_json(blockers_unit.of_all(made.mission))
    assert json.loads(json.dumps(rows)) == rows
    assert all(row["rule"] and row["why"] for row in rows)


@pytest.mark.spec("MS-03", "SM-05")
def test_a_fatal_sprint_is_explained_from_its_first_order_to_its_last(golden: Golden) -> None:
    made = MADE["blocked"]()
    stuck = next(u for u in made.mission.units.values() if u.state is UnitState.BLOCKED)
    assert stuck.current is not None
    shown = page(made, f"{stuck.name}/{stuck.current.id}")
    golden("boards/explain-blocked-sprint.txt", shown + "\n")
    for n in (1, 2, 3):
        assert f"charged as failure {n} of 3" in shown
    assert "Model: claude-opus-4-5; reason: " in shown
    assert "(complexity " in shown, "the score's parts"
    assert "3 of 3 attempts failed, 0 left" in shown
    assert "BACKOFF → FATAL" in shown


@pytest.mark.spec("MS-03")
def test_a_unit_is_explained_by_its_moves_and_those_of_its_sprints(golden: Golden) -> None:
    made = MADE["blocked"]()
    lines = [
        line
        for unit in made.mission.units.values()
        for line in explained.of_unit(
            made.mission, unit, audit_trail.of_unit(numbered(made), unit.name), 0
        )
    ]
    golden("boards/explain-blocked-units.txt", "\n".join(lines) + "\n")


@pytest.mark.spec("MS-03")
def test_no_text_of_others_steers_a_terminal() -> None:
    made = MADE["hostile"]()
    shown = everything(made.mission)
    for unit in made.mission.units.values():
        links = audit_trail.of_unit(numbered(made), unit.name)
        shown += "\n".join(explained.of_unit(made.mission, unit, links, 0))
        shown += "\n".join(page(made, f"{unit.name}/{s.id}") for s in unit.sprints)
    assert "\x1b" not in shown
    assert "\x07" not in shown


# --- one reason each -----------------------------------------------------------------------


def told(mission: Mission, unit: str) -> list[str]:
    return [f"{r.rule} {words(r)}" for r in blockers_unit.of_unit(mission, mission.units[unit])]


@pytest.mark.spec("GT-01")
def test_a_unit_waits_for_units_that_are_named_with_their_state() -> None:
    made = made_missions.at_work()
    (why,) = told(made.mission, "reader")
    assert why.startswith("GT-01 waits for U1 parser (RUNNING, sprint ")


@pytest.mark.spec("LP-02")
def test_who_takes_the_places_is_named() -> None:
    made = Story(settings=replace(made_missions.SETTINGS, max_agents=1))
    (why,) = told(made.mission, "lexicon")
    assert why == "LP-02 U1/1 has the only place; max_agents is 1"


@pytest.mark.spec("GT-08")
def test_awaited_sprints_are_named_with_their_states() -> None:
    plan = made_missions.PLAN
    parser, lexicon, reader = plan.units
    waits = replace(lexicon.sprints[0], waits_for=(SprintRef("parser", "2"),))
    made = Story(replace(plan, units=(parser, replace(lexicon, sprints=(waits,)), reader)))
    (why,) = told(made.mission, "lexicon")
    assert why == "GT-08 waits for U1/2 (PENDING)"


@pytest.mark.spec("LP-02", "GT-01")
def test_a_unit_that_is_left_out_says_so() -> None:
    made = Story(settings=replace(made_missions.SETTINGS, only=("parser",)))
    assert told(made.mission, "lexicon") == ["LP-02 left out by --only"]


@pytest.mark.spec("SM-09")
def test_a_later_sprint_waits_for_the_one_before_it() -> None:
    made = made_missions.at_work()
    unit = made.mission.units["parser"]
    for sprint in unit.sprints[unit.at + 1 :]:
        (why,) = blockers_unit.of_sprint(made.mission, unit, sprint)
        assert why.rule == "SM-09"
    done = [s for s in unit.sprints if s.state is SprintState.COMPLETED]
    assert all(blockers_unit.of_sprint(made.mission, unit, s) == () for s in done)


@pytest.mark.spec("DP-09")
def test_a_usage_limit_is_told_with_the_time_of_its_end() -> None:
    made = MADE["limited"]()
    shown = everything(made.mission)
    assert "[DP-09]" in shown
    assert "Z [DP-09]" in shown, "with its moment"


@pytest.mark.spec("MS-03")
def test_the_chain_is_json_with_the_record_of_each_link() -> None:
    made = MADE["blocked"]()
    links = audit_trail.of_unit(numbered(made), "parser")
    found = explained.unit_json(made.mission, made.mission.units["parser"], links)
    assert [row["record"] for row in found["chain"]] == [link.seq for link in links]
    assert all(isinstance(link, AuditRecord) and link.rule for link in links)
