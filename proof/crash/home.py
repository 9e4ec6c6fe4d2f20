"""Check that work is safe in the user's repository, from git and the agents' own records.

Nothing here reads the program's code or state: only refs, commits and files, and the books in which
agents recorded what they committed and left uncommitted.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from proof.crash.place import Place

MISSION = "refs/heads/topkick/crash"
SALVAGE = "refs/topkick/salvage/"
LYING_ABOUT, CHANGED = "lies-about.txt", "changed.txt"
_OWN = "what the user has written\n"
_LOOKS = 2


class Commit(NamedTuple):
    """A line of the agents' book: a commit, and the file that this order wrote in it."""

    id: str
    unit: str
    sprint: str
    run_id: str
    path: str


def committed(place: Place) -> list[Commit]:
    return [Commit(*row) for row in place.book("commits") if len(row) == len(Commit._fields)]


def tip(place: Place) -> str:
    """Return the mission branch's commit; cheap, because it is called all the time."""
    loose = place.project / ".git" / MISSION
    try:
        return loose.read_text().strip()
    except FileNotFoundError:
        return ""


# --- at any moment -------------------------------------------------------------------------


def torn(place: Place, tips: Sequence[str], integrated: Iterable[str]) -> list[str]:
    """Return signs of half a merge, or of commits that left the branch, at any moment.

    `tips` are the commits at which the branch was seen, `integrated` what the program says is in
    it.
    """
    found = broken(place)
    now = tip(place)
    inside = _ancestors(place, now) if now else set()
    found += [f"the branch was at {t[:12]} and is not past it" for t in tips if t not in inside]
    found += [
        f"{t[:12]} is said to be integrated and is not on the branch"
        for t in integrated
        if t not in inside
    ]
    merged = [c for c in committed(place) if c.id in inside]
    return found + [what for c in merged if (what := _missing(place, now, c))]


def broken(place: Place) -> list[str]:
    """Return what fsck finds; look twice, as a process may be writing."""
    for _ in range(_LOOKS):
        done = place.asked_git("fsck", "--strict", "--no-dangling", "--no-progress")
        if done.returncode == 0:
            return []
    return [f"git fsck: {line}" for line in (done.stdout + done.stderr).splitlines()]


def _missing(place: Place, at: str, commit: Commit) -> str:
    """Return a commit that is in the branch without its file: half a merge."""
    text = place.asked_git("show", f"{at}:{commit.path}").stdout
    is_shared = "/" not in commit.path
    others = [c.run_id for c in committed(place) if c.path == commit.path]
    whose = [commit.run_id] if is_shared else others  # an agent may have rewritten its own file
    if any(f"by {run_id}\n" in text for run_id in whose):
        return ""
    return f"{commit.path} of {commit.run_id} is not in the tree of {at[:12]}"


def _ancestors(place: Place, *refs: str) -> set[str]:
    done = place.asked_git("rev-list", *refs, "--")
    return set(done.stdout.split())


# --- at the end ----------------------------------------------------------------------------


def lost(place: Place) -> list[str]:
    """Check that all commits of agents are on the branch, and all uncommitted work is saved."""
    inside = _ancestors(place, tip(place))
    found = [
        f"{c.path} of {c.run_id}, committed as {c.id[:12]}, is not on the mission's branch"
        for c in committed(place)
        if c.id not in inside
    ]
    saved = place.git("for-each-ref", "--format=%(refname)", SALVAGE).split()
    for run_id, path in place.book("left"):
        kept = [place.asked_git("show", f"{ref}:{path}").stdout for ref in saved]
        if f"by {run_id}\n" not in kept:
            found.append(f"{path}, left lying about by {run_id}, was not saved")
    return found


def half(place: Place) -> list[str]:
    """Return drafts of trees, and git locks without an owner."""
    drafts = [p for p in trees(place).rglob(".topkick-*") if p.name != ".topkick-ready"]
    locks = [p for base in (place.project, trees(place)) for p in base.rglob("*.lock")]
    of_git = [p for p in locks if ".git" in p.parts and not {"topkick", "objects"} & _inside(p)]
    return [str(p.relative_to(place.root)) for p in (*drafts, *of_git)]


def _inside(path: Path) -> set[str]:
    """Return the part of a git directory: topkick's state and the objects have their own locks."""
    return set(path.parts[path.parts.index(".git") + 1 : path.parts.index(".git") + 2])


def trees(place: Place) -> Path:
    return place.home / ".local" / "state" / "topkick" / "trees"


# --- landing -------------------------------------------------------------------------------


def meanwhile(place: Place) -> None:
    (place.project / CHANGED).write_text("as it was\n")
    place.git("add", CHANGED)
    place.git("commit", "-q", "-m", "Meanwhile")
    for name in (LYING_ABOUT, CHANGED):
        (place.project / name).write_text(_OWN)


def not_landed(place: Place) -> list[str]:
    """Check that the user's branch has everything, and the checkout matches it."""
    inside = _ancestors(place, "refs/heads/main")
    found = [] if tip(place) in inside else ["the mission's branch is not in main"]
    if place.git("symbolic-ref", "HEAD").strip() != "refs/heads/main":
        found.append("HEAD is not main any more")
    has_own = (place.project / CHANGED).exists()
    wanted = [f" M {CHANGED}", f"?? {LYING_ABOUT}"] if has_own else []
    status = place.git("status", "--porcelain", "--untracked-files=all").splitlines()
    if sorted(status) != wanted:
        found.append(f"git status: {status}, not {wanted}")
    own = [place.project / name for name in (LYING_ABOUT, CHANGED) if has_own]
    return found + [f"{p.name} has other bytes" for p in own if p.read_text() != _OWN]


def not_cleared(place: Place) -> list[str]:
    return [str(p.relative_to(place.root)) for p in trees(place).glob("*/*/*")]


class AtHome(NamedTuple):
    """The problems at the end, by kind."""

    lost: list[str]
    half: list[str]
    changed: list[str]
    wrong: list[str]


def at_home(place: Place, said: set[str]) -> AtHome:
    """Check the end state; `said` are the commands that were given."""
    return AtHome(
        lost=lost(place),
        half=half(place),
        changed=not_landed(place) if "land" in said else [],
        wrong=not_cleared(place) if "clean" in said else [],
    )
