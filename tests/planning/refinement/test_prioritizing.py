"""Reordering: no constraint is ever broken, nothing else is touched, and twice is once."""

import re

import pytest
from hypothesis import given
from made_plans import MadePlan, plans

from topkick.plan_format.document import PlanReading, read
from topkick.planning.refinement.priorities import Prioritized, prioritized

PRIORITY = re.compile(r"^\*\*Priority\*\*: \d+\.\d — .+$")


def read_it(text: str) -> PlanReading:
    return read(text, default_name="x")


def done(text: str) -> Prioritized:
    return prioritized(text, read_it(text))


def order_of(reading: PlanReading) -> dict[str, list[str]]:
    return {unit.name: [sprint.name for sprint in unit.sprints] for unit in reading.plan.units}


def stated_edges(reading: PlanReading) -> set[tuple[str, str]]:
    names = {(u.name, s.id): s.name for u in reading.plan.units for s in u.sprints}
    return {(names[before], names[after]) for before, after in reading.after}


@pytest.mark.spec("PR-02")
@given(plans())
def test_no_constraint_is_broken(made: MadePlan) -> None:
    before = read_it(made.text())
    after = read_it(done(made.text()).text)
    assert sorted(order_of(after)) == sorted(order_of(before))
    for n, unit in enumerate(made.units):
        order = order_of(after)[unit.name]
        assert sorted(order) == sorted(sprint.name for sprint in unit.sprints), n
        at = {name: place for place, name in enumerate(order)}
        for k, sprint in enumerate(unit.sprints):
            for earlier in sprint.after or ():
                assert at[unit.sprints[earlier].name] < at[sprint.name]
            for other in unit.sprints[:k]:
                if {*other.files} & {*sprint.files}:
                    assert at[other.name] < at[sprint.name]
            if sprint.after is None and k:
                assert at[unit.sprints[k - 1].name] + 1 == at[sprint.name]
    assert stated_edges(after) == stated_edges(before)
    waits = [{u.name: u.waits_for for u in found.plan.units} for found in (before, after)]
    assert waits[0] == waits[1]
    layers = {u.name: u.layer or 0 for u in after.plan.units}
    for move in done(made.text()).layers:
        assert all(layers[other] < move.now for other in waits[1][move.unit])


@pytest.mark.spec("PR-03")
@given(plans())
def test_twice_is_once(made: MadePlan) -> None:
    once = done(made.text()).text
    assert done(once).text == once


@pytest.mark.spec("PR-03")
@given(plans())
def test_only_what_is_meant_is_touched(made: MadePlan) -> None:
    """Put back in the old order, with the old numbers and layers, it is the old text."""
    text = made.text()
    result = done(text)
    lines = [line.removesuffix("\r") for line in result.text.split("\n")]
    kept = [n for n, line in enumerate(lines) if not PRIORITY.match(line)]
    # a priority comes with a blank line before it
    spare = {n - 1 for n, line in enumerate(lines) if PRIORITY.match(line)}
    left = [lines[n] for n in kept if n not in spare]
    back = {(row.unit, row.id): row.was for row in result.ranked}
    assert sorted(_plain(left, back, made)) == sorted(_plain(_lines(text), {}, made))


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.split("\n")]


def _plain(lines: list[str], back: dict[tuple[str, str], str], made: MadePlan) -> list[str]:
    """Lines with every id that stands behind Sprint put back, and layers left out."""
    found: list[str] = []
    unit = ""
    for line in lines:
        unit = line[3:] if line.startswith("## ") else unit
        ids = {id_: was for (home, id_), was in back.items() if home == unit}
        text = re.sub(r"Sprint ([\w.]+)", lambda m, ids=ids: f"Sprint {ids.get(m[1], m[1])}", line)
        found.append(re.sub(r"^(\|[^|]*\|[^|]*\|[^|]*\|)[^|]*\|", r"\1 L |", text))
    return found


LEAF_FIRST = """# Plan

Sprints 1–3 are all there is; see [the last](#sprint-3-core-types), and S3 is a store.

| Sprint | Name |
|--------|------|
| 1 | Polish |
| 2 | Pages |
| 3 | Core types |

```mermaid
graph TD
  S3 --> S2
  S3[Sprint 3] --> S1
```

### Sprint 1: Polish

**Entry criteria**:
- [ ] Sprint 3 complete

### Sprint 2: Pages

**Entry criteria**:
- [ ] Sprint 3 complete

### Sprint 3: Core types

**Entry criteria**:
- [ ] First sprint — no prerequisites

Notes: after this, Sprints 1 and 2 can begin. `docs/sprint-3.md` tells more. Day 3 is a Sunday.

## Sprint 3 Success

- [ ] `make types` passes
"""


@pytest.mark.spec("PR-02")
def test_every_reference_follows_its_sprint() -> None:
    text = done(LEAF_FIRST).text
    assert [line for line in text.split("\n") if line.startswith("### ")] == [
        "### Sprint 1: Core types",
        "### Sprint 2: Polish",
        "### Sprint 3: Pages",
    ]
    for said in (
        "Sprints 1–3 are all there is; see [the last](#sprint-1-core-types), and S3 is a store.",
        "| 2 | Polish |",
        "| 3 | Pages |",
        "| 1 | Core types |",
        "  S1 --> S3",
        "  S1[Sprint 1] --> S2",
        "- [ ] Sprint 1 complete",
        "after this, Sprints 2 and 3 can begin. `docs/sprint-3.md` tells more. Day 3 is a Sunday.",
        "## Sprint 1 Success",
    ):
        assert said in text
    assert read_it(text).plan.units[0].sprints[0].checks[0].command == "make types"


