"""Draws the two state machines from their tables into docs/explanation/states.md.

python tools/draw_states.py           writes the page
python tools/draw_states.py --check   exits 1 if the page is not what the tables say
"""

import sys
from pathlib import Path

from topkick.sprint.transitions import SPRINT_MOVES, UNIT_MOVES

PAGE = Path(__file__).parent.parent / "docs" / "explanation" / "states.md"

HEAD = """\
# States

Every legal move of a work unit and of a sprint. This page is drawn from the tables in
`src/topkick/sprint/transitions.py` by `tools/draw_states.py`; nothing else in topkick changes a
state, and a move that is not here cannot be written down.
"""


Move = tuple[str, str, str]
"""From, on, to."""


def page() -> str:
    units: list[Move] = [(str(s), str(c), str(n)) for (s, c), n in UNIT_MOVES.items()]
    sprints: list[Move] = [(str(s), str(c), str(n)) for (s, c), n in SPRINT_MOVES.items()]
    parts = [HEAD]
    parts += ["## Work unit\n", diagram(units, "NOT_STARTED"), table(units)]
    parts += ["## Sprint\n", diagram(sprints, "PENDING"), table(sprints)]
    return "\n".join(parts)


def diagram(moves: list[Move], first: str) -> str:
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {first}"]
    lines += [f"    {was} --> {now}: {cause}" for was, cause, now in moves]
    return "\n".join([*lines, "    COMPLETED --> [*]", "```\n"])


def table(moves: list[Move]) -> str:
    lines = ["| from | on | to |", "|---|---|---|"]
    lines += [f"| {was} | {cause} | {now} |" for was, cause, now in moves]
    return "\n".join(lines) + "\n"


def main() -> None:
    if "--check" in sys.argv:
        if PAGE.read_text() != page():
            sys.exit("docs/explanation/states.md is not what the tables say: run this tool")
        return
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
