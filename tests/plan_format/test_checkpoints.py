"""Checkpoints between the layers of a plan: how they are written, and what is wrong with some."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.engine import messages as h
from topkick.engine.agents.program import AgentProgram
from topkick.engine.fold import apply
from topkick.engine.settings import Settings
from topkick.plan_format.document import PlanReading, lint, read
from topkick.plan_format.model import CheckpointPlan
from topkick.plan_format.order.checkpoints import MOST
from topkick.sprint.model import Mission
from topkick.sprint.start.plan_difference import difference

TABLE = """\
| Work Unit | Directory | Sprints | Layer | Dependencies |
|---|---|---|---|---|
| Core Types | core | 1 | 0 | none |
| io | io | 1 | 0 | none |
| web | web | 1 | 1 | Core Types |
| shop | shop | 1 | 2 | none |
"""
SPRINTS = "".join(
    f"\n## {name}\n\n### Sprint 1: Part\n- a task\n" for name in ("Core Types", "io", "web", "shop")
)
ID = "CHECKPOINT-001"
AFTER_0 = "**Checkpoint after Layer 0:**"


def reading(line: str, table: str = TABLE, below: str = "") -> PlanReading:
    text = f"# T\n\n{table}\n{line}\n{SPRINTS}\n{below}\n"
    return read(text, default_name="folder")


def only(found: PlanReading) -> CheckpointPlan:
    (made,) = found.plan.checkpoints
    assert found.findings == ()
    return made


def refused(line: str, table: str = TABLE) -> str:
    """Return why the checkpoint is not used, and check that it changes nothing in the plan."""
    found = reading(line, table)
    assert found.plan.checkpoints == ()
    (finding,) = (x for x in lint(found) if x.message.startswith("Not used as a checkpoint: "))
    assert finding.line == 10, "it names the line"
    return finding.message.removeprefix("Not used as a checkpoint: ")


# --- the form --------------------------------------------------------------------------------


@pytest.mark.spec("CK-14")
@pytest.mark.parametrize(
    "line",
    [
        f"{AFTER_0} {ID}",
        f"**Checkpoint after layer 0**: `{ID}`.",
        f"Checkpoint after Layer 0: {ID}",
        f"- {AFTER_0} {ID}",
        f"1. [ ] {AFTER_0} {ID}",
        f"> {AFTER_0} {ID}",
        f"## Checkpoint after Layer 0: {ID}",
    ],
)
def test_a_line_says_where_it_stands_and_by_which_id(line: str) -> None:
    made = only(reading(line))
    assert (made.id, made.place, made.line) == (ID, "layer 0", 10)
    assert (made.after, made.holds) == (("Core Types", "io"), ("web", "shop"))
    assert (made.session, made.role_spec) == (".workflow/team", "builtin")
    assert made.scope == ("Core-Types", "io"), "the units of that layer, as the judge can name them"


@pytest.mark.spec("CK-14")
def test_what_else_it_may_say() -> None:
    words = "role spec `checks/core.md`, session ./team/, scope DRAFT-001, DRAFT-002"
    made = only(reading(f"{AFTER_0} {ID}, {words}"))
    assert (made.role_spec, made.session) == ("checks/core.md", "team")
    assert made.scope == ("DRAFT-001", "DRAFT-002")
    assert made.command == (
        "topkick checkpoint judge team CHECKPOINT-001 --scope DRAFT-001,DRAFT-002 "
        "--role-spec checks/core.md"
    )
    other = only(reading(f"{AFTER_0} {ID}; scope: DRAFT-001; DRAFT-002; session: team"))
    assert (other.scope, other.session) == (("DRAFT-001", "DRAFT-002"), "team")


@pytest.mark.spec("CK-14")
def test_it_may_stand_at_the_end_of_a_layer_and_there_may_be_several() -> None:
    found = reading("", below=f"{AFTER_0} {ID}\n\n**Checkpoint after Layer 1:** CHECKPOINT-002")
    one, two = found.plan.checkpoints
    assert (one.holds, two.holds) == (("web", "shop"), ("shop",))
    assert two.after == ("Core Types", "io", "web")
    assert [len(unit.sprints) for unit in found.plan.units] == [1, 1, 1, 1]


@pytest.mark.spec("CK-14")
def test_phases_are_layers_by_name() -> None:
    rows = [
        "| Work Unit | Directory | Sprints | Phase | Dependencies |",
        "|---|---|---|---|---|",
        "| Core Types | core | 1 | Phase A: Ground | none |",
        "| io | io | 1 | Phase A: Ground | none |",
        "| web | web | 1 | Phase B | Core Types |",
        "| shop | shop | 1 | Phase AB | none |",
    ]
    made = only(reading(f"**Checkpoint after Phase A:** {ID}", "\n".join(rows) + "\n"))
    assert made.place == "Phase A: Ground"
    assert (made.after, made.holds) == (("Core Types", "io"), ("web", "shop"))


# --- what is none, and what is wrong ---------------------------------------------------------


@pytest.mark.spec("CK-14")
@pytest.mark.parametrize(
    "line",
    [
        "Checkpoint after success: skip what is done.",
        "**Checkpoint after 20 trades:** look at the numbers",
        "**Checkpoint:** `make test` passes",
        "Advance the checkpoint after Layer 0: it is CHECKPOINT-001",
        f"We put a checkpoint after Layer 0: {ID}",
        f"```\n{AFTER_0} {ID}\n```",
        f"<!-- {AFTER_0} {ID} -->",
        f"## Example\n\n{AFTER_0} {ID}",
    ],
)
def test_prose_is_no_checkpoint(line: str) -> None:
    found = reading(line)
    assert found.plan.checkpoints == ()
    assert not [x for x in found.findings if "checkpoint" in x.message.lower()]


@pytest.mark.spec("CK-14")
@pytest.mark.parametrize(
    ("line", "told"),
    [
        (f"{AFTER_0} look at it", f"write `{AFTER_0} {ID}`"),
        (AFTER_0, "an id is missing"),
        (f"{AFTER_0} CHECKPOINT-1", "such as CHECKPOINT-001"),
        (f"**Checkpoint after Layer 7:** {ID}", "the plan has Layer 0, Layer 1, Layer 2"),
        (f"**Checkpoint after Layer 2:** {ID}", "nothing would wait for it"),
        (f"{AFTER_0} {ID}, by tomorrow", "role spec, session or scope"),
        (f"{AFTER_0} {ID}, session", "session has no value"),
        (f"{AFTER_0} {ID}, session a, session b", "session twice"),
        (f"{AFTER_0} {ID}, session ../elsewhere", "below the project's root"),
        (f"{AFTER_0} {ID}, role spec /etc/passwd", "below the project's root"),
        (f"{AFTER_0} {ID}, session --help", "below the project's root"),
        (f"{AFTER_0} {ID}, scope $(id)", "not a task id"),
    ],
)
def test_a_mistake_is_a_finding_that_says_what_to_write(line: str, told: str) -> None:
    assert told in refused(line)


@pytest.mark.spec("CK-14")
def test_one_that_would_wait_for_itself_is_refused() -> None:
    table = TABLE.replace("| io | io | 1 | 0 | none |", "| io | io | 1 | 0 | web |")
    assert "waits for 'web', which the checkpoint would hold" in refused(f"{AFTER_0} {ID}", table)


@pytest.mark.spec("CK-14")
def test_an_id_stands_once_and_there_are_only_so_many() -> None:
    found = reading(f"{AFTER_0} {ID}\n\n**Checkpoint after Layer 1:** {ID}")
    assert [c.line for c in found.plan.checkpoints] == [10]
    assert [f.line for f in found.findings] == [12]
    many = reading("\n\n".join(f"{AFTER_0} CHECKPOINT-{n:03}" for n in range(MOST + 5)))
    assert len(many.plan.checkpoints) == MOST
    (finding,) = many.findings
    assert "topkick reads no more" in finding.message


@pytest.mark.spec("CK-14", "LP-05")
def test_an_edit_of_one_is_a_difference() -> None:
    old, new = reading(f"{AFTER_0} {ID}").plan, reading(f"{AFTER_0} {ID}, session team").plan
    settings = Settings(AgentProgram("none", ("true",)))
    mission = apply(Mission(), h.MissionBegan("m", "sprint", old, settings), 0)
    assert [d.what for d in difference(mission, new)] == ["the checkpoints"]
    assert not difference(mission, old)


@given(
    st.text(alphabet="Checkpoint afterLayer0:*_`-,;.\n CHECKPOINT-001sessionscope", max_size=300)
)
def test_any_text_is_read(text: str) -> None:
    for made in reading(text).plan.checkpoints:
        assert made.scope
        assert made.holds
        assert not set(made.after) & set(made.holds)


def test_a_hostile_plan_takes_no_longer_than_its_length() -> None:
    began = time.process_time()
    reading("\n\n".join(f"{AFTER_0} {ID}, scope {'a, ' * 50}" for _ in range(3_000)))
    assert time.process_time() - began < 5
