"""Runs the real program through four stories and keeps their journals, for a number of the rules.

    python tests/golden_journals/record.py [STORY ...]

writes `tests/golden_journals/rules-NUMBER/STORY.jsonl` and, beside it, the status page of the last
record. Journals of an earlier number are never written anew: they show that today's program still
reads them.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "stories"), str(HERE)]

from rebuilt import Golden, page_of  # noqa: E402
from story_project import AGENT, Project, plan, sprint, unit, wait_for  # noqa: E402

from topkick.engine.rules import RULES  # noqa: E402

MODELS = {"models": {"haiku": "small-1", "sonnet": "middle-1", "opus": "big-1"}}


def clean(project: Project) -> None:
    """Two units of two sprints, a third that waits for both: all done at the first try."""
    project.make(plan(unit("a", sprint(), sprint()), unit("b"), unit("c", needs="a b")))
    project.says("start", "--yes", "--foreground")


def troubled(project: Project) -> None:
    """Run a retry, a partial, a sprint for a person, and a FATAL sprint that is then
    accepted. One command is refused."""
    units = (
        unit("a", sprint(), sprint("test -f {here}/done-2.txt", "test -f {here}/more.txt")),
        unit("b", sprint(kind="manual")),
        unit("c", needs="a"),
    )
    project.make(plan(*units), agent=MODELS)
    project.script("a.1.1", "fail(5)")
    project.script("a.2.1", "work()")
    project.script("a.2.2", "commit('more.txt')")
    project.script("b.1", "commit('seen.txt'); say('looked at it')")
    project.script("c.1", "say('I cannot'); fail()")
    project.says("start", "--yes", "--foreground", code=3)
    project.says("accept", "U2/1", "--why", "reads well")
    project.says("accept", "U2/1", "--why", "reads well", code=2)
    project.says("retry", "U3/1", "--note", "mind the order", "--model", "haiku")
    project.says("resume", "--foreground", code=3)
    project.says("accept", "U3/1", "--why", "good enough for now")


def killed(project: Project) -> None:
    """Killed in the middle of two orders, one of which was as good as done; then resumed."""
    project.make(plan(unit("a", sprint(), sprint()), unit("b")))
    project.script("a.1.1", "work(); wait('gate')")
    project.script("b.1.1", "wait('gate')")
    project.start_in_background()
    wait_for(lambda: sum("waits" in line for line in project.trail()) == 2)
    project.says("killall")
    project.wait_for_rest()
    project.says("resume", "--yes", "--foreground")


def gated(project: Project) -> None:
    """In clones: a red gate, its repair, and the gate that is passed."""
    two = plan(unit("a"), unit("b"))
    project.make(two, top={"isolation": "clone", "gate": {"command": "! ls */broken.txt"}})
    project.script("a.1", "commit('broken.txt')\nwork()")
    mend = "git('rm', '-q', 'a/broken.txt')\ngit('commit', '-q', '-m', 'mended')"
    project.script("a.repair-1", mend)
    project.says("start", "--yes", "--foreground")


STORIES: dict[str, Callable[[Project], None]] = {
    "clean": clean,
    "gated": gated,
    "killed": killed,
    "troubled": troubled,
}


def record(name: str, place: Path) -> None:
    project = Project(place, portable=False)
    try:
        STORIES[name](project)
        told = project.says("journal", "show", "--all", "--json")
    finally:
        left = project.close()
    assert not left, left
    into = HERE / f"rules-{RULES}"
    into.mkdir(exist_ok=True)
    path = into / f"{name}.jsonl"
    path.write_text(_without_this_machine(told, place))
    path.with_suffix(".txt").write_text(page_of(Golden(path)))


def _without_this_machine(told: str, place: Path) -> str:
    """Paths of this machine become invented ones; no decision looks at them."""
    for here, there in (
        (str(place), "/golden"),
        (str(AGENT.parent), "/stories"),
        (sys.executable, "/usr/bin/python3"),
    ):
        told = told.replace(json.dumps(here)[1:-1], there)
    return told


def main() -> None:
    for name in sys.argv[1:] or list(STORIES):
        with tempfile.TemporaryDirectory() as place:
            record(name, Path(place).resolve())
            print(f"{name}: recorded", file=sys.stderr)
    subprocess.run(["git", "diff", "--stat", "--", str(HERE)], check=False)


if __name__ == "__main__":
    main()
