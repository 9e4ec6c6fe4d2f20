"""`topkick verify`: repeat the checks of a sprint by themselves, in a clean tree."""

import json
import select
from dataclasses import replace

import click

from topkick.app.project import Project
from topkick.app.run_search import run_here
from topkick.app.run_view import take_a_look
from topkick.app.state_dir.identity import environment_of
from topkick.checks.executor import CheckBench
from topkick.checks.model import Evidence, Where
from topkick.cli import completion, handles, terminal
from topkick.engine import messages as h
from topkick.engine.errors import UsageError
from topkick.sprint import status
from topkick.sprint.explain import evidence
from topkick.sprint.model import Mission, Outcome, Sprint, Unit, held_against
from topkick.sprint.orders import recheck
from topkick.sprint.policy.verdict import to_the_point
from topkick.sprint.run.isolation import building_place, own_files, verify_place
from topkick.text import escape

# --- the check, outside any run and without the journal ------------------------------------


def check_again(
    project: Project, mission: Mission, unit: Unit, sprint: Sprint, *, cold: bool
) -> Evidence:
    """Check in the unit's tree; if that is gone, in the user's repository, which has the integrated
    work.
    """
    order = recheck(mission, unit, sprint, Where.COLD if cold else Where.COMMIT)
    environ = environment_of(project.root, project.plan_path)
    isolation = mission.isolation if _has_trees(mission, unit) else None
    bench = CheckBench(
        project.root,
        project.runs,
        project.log_path,
        lambda: mission.settings,
        environ,
        isolation=lambda: isolation,
        own_files=lambda: own_files(project, mission),
        verify_in=verify_place(project),
        slots_in=building_place(),
        plan=lambda: mission.plan,
    )
    try:
        return _answer(bench, order)
    finally:
        bench.close()


def _answer(bench: CheckBench, order: h.CheckWork) -> Evidence:
    bench.ensure(order)
    while True:
        select.select([bench], [], [], 1.0)
        for fact in bench.poll():
            if isinstance(fact, h.WorkChecked):
                return fact.evidence
        if order.id not in bench.live():
            raise UsageError("The checks could not be run. Try again; topkick doctor may help.")


def _has_trees(mission: Mission, unit: Unit) -> bool:
    from topkick.git.clone.places import unit_root

    return mission.isolation is not None and unit_root(mission.isolation, unit.handle).is_dir()


EXIT_FINDINGS = 1


@click.command("verify")
@click.argument("x", shell_complete=completion.units_and_sprints)
@click.option("--cold", is_flag=True, help="Check in a new tree, without warm caches.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(x: str, cold: bool, as_json: bool) -> int:
    """Run the checks of sprint X again, at the commit that was judged. Changes nothing.

    For a work unit: those of its current or last sprint; the page lists what was not checked.

    Exits with 0 if all pass and there is no finding, else with 1.

    \b
    Example: topkick verify U2/3 --cold
    """
    project = run_here()
    view = take_a_look(project)
    if view is None or view.mission.plan is None or view.mission.settings is None:
        raise UsageError("There is no run here yet. Begin one: topkick start")
    target = handles.find(view.mission, x)
    unit, sprint = target.unit, target.named_or_current
    handle = status.handle(unit, sprint)
    if sprint.outcome is None or not sprint.outcome.run_id:
        raise UsageError(
            f"{handle} has not been checked yet, so there is nothing to repeat.\n"
            f"What it waits for: topkick explain {handle}"
        )
    if not as_json:
        terminal.say(f"Checking {handle} again ...")
    seen = check_again(project, view.mission, unit, sprint, cold=cold)
    seen = replace(seen, findings=to_the_point(seen.findings, proven=True))
    good = _is_good(sprint, seen)
    if as_json:
        results = [evidence.result_json(r) for r in (*seen.results, *seen.always)]
        found = [{"id": f.id, "what": f.what} for f in held_against(sprint, seen.findings)]
        answer = {"handle": handle, "good": good, "commit": seen.head, "tree": seen.tree or None,
                  "where": seen.where.value, "results": results, "findings": found}  # fmt: skip
        click.echo(json.dumps(answer, indent=2))
    else:
        _tell(handle, sprint, sprint.outcome, seen, good=good)
        if target.sprint is None and (others := unseen(unit, sprint)):
            terminal.say(f"Only {handle} was checked. The others of {unit.handle}:")
            terminal.say("\n".join(f"  topkick verify {other}" for other in others))
    return 0 if good else EXIT_FINDINGS


def unseen(unit: Unit, seen: Sprint) -> list[str]:
    """Return the handles of the unit's other sprints that have been checked before."""
    judged = (s for s in unit.sprints if s.outcome is not None and s.outcome.run_id)
    return [status.handle(unit, s) for s in judged if s.id != seen.id]


def _is_good(sprint: Sprint, seen: Evidence) -> bool:
    results = (*seen.results, *seen.always)
    return all(r.passed for r in results) and not held_against(sprint, seen.findings)


def _tell(handle: str, sprint: Sprint, was: Outcome, seen: Evidence, *, good: bool) -> None:
    at = f" commit {seen.head[:10]}" if seen.head else ""
    terminal.say(f"{handle}{at}, checked {evidence.WHERE[seen.where]}:")
    failed_then = {r.command for r in was.failing}
    for result in (*seen.results, *seen.always):
        then = "failed then" if result.command in failed_then else "passed then"
        words = evidence.result_words(result)
        terminal.say(f"  {result.outcome.value:<10} {words} ({then})")
        if not result.passed:
            for line in escape.block(result.excerpt).rstrip().split("\n")[-10:]:
                terminal.say(f"      │ {escape.cut(line.expandtabs(4), 150)}")
    for finding in held_against(sprint, seen.findings):
        terminal.say(f"  finding    {finding.id}: {escape.line(finding.what, 200)}")
    if not seen.results and not seen.always:
        terminal.say("  It has no criterion that a machine can check.")
    terminal.say("It holds." if good else "It does not hold.")
