"""A board of two tasks, with one bad answer: every order once, every answer read once."""

import sys
from collections.abc import Iterator
from pathlib import Path

from proof.files.place import Place
from topkick.engine import messages as h

AGENT = Path(__file__).with_name("agent.py")
BOARD = "tasks/0-kanban-lexer.md"
TASKS = ("tasks/1-design.md", "tasks/2-build.md")
WHOLE = (
    f"Architect {TASKS[0]}",
    f"Manager {TASKS[0]}",
    f"Implementor {TASKS[1]}",
    f"Manager {TASKS[1]}",
)


def make(at: Path) -> Place:
    place = Place(at, BOARD, "kanban")
    place.git("init", "-q", "-b", "main")
    place.settings([sys.executable, "-I", "-S", str(AGENT), str(place.notes)])
    (place.root / "tasks").mkdir()
    head = f"phase: design\ncurrent: {TASKS[0]}\ntasks: [{', '.join(TASKS)}]\n"
    (place.root / BOARD).write_text(f"---\ntype: kanban\n{head}---\n\n# Kanban: Lexer\n")
    for path, role in zip(TASKS, ("Architect", "Implementor"), strict=True):
        text = f"---\nassignee: {role}\n---\n\n# Task: {role}'s\n\n## Work Log\n"
        (place.root / path).write_text(text)
    return place


def go_on(place: Place) -> int:
    return place.run("kanban", "run", BOARD).returncode


def findings(place: Place) -> Iterator[str]:
    """Yield problems of the run, from its journal and from the agents' own records."""
    happened = list(place.happened())
    opened = {x.run_id: x.sprint for x in happened if isinstance(x, h.RunOpened)}
    closed = [x for x in happened if isinstance(x, h.RunClosed)]
    answered = tuple(opened[x.run_id] for x in closed if x.why == "ok")
    if answered != WHOLE:
        yield f"answered in all: {answered}"
    begun = place.begun()
    if len(begun) != len(set(begun)):
        yield f"an order was begun twice: {begun}"
    if unknown := set(begun) - opened.keys():
        yield f"begun without an intent: {unknown}"
    retries = sum(x.why.startswith("invalid output format: the answer") for x in closed)
    if retries > 1:
        yield f"{retries} answers were held for bad ones, and one was"
    inputs: dict[str, set[str]] = {}
    for x in happened:
        if isinstance(x, h.RunDispatched):
            inputs.setdefault(opened[x.run_id], set()).add(x.dispatch.prompt.sha256)
    if changed := [who for who, found in inputs.items() if len(found) > 1]:
        yield f"asked again in other words: {changed}"
    if "current: null" not in (place.root / BOARD).read_text():
        yield "the board is not at its end"
