"""Check that the tasks in scope left their artifacts.

Reads: the scope, `ref` of the states and of the session's tasks, the spec's table of artifacts.
"""

from topkick.team.judge.checks.builtin import (
    Builtin,
    BuiltinOutcome,
    failed,
    listed,
    passed,
    warned,
)
from topkick.team.judge.findings import Group
from topkick.team.judge.material import OR, SCOPE, Material, matches, places_of

FEWEST_CHARS = 20


def artifact_exists(material: Material) -> BuiltinOutcome:
    """Check the artifacts; if a role says nothing about its task, look at the spec's places."""
    states = material.states()
    gone: list[str] = []
    empty: list[str] = []
    unknown: list[str] = []
    for task in material.scope:
        places = places_of(material.artifacts, material.session, states, task)
        there = [p for p in material.documents if any(matches(place, p) for place in places)]
        stubs = [p for p in there if len(material.documents[p].strip()) < FEWEST_CHARS]
        empty += stubs if len(stubs) == len(there) else ()
        gone += (OR.join(places),) if places and not there else ()
        unknown += () if places else (task,)
    if empty:
        return failed(f"empty: {listed(empty)}", [f"{path} has no content" for path in empty])
    if gone:
        return warned(f"missing: {listed(gone)}", gone)
    if unknown:
        return warned(f"no role state and no known artifact: {listed(unknown)}", unknown)
    return passed(f"the artifacts of {', '.join(material.scope)} are there")


CHECKS = (
    Builtin(
        name="artifact-exists",
        group=Group.PROCESS,
        about="Each task in scope left its artifact.",
        reads=(SCOPE, "states.ref", "session.tasks"),
        passes="each is there and not empty",
        warns="one is missing, or nobody says where it lies",
        fails="one is there and empty",
        run=artifact_exists,
    ),
)
