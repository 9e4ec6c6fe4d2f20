"""Pass 3 of an analysis, by figures that were worked out by hand."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.plan_format.document import read
from topkick.planning.analysis.model import Analysis, Given, OrderRule, Pace
from topkick.planning.analysis.passes import SPRINTS_DRAWN, analyzed, label

pytestmark = pytest.mark.spec("AN-01")


def sprint(id_: str, name: str, needs: str, task: str = "Create it") -> str:
    return f"### Sprint {id_}: {name}\n**Depends on**: {needs}\n\n**Tasks**:\n1. {task}\n\n"


def look(text: str) -> Analysis:
    return analyzed(text, read(text, default_name="p"), Given())


def ids(pairs: tuple[tuple[str, str], ...]) -> list[str]:
    return [id_ for _, id_ in pairs]


# 1 <- 2, 1 <- 3, (2, 3) <- 4 and 5 alone, all in one unit
DIAMOND = "# Shop\n\n" + "".join(
    (
        sprint("1", "Types", "none"),
        sprint("2", "Store", "Sprint 1"),
        sprint("3", "Pages", "Sprint 1"),
        sprint("4", "Orders", "Sprint 2, Sprint 3"),
        sprint("5", "Logo", "none"),
    )
)


def test_the_longest_chain_is_the_critical_path() -> None:
    assert ids(look(DIAMOND).shape.critical) == ["1", "2", "4"]


def test_one_unit_runs_in_turn_and_could_run_in_three_rounds() -> None:
    shape = look(DIAMOND).shape
    assert shape.current == Pace(agents=1, rounds=5)
    assert shape.maximum == Pace(agents=2, rounds=3)  # 1+5, 2+3, 4


def test_sprints_of_one_round_are_a_missed_opportunity() -> None:
    analysis = look(DIAMOND)
    assert [one.members for one in analysis.shape.missed] == [
        ("Sprint 1", "Sprint 5"),
        ("Sprint 2", "Sprint 3"),
    ]
    assert sum(i.type == "Parallel work in one unit" for i in analysis.issues) == 2


def test_what_two_wait_for_is_a_bottleneck() -> None:
    (narrow,) = look(DIAMOND).shape.bottlenecks
    assert narrow.sprint[1] == "1"
    assert ids(narrow.blocks) == ["2", "3", "4"]


def test_the_end_of_a_unit_that_others_wait_for_is_a_bottleneck() -> None:
    (narrow,) = look(UNITS).shape.bottlenecks
    assert narrow.sprint == ("Core", "2")
    assert len(narrow.blocks) == 5


TABLE = """\
# Shop

| Work Unit | Layer | Dependencies |
|---|---|---|
| Core | 0 | none |
| Web | 1 | Core |
| Tool | 1 | Core |
| Docs | 3 | Core |

"""
UNITS = TABLE + "".join(
    f"## {unit}\n\n"
    + "".join(
        sprint(str(n), f"{unit} {n}", "none" if n == 1 else f"Sprint {n - 1}")
        for n in range(1, count + 1)
    )
    for unit, count in (("Core", 2), ("Web", 3), ("Tool", 1), ("Docs", 1))
)


def test_units_that_wait_for_one_begin_together() -> None:
    shape = look(UNITS).shape
    assert [(c.where, c.members) for c in shape.clusters] == [
        ("From round 3 on", ("Web", "Tool", "Docs"))
    ]
    assert shape.current == Pace(agents=3, rounds=5)
    assert shape.current == shape.maximum
    assert shape.critical == (
        ("Core", "1"),
        ("Core", "2"),
        ("Web", "1"),
        ("Web", "2"),
        ("Web", "3"),
    )


def test_a_layer_that_nothing_holds_is_told() -> None:
    analysis = look(UNITS)
    assert [(m.unit, m.was, m.now) for m in analysis.shape.layers] == [("Docs", 3, 1)]
    assert "Docs could start in layer 1 instead of 3" in [i.title for i in analysis.issues]


def test_ids_that_units_share_are_told_apart_by_their_handles() -> None:
    labels = look(UNITS).labels
    assert labels["Core", "1"] == "Sprint U1/1"
    assert labels["Web", "1"] == "Sprint U2/1"
    assert look(DIAMOND).labels["Shop", "1"] == "Sprint 1"


# 5 is risky, waits for nothing and stands last
LATE = DIAMOND.replace("5: Logo", "5: OAuth webhook client")


def test_a_risk_that_could_come_early_is_late() -> None:
    analysis = look(LATE)
    checks = {check.rule: check for check in analysis.order.checks}
    (late,) = checks[OrderRule.RISK].late
    assert (late.sprint[1], late.now) == ("5", 5)
    assert late.best < 5
    assert "Risk late" in {issue.type for issue in analysis.issues}
    assert checks[OrderRule.BOTTLENECK].late == ()
    assert checks[OrderRule.BOTTLENECK].looked_at == 1


def test_positions_are_a_permutation_that_keeps_dependencies() -> None:
    positions = look(LATE).order.positions
    assert [p.now for p in positions] == [1, 2, 3, 4, 5]
    assert sorted(p.best for p in positions) == [1, 2, 3, 4, 5]
    best = {p.sprint[1]: p.best for p in positions}
    assert best["1"] < best["2"] < best["4"]
    assert best["3"] < best["4"]


# --- the drawing -----------------------------------------------------------------------------

NODE = re.compile(r'^ +s\d+\["[^"\[\]{}()<>|`]+"\]$')
EDGE = re.compile(r"^ +[su]\d+ --> [su]\d+$")
BOX = re.compile(r'^ +(?:subgraph u\d+\["[^"\[\]{}()<>|`]+"\]|end)$')
UNIT = re.compile(r'^ +u\d+\["[^"\[\]{}()<>|`]+"\]$')


def test_every_line_of_the_drawing_is_a_node_an_edge_or_a_box() -> None:
    head, *lines = look(UNITS.replace("Core 1", 'a"]; --> [b](c) <i>')).shape.drawing.split("\n")
    assert head == "graph TD"
    assert all(NODE.match(line) or EDGE.match(line) or BOX.match(line) for line in lines)
    assert sum("subgraph" in line for line in lines) == lines.count("  end") == 4
    assert "  s1 --> s2" in lines


def test_an_edge_that_two_others_imply_is_left_out() -> None:
    text = DIAMOND.replace("Sprint 2, Sprint 3", "Sprint 1, Sprint 2, Sprint 3")
    assert look(text).shape.drawing == look(DIAMOND).shape.drawing
    assert "  s0 --> s3" not in look(text).shape.drawing.split("\n")


def test_too_many_sprints_are_drawn_as_units() -> None:
    many = "".join(sprint(str(n), "x", "none") for n in range(1, SPRINTS_DRAWN + 1))
    text = TABLE.replace("| Web", "| Big | 0 | none |\n| Web") + f"## Big\n\n{many}"
    text += UNITS.removeprefix(TABLE)
    head, *lines = look(text).shape.drawing.split("\n")
    assert head == "graph TD"
    assert all(UNIT.match(line) or EDGE.match(line) for line in lines)
    assert '  u1["Big, 120 sprints"]' in lines


@given(st.text(max_size=200))
def test_no_name_breaks_out_of_its_label(text: str) -> None:
    said = label(text)
    assert said
    assert len(said) <= 60
    assert not set(said) & set('"[](){}<>|`#;&\n\r\t\\')
