"""Code inside a text keeps its blanks; prose does not."""

import pytest

from topkick.plan_format.document import read
from topkick.plan_format.markdown import on_one_line, parts_of


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("two  blanks\n and a line", "two blanks and a line"),
        ("`a  b`  passes", "`a  b` passes"),
        ("x `grep 'a   b' f\n   g` y", "x `grep 'a   b' f g` y"),
        ("``a ` b  c``  d", "``a ` b  c`` d"),
        ("one ` alone   here", "one ` alone here"),
        ("`` never  closed ` `", "`` never closed ` `"),
        ("  `a`  ", "`a`"),
        ("", ""),
    ],
)
def test_only_prose_is_folded(text: str, folded: str) -> None:
    assert on_one_line(text) == folded


@pytest.mark.parametrize("text", ["a `b` c", "``x`y`` `z", "`", "```a`", "§ `q` §"])
def test_the_parts_are_the_text(text: str) -> None:
    assert "".join(f"{p.prose}{p.ticks}{p.code}{p.ticks}" for p in parts_of(text)) == text


@pytest.mark.spec("PL-13")
def test_a_command_runs_as_it_is_written() -> None:
    text = """# P

## a

### Sprint 1: One

**Exit criteria**:
- [ ] `test "$(cat out)" = "x    y"`
"""
    (criterion,) = read(text, default_name="P").plan.units[0].sprints[0].exit
    assert criterion.command == 'test "$(cat out)" = "x    y"'
