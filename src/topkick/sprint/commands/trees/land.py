"""`topkick land`: merge the work of a run into the branch that is checked out."""

import json
import os
import shutil
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import pygit2

from topkick.app.project import Project
from topkick.app.run_search import run_here
from topkick.cli import terminal
from topkick.engine.errors import UsageError
from topkick.git.clone.clone import work_of
from topkick.git.clone.places import Clone, clones, own_of
from topkick.git.isolation import Isolation
from topkick.git.landing.landing import Landing, land
from topkick.git.landing.moved_branch import BranchMoved, details
from topkick.sprint.model import Mission, Overall, Unit
from topkick.sprint.orders import heads_of
from topkick.sprint.run import landing as taking_home
from topkick.sprint.status import overall
from topkick.sprint.views import pull_request
from topkick.text import escape
from topkick.text.format import counted

# --- proposals of pull requests, one for each unit -----------------------------------------

PATIENCE_S = 120.0


@dataclass(frozen=True, slots=True)
class PullRequestProposal:
    """A pull request that would push `commit` as `branch` of the repository at `top`."""

    unit: str
    top: Path
    branch: str
    commit: str
    title: str
    body: str


def proposals(
    project: Project, mission: Mission, isolation: Isolation
) -> list[PullRequestProposal]:
    """Return a pull request for each unit that changed something. A unit with a repository to
    itself proposes all that was done there; other units propose their own commits.
    """
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
            found.append(PullRequestProposal(unit.name, home.main, branch, commit, title, body))
    return found


def _home(project: Project, isolation: Isolation, unit: Unit) -> Clone | None:
    heads = (tip for tips in heads_of(unit) for tip in tips)
    found = clones(project.root, isolation, unit.handle, heads)
    return own_of(found, project.root / unit.plan.directory, lambda clone: clone.main)


def open_one(proposal: PullRequestProposal, remote: str) -> str:
    """Push and open a pull request with the user's own git and gh; return what went wrong, or
    nothing.
    """
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


def remote_of(proposal: PullRequestProposal) -> str:
    """Return the remote to push to: origin, or the only remote."""
    names = [str(r.name) for r in pygit2.Repository(os.fspath(proposal.top)).remotes]
    if "origin" in names or len(names) == 1:
        return "origin" if "origin" in names else names[0]
    raise UsageError(
        f"{proposal.top} has no remote to push to.\nAdd one (git remote add origin URL), then: "
        "topkick land --pr --open"
    )


NOTHING_TO_LAND = (
    "Nothing to land: this run works in the checkout itself, so what its agents committed is on "
    "your branch already.\nReview: git log"
)


@click.command("land")
@click.option("--dry-run", is_flag=True, help="Show what would be done, change nothing.")
@click.option("--pr", is_flag=True, help="Print the text for a pull request instead.")
@click.option("--each", is_flag=True, help="With --pr: a text and a branch for each unit.")
@click.option(
    "--open",
    "opens",
    is_flag=True,
    help="With --pr: push a branch for each unit, and open a pull request by gh.",
)
@click.option("--unfinished", is_flag=True, help="Also land before the run is at its end.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print what would be done as JSON, change nothing."
)
def command(
    dry_run: bool, pr: bool, each: bool, opens: bool, unfinished: bool, yes: bool, as_json: bool
) -> int:
    """Merge the mission's branch into the branch that is checked out.

    Your uncommitted files stay as they are; if one of them is in the way, nothing is changed.
    Nothing is pushed, except with --pr --open: a branch for each unit, with a pull request (gh).
    If another person or program moved the mission's branch, the command shows what is on it and
    lands nothing.

    \b
    Example: topkick land --dry-run
             topkick land --pr --each
    """
    project = run_here()
    mission = taking_home.mission_of(project)
    if (each or opens) and not pr:
        raise UsageError("--each and --open are for pull requests: topkick land --pr --each")
    isolation = mission.isolation
    if isolation is None:
        click.echo("[]" if as_json else NOTHING_TO_LAND)
        return 0
    moved = taking_home.moved_branches(project, isolation)
    if moved and (pr or not as_json):
        raise BranchMoved("\n\n".join(escape.block(details(m)) for m in moved.values()))
    if pr and (each or opens):
        found_ones = proposals(project, mission, isolation)
        if opens and not dry_run:
            _require_end(mission, unfinished=unfinished)
            return _open_all(found_ones, yes=yes)
        if opens and not as_json:
            _say_refusal(mission, unfinished=unfinished)
        return _print_all(found_ones, as_json=as_json)
    if pr:
        terminal.say(pull_request.text(mission))
        terminal.say(f"\nNothing was pushed. To do so: git push -u origin {isolation.branch}")
        return 0
    found = taking_home.landings(project, isolation)
    if as_json:
        at = {m.top: m.stands_at for m in moved.values()}
        shown = [{**_as_json(landing), "moved_to": at.get(landing.top)} for landing in found]
        click.echo(json.dumps(shown, indent=2))
        return 0
    _say(found, isolation.branch)
    open_ones = [landing for landing in found if not landing.is_done]
    if dry_run and open_ones:
        _say_refusal(mission, unfinished=unfinished)
    if dry_run or not open_ones:
        return 0
    _require_end(mission, unfinished=unfinished)
    _agree(yes=yes)
    for landing in open_ones:
        commit = land(landing, taking_home.signed(project))
        into = landing.into or "HEAD"
        terminal.say(f"{into} in {escape.line(str(landing.top))} is at {commit[:12]} now.")
    terminal.say("Review: git log    Remove the trees: topkick clean")
    return 0


