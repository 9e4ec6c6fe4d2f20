"""A typed handle finds one unit and one sprint, or gives an error that lists the candidates."""

import pytest

from topkick.cli import handles
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentProgram
from topkick.engine.errors import UsageError
from topkick.engine.fold import apply
from topkick.engine.settings import Settings
from topkick.plan_format.model import Plan, SprintPlan, UnitPlan
from topkick.sprint.model import Mission

NAMES = ("Parser Core", "parser", "pages", "src/pages")


def mission() -> Mission:
    sprints = (SprintPlan("1", "One"), SprintPlan("2a", "Two a"), SprintPlan("2b", "Two b"))
    units = tuple(UnitPlan(n, sprints=sprints) for n in NAMES)
    began = h.MissionBegan(
        "m", "sprint", Plan("p", "", units=units), Settings(AgentProgram("a", ("true",)))
    )
    return apply(Mission(), began, 1)


@pytest.mark.parametrize(
    ("text", "unit", "sprint"),
    [
        ("U1", "Parser Core", None),
        ("u2", "parser", None),
        ("parser", "parser", None),
        ("parser-core", "Parser Core", None),
        ("parser-c/2a", "Parser Core", "2a"),
        ("PARSER/2A", "parser", "2a"),
        ("pag/1", "pages", "1"),
        ("src/pages", "src/pages", None),
        ("src/pages/2b", "src/pages", "2b"),
        ("U4/1", "src/pages", "1"),
    ],
)
def test_found(text: str, unit: str, sprint: str | None) -> None:
    target = handles.find(mission(), text)
    assert target.unit.name == unit
    assert (target.sprint.id if target.sprint else None) == sprint


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("p", "fits several:\n  U1  Parser Core\n  U2  parser\n  U3  pages"),
        ("U9", "This run has no 'U9'. It has:\n  U1  Parser Core"),
        ("U1/2", "fits several:\n  U1/2a  Two a\n  U1/2b  Two b"),
        ("U1/9", "This run has no 'U1/9'. It has:\n  U1/1  One"),
        ("", "This run has no ''"),
        ("\x1b[31mU1", "This run has no 'U1'"),
    ],
)
def test_not_found(text: str, said: str) -> None:
    with pytest.raises(UsageError) as mistake:
        handles.find(mission(), text)
    assert said in str(mistake.value)
    assert mistake.value.exit_code == 2
