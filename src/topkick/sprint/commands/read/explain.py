"""`topkick explain`: why something is in its state, from the records of the run."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

import click

from topkick.app.project import Project
from topkick.app.run_search import run_here
from topkick.app.run_view import Happened, journal_happenings, take_a_look
from topkick.cli import completion, handles, terminal
from topkick.engine.errors import UsageError
from topkick.engine.views import audit_trail as views_audit_trail
from topkick.sprint import status
from topkick.sprint.blockers import unit as blockers_unit
from topkick.sprint.blockers.model import Blocked
from topkick.sprint.blockers.unit import Waiting
from topkick.sprint.blockers.waits import NoSupervisor
from topkick.sprint.commands.read.status import settings_lines
from topkick.sprint.explain import audit_trail, evidence
from topkick.sprint.explain import page as explained
from topkick.sprint.explain.audit_trail import Numbered
from topkick.sprint.gates import as_json as gate_json
from topkick.sprint.gates import evidence as gate_evidence
from topkick.sprint.gates import views as gates
from topkick.sprint.gates.model import Gate
from topkick.sprint.model import SPRINT, Mission, Overall
from topkick.text import format as fmt

NOTHING_YET = "There is no run here yet. Begin one: topkick start"


@dataclass(frozen=True, slots=True)
class RunLook:
    """The run, now or as of a record; `also` holds blockers that no record shows."""

    mission: Mission
    now_us: int
    happened: tuple[Numbered, ...]
    also: tuple[Blocked, ...] = ()


@click.command("explain")
@click.argument("x", required=False, shell_complete=completion.units_and_sprints)
@click.option(
    "--at", "at_seq", type=int, metavar="SEQ", help="Show the state at this record of the journal."
)
@click.option(
    "--evidence",
    "whole",
    is_flag=True,
    help="Also show what each command printed, and the diff of findings.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(x: str | None, at_seq: int | None, whole: bool, as_json: bool) -> int:
    """Show why X is in its state: each fact with its record, each decision with its rule.

    X is a sprint (its state, its model, its attempts, what was checked and found), a unit, or
    a gate (each run, and how the verdict comes from them).
    Without X: everything that is stuck or waits, and the commands that help.

    \b
    Example: topkick explain U2/3 --evidence
             topkick explain U2 --at 120
             topkick explain G1
    """
    project = run_here()
    look = _look(project, at_seq)
    code = _explain(look, x, whole=whole, as_json=as_json)
    if at_seq is None and not as_json:
        for line in settings_lines(project, look.mission):
            click.echo(f"\n{line}")
    return code


def _explain(look: RunLook, x: str | None, *, whole: bool, as_json: bool) -> int:
    if look.mission.policy != SPRINT:
        return _of_file(look, x or "", as_json=as_json)
    if x is None:
        return _what_waits(look, as_json=as_json)
    gate = gates.find(look.mission, x.upper())
    if gate is not None:
        return _of_gate(look, gate, as_json=as_json)
    target = handles.find(look.mission, x)
    if target.sprint is None:
        return _of_unit(look, target, as_json=as_json)
    return _of_sprint(look, target, whole=whole, as_json=as_json)


def _look(project: Project, at_seq: int | None) -> RunLook:
    view = take_a_look(project)
    if view is None or view.mission.plan is None:
        raise UsageError(NOTHING_YET)
    if at_seq is not None:
        return _look_back(project, at_seq)
    under_way = status.overall(view.mission) in {Overall.RUNNING, Overall.STOPPING}
    also = (Blocked("run", NoSupervisor()),) if under_way and view.holder is None else ()
    return RunLook(view.mission, view.now_us, _numbered(journal_happenings(project)), also)


def _look_back(project: Project, at_seq: int) -> RunLook:
    from topkick.app.journal.replay import look_back

    past = look_back(project, at_seq)
    if past.mission.plan is None:
        raise UsageError(
            f"At record {at_seq} the run had not begun. When it did: topkick journal show --all"
        )
    return RunLook(past.mission, past.now_us, _numbered(past.happened))


def _numbered(happened: Iterable[Happened]) -> tuple[Numbered, ...]:
    return tuple((item.seq, item.at_us, item.happening) for item in happened)


def _of_file(look: RunLook, x: str, *, as_json: bool) -> int:
    links = views_audit_trail.links(look.happened, x)
    if as_json:
        click.echo(json.dumps(views_audit_trail.as_json(look.mission, links), indent=2))
        return 0
    for text in views_audit_trail.render(look.mission, links, terminal.utc_offset_s()):
        terminal.say(text)
    return 0


# --- one sprint, unit or gate --------------------------------------------------------------


def _of_sprint(look: RunLook, target: handles.Target, *, whole: bool, as_json: bool) -> int:
    unit, sprint = target.unit, target.named_or_current
    told = evidence.told_of(look.happened, unit.name, sprint.id)
    chain = audit_trail.of_sprint(look.happened, unit.name, sprint.id)
    if as_json:
        found = evidence.as_json(look.mission, unit, sprint, told, chain, look.also)
        click.echo(json.dumps(found, indent=2))
        return 0
    for text in evidence.render(
        look.mission,
        unit,
        sprint,
        told,
        terminal.utc_offset_s(),
        whole=whole,
        chain=chain,
        also=look.also,
        diff=_diff(look, target) if whole else (),
    ):
        terminal.say(text)
    return 0


def _diff(look: RunLook, target: handles.Target) -> tuple[str, ...]:
    from topkick.app.run_search import find_run
    from topkick.sprint.run.finding_diffs import finding_diff

    return finding_diff(find_run(), look.mission, target.unit, target.named_or_current)


def _of_unit(look: RunLook, target: handles.Target, *, as_json: bool) -> int:
    unit = target.unit
    chain = audit_trail.of_unit(look.happened, unit.name)
    if as_json:
        found = explained.unit_json(look.mission, unit, chain, look.also)
        click.echo(json.dumps(found, indent=2))
        return 0
    offset_s = terminal.utc_offset_s()
    for text in explained.of_unit(look.mission, unit, chain, offset_s, look.also):
        terminal.say(text)
    return 0


def _of_gate(look: RunLook, gate: Gate, *, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps(gate_json.with_runs(gate), indent=2))
        return 0
    for text in gate_evidence.render(look.mission, gate, look.now_us, terminal.utc_offset_s()):
        terminal.say(text)
    return 0


# --- everything that waits -----------------------------------------------------------------


def _what_waits(look: RunLook, *, as_json: bool) -> int:
    mission = look.mission
    run = (Waiting("run", "", look.also, has_page=False),) if look.also else ()
    found = (*run, *blockers_unit.of_all(mission))
    if as_json:
        click.echo(json.dumps(explained.waiting_json(found), indent=2))
        return 0
    for text in explained.waiting(found):
        terminal.say(text)
    for gate in mission.gates.values():
        if gate.verdict is None:
            terminal.say(_gate_line(look, gate))
    if not any(one.needs_a_person for one in found):
        terminal.say(f"{_everything(mission)} How it stands: topkick status")
    return 0


def _gate_line(look: RunLook, gate: Gate) -> str:
    told = gates.under_way(look.mission, gate, look.now_us)
    return f"{gates.title(gate)}: {told}    More: topkick explain {gate.id}"


def _everything(mission: Mission) -> str:
    if status.overall(mission) is Overall.COMPLETED:
        return f"Everything was done by {fmt.iso(mission.at_us)}."
    return "Nothing waits for a person."