def _say(found: list[Landing], branch: str) -> None:
    for landing in found:
        place, into = escape.line(str(landing.top)), escape.line(landing.into or "HEAD")
        if landing.is_done:
            terminal.say(f"{place}: all of {branch} is in {into} already.")
            continue
        how = "moves forward" if landing.forward else "gets a merge"
        brought = f"{counted(landing.commits, 'commit')}, {counted(len(landing.files), 'file')}"
        terminal.say(f"{place}: {into} {how}: {brought} of {branch}")
    if not found:
        terminal.say(f"Nothing is on {branch} yet.")


def _require_end(mission: Mission, *, unfinished: bool) -> None:
    if refusal := _refusal(mission, unfinished=unfinished):
        raise UsageError(refusal)


def _say_refusal(mission: Mission, *, unfinished: bool) -> None:
    """Say in a dry run that the real command would be refused, and why."""
    if refusal := _refusal(mission, unfinished=unfinished):
        terminal.say(f"Without --dry-run this would be refused. {refusal}")


def _refusal(mission: Mission, *, unfinished: bool) -> str:
    if unfinished or overall(mission) is Overall.COMPLETED:
        return ""
    return (
        f"The run is not at its end ({overall(mission)}); only finished units are on the "
        "branch.\nLook: topkick status    Take what is there: topkick land --unfinished"
    )


def _agree(*, yes: bool, what: str = "Land?") -> None:
    if yes:
        return
    if not terminal.is_there():
        raise UsageError(
            "There is no terminal to ask in, so nothing was landed.\nAdd --yes: topkick land --yes"
        )
    if not click.confirm(what, default=True):
        raise click.Abort


# --- print or open pull requests -----------------------------------------------------------


def _print_all(found: list[PullRequestProposal], *, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps([{**asdict(p), "top": str(p.top)} for p in found], indent=2))
        return 0
    for proposal in found:
        terminal.say(f"{proposal.title}\n\n{proposal.body}")
        push = f"git push -u origin {proposal.commit[:12]}:refs/heads/{proposal.branch}"
        terminal.say(f"\nIn {escape.line(str(proposal.top))}: {push}\n")
    terminal.say("Nothing was pushed. To push and open all of them: topkick land --pr --open")
    return 0


def _open_all(found: list[PullRequestProposal], *, yes: bool) -> int:
    if not found:
        terminal.say(
            "There is nothing to propose: the work of all units is in your branch already."
        )
        return 0
    for proposal in found:
        place = escape.line(str(proposal.top))
        terminal.say(f"{proposal.title}: push {proposal.branch} of {place}, open a pull request")
    _agree(yes=yes, what=f"Push and open {counted(len(found), 'pull request')}?")
    wrong = {p.unit: open_one(p, remote_of(p)) for p in found}
    opened = [unit for unit, why in wrong.items() if not why]
    if opened:
        terminal.say(f"PRs created for: {', '.join(escape.line(name) for name in opened)}")
    for unit, why in wrong.items():
        if why:
            terminal.say(f"{escape.line(unit)}: no pull request: {escape.line(why, 300)}")
    return 1 if len(opened) < len(found) else 0


def _as_json(landing: Landing) -> dict[str, object]:
    return {
        "repository": str(landing.top),
        "branch": landing.branch,
        "into": landing.into,
        "head": landing.head,
        "tip": landing.tip,
        "commits": landing.commits,
        "files": list(landing.files),
        "fast_forward": landing.forward,
    }
