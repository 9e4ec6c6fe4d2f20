"""Pull requests, one for each unit: the branch, the text, and opened if a person says so."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pygit2

from topkick.boards import pull_request
from topkick.core.errors import UsageError
from topkick.core.isolation import Isolation
from topkick.core.mission import Mission, Unit
from topkick.core.orders import heads_of
from topkick.outside.trees.cloning import work_of
from topkick.outside.trees.places import Clone, clones, own_of
from topkick.wiring.project import Project

PATIENCE_S = 120.0


@dataclass(frozen=True, slots=True)
class Proposal:
    """`commit` is to be pushed as `branch` of the repository at `top`."""

    unit: str
    top: Path
    branch: str
    commit: str
    title: str
    body: str


def proposals(project: Project, mission: Mission, isolation: Isolation) -> list[Proposal]:
    """A unit that has a repository to itself proposes all that was done there; others, their own
    commits. One that brought nothing proposes nothing."""
    homes = {u.name: _home(project, isolation, u) for u in mission.units.values()}
    found = []
    for unit in mission.units.values():
        home = homes[unit.name]
        if home is None:
            continue
        alone = sum(other is not None and other.main == home.main for other in homes.values()) == 1
        commit = home.tip if alone else work_of(home, pygit2.Repository(os.fspath(home.main)))
        if commit not in ("", home.base):
            branch = isolation.branch if alone else home.branch
            title = pull_request.title(mission, unit)
            body = pull_request.body_of(mission, unit)
            found.append(Proposal(unit.name, home.main, branch, commit, title, body))
    return found


def _home(project: Project, isolation: Isolation, unit: Unit) -> Clone | None:
    heads = (tip for tips in heads_of(unit) for tip in tips)
    found = clones(project.root, isolation, unit.handle, heads)
    return own_of(found, project.root / unit.plan.directory, lambda clone: clone.main)


def open_one(proposal: Proposal, remote: str) -> str:
    """What went wrong; nothing if it is open now. The user's own git and gh, as they are set up."""
    gh = shutil.which("gh")
    if gh is None:
        raise UsageError(
            "`gh` is not on PATH, so no pull request can be opened.\n"
            "Install it, or push and open them by hand: topkick land --pr --each prints the texts."
        )
    into = f"{proposal.commit}:refs/heads/{proposal.branch}"
    pushed = _run(["git", "push", "--quiet", remote, into], proposal.top, "")
    if pushed:
        return f"not pushed: {pushed}"
    words = [gh, "pr", "create", "--title", proposal.title, "--head", proposal.branch]
    return _run([*words, "--body-file", "-"], proposal.top, proposal.body)


def _run(words: list[str], where: Path, said: str) -> str:
    try:
        done = subprocess.run(
            words, cwd=where, input=said, capture_output=True, text=True, timeout=PATIENCE_S,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"`{words[0]}` did not end within {PATIENCE_S:.0f} s"
    return "" if done.returncode == 0 else (done.stderr or done.stdout).strip() or "it failed"


def remote_of(proposal: Proposal) -> str:
    """Where to push: origin, or the only one there is."""
    names = [str(r.name) for r in pygit2.Repository(os.fspath(proposal.top)).remotes]
    if "origin" in names or len(names) == 1:
        return "origin" if "origin" in names else names[0]
    raise UsageError(
        f"{proposal.top} has no remote to push to.\nAdd one (git remote add origin URL), then: "
        "topkick land --pr --open"
    )
