"""A team from plan to review with a real judge, and one bad answer: posted once, judged once."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from proof.files.place import Place
from topkick.engine import messages as h

AGENT = Path(__file__).with_name("team_agent.py")
SESSION = "team/hello"
FILE = f"{SESSION}/team-session.json"
BEGIN = ("--pipeline", "impl-only", "--requirement", "Say hello.")
WHOLE = ("IMPL-001", "PLAN-001", "REVIEW-001", "TEST-001")


def make(at: Path) -> Place:
    place = Place(at, FILE, "pipeline")
    place.git("init", "-q", "-b", "main")
    place.settings([sys.executable, "-I", "-S", str(AGENT), str(place.notes)])
    return place


def go_on(place: Place) -> int:
    return place.run("checkpoint", "run", SESSION, *BEGIN).returncode


def findings(place: Place) -> Iterator[str]:
    """Yield problems of the run: its journal, agents' records, the bus and the session."""
    happened = list(place.happened())
    opened = {x.run_id: x.sprint for x in happened if isinstance(x, h.RunOpened)}
    closed = [x for x in happened if isinstance(x, h.RunClosed)]
    answered = sorted(opened[x.run_id].split(" ")[1] for x in closed if x.why == "task_complete")
    if tuple(answered) != WHOLE:
        yield f"answered in all: {answered}"
    begun = place.begun()
    if len(begun) != len(set(begun)):
        yield f"an order was begun twice: {begun}"
    bus = (place.root / SESSION / ".msg" / "messages.jsonl").read_text().splitlines()
    said = Counter((m["from"], m["type"], m["summary"]) for m in map(json.loads, bus))
    kinds = ("state_update", "checkpoint_request", "supervision_report", "task_complete")
    if twice := [words for words, n in said.items() if n > 1 and words[1] in kinds]:
        yield f"said twice: {twice}"
    if sum(n for words, n in said.items() if words[1] == "supervision_report") != 1:
        yield "not judged once"
    session = json.loads((place.root / FILE).read_text())
    if session["status"] != "completed":
        yield f"the session is {session['status']}"
