"""Check from outside that a run of five packages ended as it should."""

import json
import re
import subprocess
from collections.abc import Iterator

from proof.packages.layout import LAYERS, Made


def wrong_with(made: Made, done: subprocess.CompletedProcess[str]) -> list[str]:
    return [*_ending(made, done), *_state(made), *_repositories(made), *_order(made)]


def _ending(made: Made, done: subprocess.CompletedProcess[str]) -> Iterator[str]:
    """Check the last lines, in the words of the first sprint supervisor."""
    if done.returncode != 0:
        yield f"it ended with {done.returncode}"
    extra = 3  # two sprints of the first pass, one of the second
    wanted = (
        f"All {sum(made.sprints.values()) + extra} sprints executed. "
        "2 reconciliation passes completed.",
        "All packages building. All tests passing.",
        "Cross-package needs resolved: 4 of 4",
    )
    for line in wanted:
        if line not in done.stdout.splitlines():
            yield f"it did not say: {line}"


def _state(made: Made) -> Iterator[str]:
    text = (made.root / "SUPERVISOR_STATE.md").read_text()
    if len(re.findall(r"^\| \d+ \|.*\| resolved \|$", text, re.MULTILINE)) != 4:
        yield "the registry does not have four needs that are resolved"
    for number in (1, 2):
        if f"- Pass {number}: complete" not in text:
            yield f"pass {number} is not called complete"
    if "Two definitions" not in text:
        yield "that two packages define one name is not in the Decisions Log"


def _repositories(made: Made) -> Iterator[str]:
    """Check that each package's branch has a commit for each of its sprints."""
    for package, count in made.sprints.items():
        log = _git(made, package, "log", "--format=%s", "topkick/five-packages")
        found = {int(n) for n in re.findall(r"^Sprint (\d+):", log, re.MULTILINE)}
        if found != set(range(1, count + 1)):
            yield f"{package} has commits for sprints {sorted(found)} of {count}"
        listed = _git(made, package, "show", "topkick/five-packages:PROGRESS.md")
        if "- (none)" not in listed.partition("## Cross-Package Needs")[2]:
            yield f"{package} still lists needs"


def _git(made: Made, package: str, *words: str) -> str:
    words = ("git", *words)
    done = subprocess.run(
        words, cwd=made.root / package, capture_output=True, text=True, check=False
    )
    return done.stdout


def _order(made: Made) -> Iterator[str]:
    """Check that no package began before all layers that it builds on were done."""
    told = made.run("status", "--json", timeout_s=60)
    units = {u["name"]: u for u in json.loads(told.stdout)["units"]}
    began = {n: min(s["first_order_at"] or "9" for s in u["sprints"]) for n, u in units.items()}
    ended = {n: max(s["completed_at"] or "9" for s in u["sprints"]) for n, u in units.items()}
    pairs = [("validation-profiles", "validation")]
    pairs += [(n, "biblioteca") for n in LAYERS if n != "biblioteca"]
    pairs += [(n, "Reconciliation 1") for n in LAYERS]
    for before, after in pairs:
        if began.get(after, "") < ended[before]:
            yield f"{after} began before {before} was done"
