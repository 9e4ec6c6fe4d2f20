"""Repeat a sprint's checks outside any run: nothing is journaled and nothing moves."""

import select

from topkick.core import happenings as h
from topkick.core.errors import UsageError
from topkick.core.evidence import Evidence, Where
from topkick.core.mission import Mission, Sprint, Unit
from topkick.core.orders import recheck
from topkick.outside.check_bench import CheckBench
from topkick.wiring.identity import environment_of
from topkick.wiring.isolating import building_place, own_files, verify_place
from topkick.wiring.project import Project


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
    from topkick.outside.trees.places import unit_root

    return mission.isolation is not None and unit_root(mission.isolation, unit.handle).is_dir()
