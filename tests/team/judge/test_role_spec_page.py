"""The page on role specs says of each built-in check what the check says of itself."""

import re
from pathlib import Path

import pytest

from topkick.team.judge import material
from topkick.team.judge.checks import BUILTIN
from topkick.team.judge.role_spec import read_role_spec
from topkick.text.task_file import TaskFile

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "role-specs.md"
BEGIN, END = "<!-- begin built-in checks -->", "<!-- end built-in checks -->"


def table() -> str:
    rows = ["| Check | Group | Reads | Passes if | Warns if | Fails if |", "|" + "---|" * 6]
    for check in BUILTIN.values():
        reads = ", ".join(f"`{name}`" for name in check.reads)
        about = f"**{check.name}** {check.about}"
        cells = (about, check.group.value, reads, check.passes, check.warns, check.fails)
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


@pytest.mark.spec("CK-11")
def test_the_page_lists_every_built_in_check(request: pytest.FixtureRequest) -> None:
    text = PAGE.read_text("utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    whole = f"{head}{BEGIN}\n\n{table()}\n\n{END}{tail}"
    if request.config.getoption("--rewrite-golden"):
        PAGE.write_text(whole, "utf-8")
    assert PAGE.read_text("utf-8") == whole, "run with --rewrite-golden, then read the diff"


@pytest.mark.spec("CK-12")
def test_the_example_on_the_page_is_a_role_spec() -> None:
    example = re.search(r"```markdown\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert example is not None
    spec = read_role_spec(example[1])
    assert spec.problems == ()
    judged = spec.checkpoint("CHECKPOINT-001-R2")
    assert judged is not None
    assert [check.kind.value for check in judged.checks] == ["builtin", "shell", "agent", "builtin"]
    assert TaskFile.read(example[1]).get("role") == "supervisor"


def test_the_limits_on_the_page_are_those_of_the_program() -> None:
    text = PAGE.read_text("utf-8")
    assert f"{material.LONGEST_CHARS:,} characters" in text
    assert f"{material.MOST_CHARS:,};" in text
    assert f"the last {material.MESSAGES_READ} messages" in text
