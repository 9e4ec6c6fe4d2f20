"""Break a requirements document on disk down into a plan next to it (PL-03, BD-03 to BD-05)."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from topkick.core.agents import Tier
from topkick.core.errors import TopkickError, UsageError
from topkick.core.settings import Settings
from topkick.outside.agents.vocabulary import Event, Result, Said
from topkick.outside.ground.files import read_plain, replace_atomically
from topkick.plans.breakdown.acceptance import objections, plan_in
from topkick.plans.breakdown.drafting import Breakdown, break_down
from topkick.wiring.plan_file import refuse_while_running
from topkick.wiring.planning import LONGEST_PLAN_BYTES
from topkick.wiring.project import PLAN_NAME, Project, project_at
from topkick.wiring.surroundings import surroundings_of
from topkick.wiring.trying import Trial, try_out

NAMES = ("REQUIREMENTS.md", "PRD.md", "SPEC.md", "README.md")
PLAN_MODE = 0o644

_ORDER = """\
A plan was drafted by a program from a requirements document, and is to be made better.

In this directory are {document}, which is the source of everything, and {plan}, the draft.
Read both, then rewrite {plan} in place. Change no other file, run no command, build nothing.

Keep its form: the table of work units, '### Sprint N: Name', **Entry criteria**, **Tasks**,
**Exit criteria**. Keep behind each task where it comes from, as in ({source}:42). A task that you
leave out is named below a heading '## Left out', with its place in {document} and the reason.

Make it better in these ways only:
- Each task is an order to build one thing, in whole words, and names its files where that is clear.
- Tasks that say the same are one; a task that holds several is parted.
- A sprint has three to seven tasks that serve one goal; what others build on comes first.
- Each sprint has an exit criterion that a machine can check and that names its own work.
- Nothing that {document} calls out of scope, and nothing that it does not ask for.
"""


class RequirementsNotFound(UsageError):
    """The message of PL-03: exactly these three lines."""

    def __init__(self, what: str = "a requirements document") -> None:
        super().__init__(
            f"ERROR: Cannot find {what}.\n"
            "The breakdown command needs a source document to analyze.\n"
            "Please provide the path: topkick breakdown /path/to/requirements.md"
        )


@dataclass(frozen=True, slots=True)
class Source:
    """The document, its text, and the project in whose root it is."""

    path: Path
    text: str
    project: Project

    def plan(self) -> str | None:
        """Return the plan that is there now."""
        try:
            data = read_plain(self.project.plan_path.resolve(), LONGEST_PLAN_BYTES + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UsageError(
                f"{self.project.plan_path} cannot be read: {error.strerror}."
            ) from error
        return data.decode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class Improved:
    """The agent's text if it is acceptable; else the reasons why the draft is kept."""

    text: str = ""
    reasons: tuple[str, ...] = ()


def find_requirements(given: Path | None) -> Source:
    """Return the given path, else the first of four names in this directory."""
    path = given if given is not None else _search(Path.cwd())
    if given is not None and path.is_dir():
        path = _search(path)
    try:
        data = read_plain(path.resolve(), LONGEST_PLAN_BYTES + 1)
    except FileNotFoundError:
        raise RequirementsNotFound(str(path.resolve())) from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    if len(data) > LONGEST_PLAN_BYTES:
        raise UsageError(f"{path} is larger than 8 MiB; split it into several documents.")
    whole = path.resolve()
    return Source(whole, data.decode("utf-8", "replace"), project_at(whole.parent))


def _search(place: Path) -> Path:
    for name in NAMES:
        if (place / name).is_file():
            return place / name
    raise RequirementsNotFound


def draft_of(source: Source) -> Breakdown:
    return break_down(
        source.text,
        document=source.path.name,
        name=source.project.root.name,
        around=surroundings_of(source.project.root),
    )


def require_room(source: Source, *, force: bool) -> None:
    """Raise if there is a plan, unless forced, or if a run is active."""
    path = source.project.plan_path
    refuse_while_running(source.project, "breakdown")
    if not force and (path.exists() or path.is_symlink()):
        raise UsageError(
            f"{path} exists, and was not touched.\n"
            "To see what would be different: topkick breakdown --diff\n"
            "To write over it: topkick breakdown --force"
        )


def write_plan(source: Source, text: str, *, force: bool) -> None:
    require_room(source, force=force)
    path = source.project.plan_path
    try:
        replace_atomically(path, text.encode("utf-8", "surrogateescape"), PLAN_MODE)
    except OSError as error:
        raise TopkickError(f"{path} was not written: {error.strerror}.") from error


def improved_by(
    settings: Settings, source: Source, draft: Breakdown, tell: Callable[[Event], None]
) -> Improved:
    """Give the agent one order, in a directory with only the document and the draft."""
    heard: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Said):
            heard.append(event.text)
        elif isinstance(event, Result) and event.said:
            heard.append(event.said)
        tell(event)

    with tempfile.TemporaryDirectory(prefix="topkick-draft-", ignore_cleanup_errors=True) as made:
        place = Path(made).resolve()
        (place / source.path.name).write_text(source.text, "utf-8", "replace")
        (place / PLAN_NAME).write_text(draft.text, "utf-8")
        order = _ORDER.format(document=source.path.name, plan=PLAN_NAME, source=source.path.stem)
        tier = settings.first_tier or Tier.SONNET
        trial = Trial(settings, order, settings.agent.model_for(tier), tier, place)
        tried = try_out(trial, listen)
        if tried.stopped:
            return Improved(reasons=(f"The agent was ended: {tried.stopped}.",))
        answer = _left_in(place, draft.text) or plan_in("\n".join(heard))
    return _judged(answer, draft)


def _left_in(place: Path, before: str) -> str:
    """Return the file as the agent left it, if it changed it."""
    try:
        text = read_plain(place / PLAN_NAME, LONGEST_PLAN_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    return text if text.strip() != before.strip() else ""


def _judged(answer: str, draft: Breakdown) -> Improved:
    if not answer.strip():
        return Improved(reasons=("The agent neither changed the draft nor answered with a plan.",))
    reasons = objections(answer, draft.draft)
    return Improved(reasons=reasons) if reasons else Improved(answer)
