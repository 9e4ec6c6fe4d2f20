"""`topkick breakdown`: a requirements document becomes the draft of a plan."""

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

import click

from topkick.agents.vocabulary import AgentResult, Event, Said
from topkick.app.agents.configured import require_program
from topkick.app.agents.trial import Trial, try_out
from topkick.app.config.file import load_config_at
from topkick.app.project import LONGEST_PLAN_BYTES, PLAN_NAME, Project, project_at
from topkick.cli import terminal
from topkick.cli.setup.known_agents import Here, agent_named, trial_settings
from topkick.engine.agents.program import Tier
from topkick.engine.errors import TopkickError, UsageError
from topkick.engine.io.files import read_plain, replace_atomically
from topkick.engine.settings import Settings
from topkick.planning.breakdown.draft import Breakdown, break_down, objections, plan_in
from topkick.planning.project_facts import surroundings_of
from topkick.sprint.run.plan_file import refuse_while_running
from topkick.text import escape
from topkick.text.format import counted

# --- the summary of `topkick breakdown` --------------------------------------------------------
# For people, and as JSON for programs.

QUESTIONS_SHOWN = 5
LONGEST_LINE = 200


def page(found: Breakdown, source: Path, output: Path, notes: Sequence[str] = ()) -> Iterator[str]:
    """Yield the summary for a person."""
    draft = found.draft
    yield "Breakdown complete"
    yield ""
    yield f"Source: {escape.line(str(source))}"
    yield f"Output: {escape.line(str(output))}"
    yield ""
    yield "| Metric                | Count |"
    yield "|-----------------------|-------|"
    for name, count in _counts(found):
        yield f"| {name:21} | {count:5} |"
    yield ""
    yield from notes
    if draft.questions:
        name = escape.line(source.name, 60)
        yield f"Decide first: {counted(len(draft.questions), 'open question')} of {name}."
        for question in draft.questions[:QUESTIONS_SHOWN]:
            yield f"  line {question.line}: {escape.line(question.text, 120)}"
        if len(draft.questions) > QUESTIONS_SHOWN:
            yield f"  and {len(draft.questions) - QUESTIONS_SHOWN} more"
    if found.skipped:
        yield f"Left out as done or out of scope: {counted(found.skipped, 'passage')}."
    yield "Read the plan before you run it: the draft has only what the document says."
    yield "Next: topkick plan prioritize"


def _counts(found: Breakdown) -> tuple[tuple[str, int], ...]:
    return (
        ("Requirements detected", len(found.requirements)),
        ("Atomic tasks", found.draft.tasks),
        ("Work units", len(found.draft.units)),
        ("Sprints", found.draft.sprints),
    )


def difference(before: str, after: str, name: str) -> Iterator[str]:
    """Yield a unified diff; it is empty if both texts are the same."""
    old, new = before.split("\n"), after.split("\n")
    for line in unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm=""):
        yield escape.block(line)


def breakdown_as_json(
    found: Breakdown, source: Path, output: Path, *, written: bool, by: str, reasons: Sequence[str]
) -> dict[str, object]:
    draft = found.draft
    return {
        "source": str(source),
        "output": str(output),
        "written": written,
        "by": by,
        "reasons": list(reasons),
        "counts": {name.lower().replace(" ", "_"): count for name, count in _counts(found)},
        "skipped": found.skipped,
        "requirements": [
            {
                "text": one.text,
                "heading": one.heading,
                "lines": [one.lines.first, one.lines.last],
                "confidence": one.confidence.value,
                "kind": one.kind.value,
            }
            for one in found.requirements
        ],
        "questions": [{"line": one.line, "text": one.text} for one in draft.questions],
    }


# --- from a requirements document to a plan next to it -----------------------------------------
# PL-03, BD-03 to BD-05.

NAMES = ("REQUIREMENTS.md", "PRD.md", "SPEC.md", "README.md")
PLAN_MODE = 0o644

_ORDER = """\
A program drafted a plan from a requirements document. Make the plan better.

In this directory are {document}, which is the source of everything, and {plan}, the draft.
Read both, then rewrite {plan} in place. Change no other file, run no command, build nothing.

Keep its form: the table of work units, '### Sprint N: Name', **Entry criteria**, **Tasks**,
**Exit criteria**. Keep after each task where it comes from, as in ({source}:42). If you leave out
a task, name it below a heading '## Left out', with its place in {document} and the reason.

Make it better in these ways only:
- Each task tells an agent to build one thing, in whole words, and names its files where that is
  clear.
- Merge tasks that say the same; split a task that holds several.
- A sprint has three to seven tasks that serve one goal; work that others build on comes first.
- Each sprint has an exit criterion that a machine can check and that names its own work.
- Add nothing that {document} calls out of scope, and nothing that it does not ask for.
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
class SourceDocument:
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
                f"{self.project.plan_path} cannot be read: {error.strerror}.\n"
                "topkick compares the draft with it. Make the file readable, then: "
                "topkick plan breakdown --diff"
            ) from error
        return data.decode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class AgentDraft:
    """The agent's text if it is acceptable; else the reasons why the draft is kept."""

    text: str = ""
    reasons: tuple[str, ...] = ()