RANGES = """# Plan

Only Sprints 1-2 are urgent, and Sprints 2 to 4 are not.

### Sprint 1: Leaf
**Entry criteria**:
- [ ] First sprint — no prerequisites

### Sprint 2: Root types
**Entry criteria**:
- [ ] First sprint — no prerequisites

### Sprint 3: Left
**Entry criteria**:
- [ ] Sprint 2 complete

### Sprint 4: Right
**Entry criteria**:
- [ ] Sprint 2 complete
"""


@pytest.mark.spec("PR-02")
def test_a_range_that_is_torn_apart_becomes_a_list() -> None:
    text = done(RANGES).text
    assert "### Sprint 1: Root types" in text
    assert "### Sprint 2: Leaf" in text
    assert "Only Sprints 1-2 are urgent, and Sprints 1, 3, 4 are not." in text


LAYERS = """# Plan

## Work Units

| Work Unit | Directory | Sprints | Layer | Dependencies |
|-----------|-----------|---------|-------|--------------|
| Core      | core      | 1       | 0     | none         |
| Pages     | pages     | 1       | 3     | Core         |
| Docs      | docs      | 1       | 2     | none         |
| Silent    | silent    | 1       | 1     |              |

## Core
### Sprint 1: Core
## Pages
### Sprint 2: Pages
## Docs
### Sprint 3: Docs
## Silent
### Sprint 4: Silent
"""


@pytest.mark.spec("PR-02")
def test_units_move_to_the_layer_that_what_they_state_allows() -> None:
    result = done(LAYERS)
    assert [(m.unit, m.was, m.now) for m in result.layers] == [("Pages", 3, 1), ("Docs", 2, 1)]
    assert "| Pages     | pages     | 1       | 1     | Core         |" in result.text
    assert "| Docs      | docs      | 1       | 1     | none         |" in result.text
    assert "| Silent    | silent    | 1       | 1     |              |" in result.text
    assert done(result.text).text == result.text


@pytest.mark.spec("PR-02")
def test_what_could_be_several_sprints_is_left_and_told() -> None:
    text = """# Plan
Sprint 1 of both is easy.
## A
### Sprint 1: Leaf
**Entry criteria**:
- [ ] First sprint — no prerequisites
### Sprint 2: Types
**Entry criteria**:
- [ ] First sprint — no prerequisites
### Sprint 3: More
**Entry criteria**:
- [ ] Sprint 2 complete
## B
### Sprint 1: Other
"""
    result = done(text)
    assert "### Sprint 1: Types" in result.text
    assert "Sprint 1 of both is easy." in result.text
    assert [finding.line for finding in result.findings] == [2]


@pytest.mark.spec("PR-02")
@pytest.mark.parametrize(
    ("line", "now"),
    [
        ("**Priority**: 3.5 — old", r"\*\*Priority\*\*: 1\.5 — nothing waits for it, low risk"),
        ("**Priority:** 3 — old", r"\*\*Priority:\*\* 1\.5 — .*"),
        ("**Priority**: P0 for the demo", r"\*\*Priority\*\*: P0 for the demo"),
    ],
)
def test_a_score_is_brought_up_to_date_and_a_persons_word_stays(line: str, now: str) -> None:
    text = done(f"# Plan\n### Sprint 1: Leaf\n\n{line}\n\n**Tasks**:\n1. Paint\n").text
    assert re.search(f"^{now}$", text, re.MULTILINE)
    assert len(re.findall("nothing waits", text)) == 1
    assert done(text).text == text


@pytest.mark.spec("PR-02")
def test_a_list_right_below_a_heading_stays_one() -> None:
    text = "# Plan\n### Sprint 1: A\n2. Write `a.py`\n3. Write `b.py`\n"
    assert read_it(done(text).text).plan.units[0].sprints[0].tasks == (
        "Write `a.py`",
        "Write `b.py`",
    )


def test_sprints_in_a_table_are_scored_but_not_moved() -> None:
    text = "# Plan\n\n| Sprint | Name | Scope |\n|---|---|---|\n| 1 | A | x |\n| 2 | B | y |\n"
    result = done(text)
    assert result.text == text
    assert "a table with a Sprint column" in result.refused
    assert [row.name for row in result.ranked] == ["A", "B"]


def test_bytes_that_are_no_text_come_back() -> None:
    data = b"\xef\xbb\xbf# Pl\xff\xfean\r\n### Sprint 1: A\r\n**Tasks**:\r\n1. B\xff\r\n"
    text = data.decode("utf-8", "surrogateescape")
    written = done(text).text.encode("utf-8", "surrogateescape")
    assert written.startswith(
        b"\xef\xbb\xbf# Pl\xff\xfean\r\n### Sprint 1: A\r\n\r\n**Priority**: "
    )
    assert written.endswith(b"**Tasks**:\r\n1. B\xff\r\n")
    assert b"\n" not in written.replace(b"\r\n", b"")
