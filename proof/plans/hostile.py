"""Texts that grow with a number and would blow up a careless reader."""

from collections.abc import Callable

SPRINT = "### Sprint 1: One\n\n"
EXIT = f"{SPRINT}**Exit criteria**:\n"


def _rows(n: int, row: Callable[[int], str], header: str) -> str:
    bars = "|".join("-" for _ in header.split("|")[1:-1])
    return f"{header}\n|{bars}|\n" + "".join(f"{row(k)}\n" for k in range(n))


def _units(n: int, needs: Callable[[int], str]) -> str:
    few = min(n, 900)
    table = _rows(few, lambda k: f"| U{k} | {needs(k)} |", "| Work Unit | Dependencies |")
    return table + "".join(
        f"\n## U{k}\n### Sprint {k}: x\n{'- y' * (n // 900)}\n" for k in range(few)
    )


def _nested_lists(n: int) -> str:
    return EXIT + "".join(f"{'  ' * (k % 40)}- [ ] `make {k}` passes\n" for k in range(n))


def _awaiting(n: int) -> str:
    blocks = (f"### Sprint {k}: x\n**Depends on**: Sprint {(k * 7) % n}\n- y\n\n" for k in range(n))
    return "## A\n" + "".join(blocks)


def _far_criteria(n: int) -> str:
    sprints = "".join(f"## Sprint {k}: x\n- y\n" for k in range(n))
    return (
        sprints
        + "## End\n"
        + "".join(f"### Sprint {k} Success\n- `make` passes\n" for k in range(n))
    )


HOSTILE: dict[str, Callable[[int], str]] = {
    "plain lines": lambda n: SPRINT + "some words\n" * n,
    "one long line": lambda n: SPRINT + "words " * n,
    "sprints": lambda n: "".join(f"### Sprint {k}: x\n- [ ] `make {k}` passes\n" for k in range(n)),
    "headings of all levels": lambda n: (
        SPRINT + "".join(f"{'#' * (k % 6 + 1)} h\n" for k in range(n))
    ),
    "labels as headings": lambda n: SPRINT + "### Exit Criteria\n- x\n" * n,
    "a long heading": lambda n: f"### Sprint 1: {'criteria ' * n}\n- x\n",
    "a long id": lambda n: f"### Sprint {'1.' * n}1: x\n\n{SPRINT}",
    "phases": lambda n: "".join(f"## Phase {k}: x\n### Step {k}: y\n- z\n" for k in range(n)),
    "nested lists": _nested_lists,
    "backticks without end": lambda n: EXIT + "- " + "`a ``b " * n + "\n",
    "quotation marks": lambda n: EXIT + "- `make` shows " + '"a ' * n + "\n",
    "brackets": lambda n: EXIT + "- `make` (" + "(a " * n + "\n",
    "dashes": lambda n: EXIT + "- `make`" + " — a - b" * n + "\n",
    "stars": lambda n: SPRINT + "**a*" * n + "\n",
    "fences without end": lambda n: SPRINT + "```\nx\n```sh\ny\n" * n,
    "fences in fences": lambda n: SPRINT + "```markdown\n```sh\nx\n```\n```\n" * n,
    "quotes in quotes": lambda n: (
        SPRINT + "".join(f"{'> ' * (k % 50)}**Depends on**: x\n" for k in range(n))
    ),
    "a wide table": lambda n: (
        "|" + " a |" * n + "\n|" + "-|" * n + "\n|" + " b |" * n + "\n\n" + SPRINT
    ),
    "a long table": lambda n: _rows(n, lambda k: f"| {k} | x |", "| Sprint | Name |"),
    "units in a row": lambda n: _units(n, lambda k: f"U{k - 1}" if k else "none"),
    "sprints that await": _awaiting,
    "criteria far away": _far_criteria,
    "arrows": lambda n: (
        _units(2, lambda _: "") + "\n## Graph\n```\n" + "U0 → U1 -> " * n + "\n```\n"
    ),
    "blanks": lambda n: EXIT + "- `make`" + " " * n + "passes\n" + "\t" * n + "\n",
    "carriage returns": lambda n: SPRINT + "a\r" * n,
    "front matter": lambda n: "---\n" + "key: value\n" * n + "---\n" + SPRINT,
    "entities and tags": lambda n: SPRINT + "<b>&amp;[a](b)![c]<!-- " * n,
    "dangerous lines": lambda n: SPRINT + "```sh\n" + "rm -rf x > y | sh\n" * n + "```\n",
    "files and questions": lambda n: SPRINT + "READ_ME.md TBD Option A Option B?\n" * n,
}