def find_requirements(given: Path | None) -> SourceDocument:
    """Return the given path, else the first of four names in this directory."""
    path = given if given is not None else _search(Path.cwd())
    if given is not None and path.is_dir():
        path = _search(path)
    try:
        data = read_plain(path.resolve(), LONGEST_PLAN_BYTES + 1)
    except FileNotFoundError:
        raise RequirementsNotFound(str(path.resolve())) from None
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}. No plan was drafted.\n"
            f"Make the file readable, then: topkick plan breakdown {path}"
        ) from error
    if len(data) > LONGEST_PLAN_BYTES:
        raise UsageError(
            f"{path} is larger than 8 MiB, so no plan was drafted.\n"
            "Split it into several documents, then: topkick plan breakdown DOCUMENT"
        )
    whole = path.resolve()
    return SourceDocument(whole, data.decode("utf-8", "replace"), project_at(whole.parent))


def _search(place: Path) -> Path:
    for name in NAMES:
        if (place / name).is_file():
            return place / name
    raise RequirementsNotFound


def draft_of(source: SourceDocument) -> Breakdown:
    return break_down(
        source.text,
        document=source.path.name,
        name=source.project.root.name,
        around=surroundings_of(source.project.root),
    )


def require_room(source: SourceDocument, *, force: bool) -> None:
    """Raise if there is a plan, unless forced, or if a run is active."""
    path = source.project.plan_path
    refuse_while_running(source.project, "breakdown")
    if not force and (path.exists() or path.is_symlink()):
        raise UsageError(
            f"{path} exists already, and topkick did not change it.\n"
            "To see what would change: topkick breakdown --diff\n"
            "To overwrite it: topkick breakdown --force"
        )


def write_plan(source: SourceDocument, text: str, *, force: bool) -> None:
    require_room(source, force=force)
    path = source.project.plan_path
    try:
        replace_atomically(path, text.encode("utf-8", "surrogateescape"), PLAN_MODE)
    except OSError as error:
        raise TopkickError(
            f"{path} was not written: {error.strerror}. It is as it was before.\n"
            "To see the draft: topkick plan breakdown --diff"
        ) from error


def improved_by(
    settings: Settings, source: SourceDocument, draft: Breakdown, tell: Callable[[Event], None]
) -> AgentDraft:
    """Give the agent one order, in a directory with only the document and the draft."""
    heard: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Said):
            heard.append(event.text)
        elif isinstance(event, AgentResult) and event.said:
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
            return AgentDraft(reasons=(f"The agent was stopped: {tried.stopped}.",))
        answer = _left_in(place, draft.text) or plan_in("\n".join(heard))
    return _judged(answer, draft)


def _left_in(place: Path, before: str) -> str:
    """Return the file as the agent left it, if it changed it."""
    try:
        text = read_plain(place / PLAN_NAME, LONGEST_PLAN_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    return text if text.strip() != before.strip() else ""


def _judged(answer: str, draft: Breakdown) -> AgentDraft:
    if not answer.strip():
        return AgentDraft(
            reasons=("The agent neither changed the draft nor answered with a plan.",)
        )
    reasons = objections(answer, draft.draft)
    return AgentDraft(reasons=reasons) if reasons else AgentDraft(answer)


OURSELVES = "topkick"


@click.command("breakdown")
@click.argument("requirements", required=False, type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite an existing plan.")
@click.option("--diff", is_flag=True, help="Show what would change; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.option(
    "--agent", metavar="NAME", help="Let this agent improve the draft (this may cost money)."
)
def command(
    requirements: Path | None, force: bool, diff: bool, as_json: bool, agent: str | None
) -> int:
    """Draft EXECUTION_PLAN.md from a requirements document, offline and without a model.

    Without a path: REQUIREMENTS.md, PRD.md, SPEC.md or README.md in this directory. topkick writes
    the plan next to the document, and overwrites an existing plan only with --force.

    \b
    Example: topkick plan breakdown docs/PRD.md --diff
    """
    source = find_requirements(requirements)
    found = draft_of(source)
    if not diff:  # before an agent is paid for what will not be written
        require_room(source, force=force)
    improved = _improved(source, found, agent, quiet=as_json)
    text = improved.text or found.text
    by = agent if agent and improved.text else OURSELVES
    changes = _changes(source, text) if diff else []
    if not diff:
        write_plan(source, text, force=force)
    plan = source.project.plan_path
    if as_json:
        told = breakdown_as_json(
            found, source.path, plan, written=not diff, by=by, reasons=improved.reasons
        )
        click.echo(json.dumps(told | ({"diff": changes} if diff else {}), indent=2))
    elif diff:
        click.echo("\n".join(changes) if changes else "Nothing would change.")
    else:
        notes = _notes(agent, improved)
        click.echo("\n".join(page(found, source.path, plan, notes)))
    return 0


def _improved(
    source: SourceDocument, found: Breakdown, agent: str | None, *, quiet: bool
) -> AgentDraft:
    if agent is None:
        return AgentDraft()
    root = source.project.root
    here = Here(root, load_config_at(source.project.config_path))
    settings = trial_settings(here.config, agent_named(here, agent))
    require_program(settings.agent, root)
    if not quiet:
        terminal.say(
            f"topkick asks {escape.line(agent)} to improve the draft; Ctrl-C stops the agent."
        )
    return improved_by(settings, source, found, lambda _event: None)


def _notes(agent: str | None, improved: AgentDraft) -> Sequence[str]:
    if agent is None:
        return ()
    if improved.text:
        return (f"{escape.line(agent)} improved the draft; the counts are those from before.",)
    lines = [f"topkick kept its own draft and refused the answer of {escape.line(agent)}:"]
    return [*lines, *(f"  {escape.line(reason, 160)}" for reason in improved.reasons)]


def _changes(source: SourceDocument, text: str) -> list[str]:
    before = source.plan() or ""
    return list(difference(before, text, source.project.plan_path.name))
