"""Open a pull request for a worker's branch with gh, unless there is one (EP-14).

topkick never merges it. `gh` runs in one of topkick's repositories and gets the remote repository
by name, so neither gh nor git reads settings that an agent may have written.
"""

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pygit2

from topkick.checks.request import Trip
from topkick.engine.effects import Came, Propose, Upshot
from topkick.git.clone.shared_objects import borrow
from topkick.git.locks import common_dir
from topkick.git.program import GitFailed, git, program_path
from topkick.git.read.changes import opened
from topkick.git.remote.remotes import PATIENCE_S, address_of, alone

REMOTE = "origin"
_PLACE = re.compile(
    r"(?:(?:https|ssh)://(?:[^@/\s]+@)?|[\w.-]+@)([\w.-]+)(?::\d+)?[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?"
)
_PULL = re.compile(r"https?://[^\s|]{3,300}/pull/\d{1,9}")


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request as gh lists it."""

    url: str
    state: str
    tip: str


def open_pull_request(trip: Trip) -> Upshot:
    """Push the branch and open its pull request; the trip's errand is to propose one."""
    assert isinstance(trip.errand, Propose)
    store = Path(trip.store) / "propose.git"
    with alone(store):
        return _propose(trip.errand, Path(trip.root), store)


def _propose(proposal: Propose, root: Path, store: Path) -> Upshot:
    repo = opened(root)
    if repo is None:
        raise GitFailed("There is no git repository here, so no pull request can be opened.")
    address = address_of(repo, REMOTE)
    place = repository_of(address)
    known = _known(place, proposal, store)
    if same := [pull.url for pull in known if pull.tip == proposal.tip]:
        return Upshot(Came.DONE, same[0])  # whatever its state is now
    _push(proposal, address, repo, store)
    if is_open := [pull.url for pull in known if pull.state == "OPEN"]:
        return Upshot(Came.DONE, is_open[0])
    words = ["pr", "create", "--repo", place, "--head", proposal.branch]
    words += ["--title", proposal.title, "--body-file", "-"]
    said = _gh(words + (["--draft"] if proposal.draft else []), store, proposal.body)
    opened_at = _PULL.search(said)
    if opened_at is None:
        return Upshot(
            Came.FAILED, f"gh printed no address of a pull request: {said.strip()[-300:]}"
        )
    return Upshot(Came.DONE, opened_at[0])


def repository_of(address: str) -> str:
    """Return HOST/OWNER/NAME, the form that gh expects."""
    found = _PLACE.fullmatch(address)
    if found is None:
        raise GitFailed(f"{REMOTE} is at {address}, where gh cannot open pull requests.")
    return f"{found[1]}/{found[2]}"


def _known(place: str, proposal: Propose, store: Path) -> list[Pull]:
    words = ["pr", "list", "--repo", place, "--head", proposal.branch, "--state", "all"]
    said = _gh([*words, "--json", "url,state,headRefOid"], store, "")
    try:
        found = [Pull(x["url"], x["state"], x["headRefOid"]) for x in json.loads(said)]
    except (ValueError, KeyError, TypeError) as trouble:
        raise GitFailed(f"gh printed no list of pull requests: {said.strip()[-300:]}") from trouble
    return [pull for pull in found if _PULL.fullmatch(str(pull.url))]


def _push(proposal: Propose, address: str, repo: pygit2.Repository, store: Path) -> None:
    """Push from a temporary repository that borrows the objects; without force."""
    if not (store / "HEAD").exists():
        pygit2.init_repository(os.fspath(store), bare=True)
    borrow(store, [common_dir(repo) / "objects"])
    into = f"{proposal.tip}:refs/heads/{proposal.branch}"
    git("push", "--quiet", address, into, at=store, git_dir=store,
        timeout_s=PATIENCE_S, reaches=True)  # fmt: skip


def _gh(words: list[str], at: Path, said: str) -> str:
    gh = shutil.which("gh", path=program_path())
    if gh is None:
        raise GitFailed("`gh` is not on PATH, so no pull request can be opened. Install it.")
    theirs = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env = {**theirs, "PATH": program_path(), "GH_PROMPT_DISABLED": "1", "NO_COLOR": "1"}
    try:
        done = subprocess.run([gh, *words], cwd=at, env=env, input=said.encode(),
                              capture_output=True, timeout=PATIENCE_S, check=False)  # fmt: skip
    except subprocess.TimeoutExpired as trouble:
        raise GitFailed(f"`gh pr {words[1]}` did not end within {PATIENCE_S:.0f} s") from trouble
    if done.returncode != 0:
        told = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        raise GitFailed(f"`gh pr {words[1]}` failed: {told[-600:]}")
    return done.stdout.decode("utf-8", "replace")
