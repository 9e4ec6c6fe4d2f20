"""Check what each role left and said: its artifact is there, scores hold, no critical question.

Reads: the scope, `ref`, `quality_self_score` and `open_questions` of the states, `ref` of the
session's tasks, the spec's table of artifacts, Open Questions of the documents.
"""

import re
from itertools import pairwise

from topkick.team.judge.checks.builtin import (
    Builtin,
    BuiltinOutcome,
    failed,
    listed,
    passed,
    warned,
)
from topkick.team.judge.documents import below, items
from topkick.team.judge.findings import Group
from topkick.team.judge.material import OR, SCOPE, UPSTREAM, Material, matches, places_of
from topkick.team.session import RoleState, SessionQuestion, question

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
    return passed(f"the artifacts of {', '.join(material.scope)} exist")


# --- statements of the roles -------------------------------------------------------------------


MOST_FALL = 10
_OPEN = re.compile(r"\bopen (?:questions?|issues?|points?)\b", re.IGNORECASE)
_NONE = re.compile(r"[\W_]*(?:none|nothing|n/?a|no\b.*)[\W_]*", re.IGNORECASE)
_SEVERE = re.compile(r"[\[(|]\s{0,3}(?:critical|blocking|blocker)\s{0,3}[\])|]", re.IGNORECASE)
_ANSWERED = re.compile(r"\b(?:resolved|answered|closed)\b|~~", re.IGNORECASE)


def self_scores_hold(material: Material) -> BuiltinOutcome:
    """Compare scores in the order in which tasks reported; scores from 0 to 1 count as
    hundredths.
    """
    found = [
        (task, state.quality_self_score)
        for task, state in material.states().items()
        if state.quality_self_score is not None and state.role != "supervisor"
    ]
    if len(found) < 2:
        told = "one self-score" if found else "no self-scores"
        return warned(f"{told}: nothing to compare (quality_self_score)")
    scale = 100 if all(score <= 1 for _, score in found) else 1
    falls = [
        f"{task}: {score * scale:g} after {was * scale:g} ({before})"
        for (before, was), (task, score) in pairwise(found)
        if (was - score) * scale > MOST_FALL + 1e-9
    ]
    if falls:
        return failed(f"a self-score fell by more than {MOST_FALL}: {falls[0]}", falls)
    return passed(f"{len(found)} self-scores, none fell by more than {MOST_FALL}")


def no_critical_question(material: Material) -> BuiltinOutcome:
    found = [
        (f"{task}: {each.text}", each.critical)
        for task, state in material.states().items()
        for each in _asked(state)
    ]
    for path, text in material.documents.items():
        for item in items(path, below(text, _OPEN)):
            if not _NONE.fullmatch(item.text) and not _ANSWERED.search(item.text):
                severe = question(item.text).critical or _SEVERE.search(item.text) is not None
                found.append((item.told, severe))
    if not found and not material.states() and not material.documents:
        return warned("no role states and no artifacts to look for questions in", material.missing)
    critical = [told for told, severe in found if severe]
    if critical:
        return failed(f"{len(critical)} critical questions are open: {critical[0]}", critical)
    if found:
        return warned(
            f"{len(found)} questions are open, none critical", [told for told, _ in found]
        )
    return passed("no open questions")


def _asked(state: RoleState) -> list[SessionQuestion]:
    return [each for each in state.open_questions if not _NONE.fullmatch(each.text)]


CHECKS = (
    Builtin(
        name="artifact-exists",
        group=Group.PROCESS,
        about="Each task in scope left its artifact.",
        reads=(SCOPE, "states.ref", "session.tasks"),
        passes="each artifact exists and is not empty",
        warns="an artifact is missing, or its place is not known",
        fails="an artifact is empty",
        run=artifact_exists,
    ),
    Builtin(
        name="self-scores-hold",
        group=Group.PROCESS,
        about="No role's self-score falls by more than 10 against the task before.",
        reads=("states.quality_self_score",),
        passes="each is at least the one before less 10",
        warns="there are fewer than two scores",
        fails="a score fell by more than 10",
        run=self_scores_hold,
    ),
    Builtin(
        name="no-critical-question",
        group=Group.PROCESS,
        about="No critical question is open.",
        reads=("states.open_questions", UPSTREAM),
        passes="no question is open",
        warns="questions are open, none of them critical; or there is nothing to check",
        fails="an open question is marked critical or blocking",
        run=no_critical_question,
    ),
)
