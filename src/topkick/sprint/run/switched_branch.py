"""Notice, before an order is given, that the user switched the checkout to another branch.

If the agents of a run work in the checkout itself, their orders belong to the branch on which they
were given: the commits so far are there, and work on another branch is a finding. So if the user
switches to another branch while a run is stopped, the run must not continue there, or an agent
would be charged for what the user did.
"""

import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from topkick.app.project import Project
from topkick.checks.model import FindingKind
from topkick.engine.errors import UsageError
from topkick.sprint.model import Mission, Sprint
from topkick.sprint.run.uncommitted import directory_of


def require_same_branch(project: Project, mission: Mission) -> None:
    """Raise unless each repository is on the branch of the last order that was given in it.

    A repository that cannot be read is left to the survey before the order, which says why.
    """
    import pygit2

    if mission.isolation is not None:
        return
    with suppress(pygit2.GitError):
        for directory, sprint in _last_orders(project, mission):
            _require(directory, sprint)


def _last_orders(project: Project, mission: Mission) -> Iterator[tuple[Path, Sprint]]:
    """Yield the sprint of each repository whose first order came last, with its directory."""
    import pygit2

    last: dict[str, tuple[Path, Sprint]] = {}
    for unit in mission.units.values():
        directory = directory_of(project, mission, unit)
        while not directory.is_dir() and directory != project.root:
            directory = directory.parent
        found = pygit2.discover_repository(str(directory))
        if found is None:
            continue
        for sprint in unit.sprints:
            known = last.get(found)
            later = known is None or sprint.first_dispatched_at_us > known[1].first_dispatched_at_us
            if sprint.branch_at_first and later:
                last[found] = (directory, sprint)
    yield from last.values()


def _require(directory: Path, sprint: Sprint) -> None:
    import pygit2

    from topkick.git.read.changes import opened
    from topkick.git.read.repository import branch_of

    repo = opened(directory)
    was, now = sprint.branch_at_first, branch_of(repo) if repo is not None else ""
    if repo is None or was == now or _is_known(sprint, now):
        return
    create = () if f"refs/heads/{was}" in repo.references else ("-c",)
    here = pygit2.discover_repository(str(Path.cwd()))
    where = () if here == repo.path else ("-C", repo.workdir)
    back = shlex.join(["git", *where, "switch", *create, was])
    raise UsageError(
        f"The checkout is on {now or 'no branch'} now; the orders of this run were given on {was}."
        f"\nWork on another branch would count as a finding against the agent, so nothing was "
        f"started.\nGo back: {back}    Then: topkick resume"
    )


def _is_known(sprint: Sprint, branch: str) -> bool:
    """Return whether the agent switched the branch itself: the run has a finding that says so."""
    findings = sprint.outcome.findings if sprint.outcome is not None else ()
    return any(f.kind is FindingKind.OTHER_BRANCH and f.seen == branch for f in findings)
