"""An epic of one task, tick by tick to its review surface: no dispatch doubled, no answer lost."""

import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from proof.files.place import Place
from topkick.app.project import find_file_project
from topkick.engine import messages as h
from topkick.epic.body import Epic, read_epic

AGENT = Path(__file__).with_name("epic_agent.py")
EPIC = "tasks/hello.md"
WORDS = "What a person wrote stays."
WHOLE = ["planner hello", "planner hello", "verifier hello-1"]
REACT = "planner hello-1"
"""Allowed only if the worker's own keeper was killed: the work is lost and dispatched again."""
MOST_TICKS = 12
PATIENCE_S = 120.0


def make(at: Path) -> Place:
    place = Place(at, EPIC, "epic")
    place.git("init", "-q", "-b", "main")
    place.git("commit", "-q", "--allow-empty", "-m", "begin")
    place.settings([sys.executable, "-I", "-S", str(AGENT), str(place.notes)])
    (place.root / "tasks").mkdir()
    text = f"---\nid: hello\ntype: epic\nstatus: queued\n---\n# Hello\n\n{WORDS}\n"
    (place.root / EPIC).write_text(text)
    return place


def go_on(place: Place) -> int:
    """Tick until it is handed over; a person approves the plan, and the worker is waited for."""
    for _ in range(MOST_TICKS):
        epic = read(place)
        if epic.status == "ready":
            path = place.root / EPIC
            path.write_text(re.sub(r"(?m)^status: ready$", "status: queued", path.read_text()))
        if epic.status == "ready_for_user_review":
            return 0
        _wait(place, epic)
        done = place.run("epic", "tick", EPIC)
        if done.returncode not in {0, 3}:
            return done.returncode
    return 1


def read(place: Place) -> Epic:
    text = (place.root / EPIC).read_text()
    return read_epic(text, fallback_id="hello", at_us=0, host="")


def _wait(place: Place, epic: Epic) -> None:
    """Wait until a worker that really began has ended."""
    runs = find_file_project(place.root / EPIC, "epic").runs
    ends_at_s = time.monotonic() + PATIENCE_S
    for item in epic.items:
        path = runs / (item.dispatch or "none")
        while (path / "claim").exists() and not (path / "exit.json").exists():
            assert time.monotonic() < ends_at_s, f"{item.id} does not end"
            time.sleep(0.02)


def findings(place: Place) -> Iterator[str]:
    happened = list(place.happened())
    opened = {x.run_id: x.sprint for x in happened if isinstance(x, h.RunOpened)}
    closed = [x for x in happened if isinstance(x, h.RunClosed)]
    answered = [opened[x.run_id] for x in closed if x.why == "answered"]
    reacts = answered.count(REACT)
    if [who for who in answered if who != REACT] != WHOLE or reacts > 1:
        yield f"answered in all: {answered}"
    begun = place.begun()
    if len(begun) != len(set(begun)):
        yield f"an order was begun twice: {begun}"
    if unknown := set(begun) - opened.keys():
        yield f"begun without an intent: {unknown}"
    epic = read(place)
    given = [x.run_id for x in happened if isinstance(x, h.RunDispatched)]
    sent = [run_id for run_id in given if opened[run_id] == "worker hello-1"]
    if [item.dispatch for item in epic.items] != sent[-1:] or len(sent) != 1 + reacts:
        yield f"the body does not name the worker that was sent: {sent}, {epic.items}"
    if WORDS not in epic.file.text or epic.status != "ready_for_user_review":
        yield "the epic is not at its review surface, or a person's words are gone"
