"""Trace goals to requirements to tasks: nothing is lost and nothing is added.

Reads: goals and scope of the brief, ids and priorities of the requirements, tasks of the plan.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from topkick.team.judge.checks.builtin import (
    Builtin,
    BuiltinOutcome,
    absent,
    failed,
    listed,
    passed,
    warned,
)
from topkick.team.judge.documents import (
    MOST_ITEMS,
    DocumentItem,
    DocumentSection,
    PlanTask,
    below,
    items,
    outline,
    read_plan,
    rows_and_bullets,
)
from topkick.team.judge.findings import Group
from topkick.team.judge.material import Material
from topkick.text.similarity import Likeness, likeness, significant

ID = re.compile(r"\b(?:FR|NFR|REQ)(?:-[A-Z]{1,5})?-[0-9]{1,4}\b")
_NEAR = 24
_MUST_CELL = re.compile(
    r"priority\W{0,8}(?:must|p0|critical)\b"
    r"|(?:^|[\[(|])\s{0,3}(?:must(?:[- ]have)?|p0)\s{0,3}(?:[\])|]|$)",
    re.IGNORECASE,
)
_MUST_ABOVE = re.compile(r"\bmust\b|\bp0\b", re.IGNORECASE)
_RANK_CELL = re.compile(
    r"priority\W{0,8}\w"
    r"|(?:^|[\[(|])\s{0,3}(?:(?:must|should|could|won.?t)(?:[- ]have)?|p[0-3])\s{0,3}(?:[\])|]|$)",
    re.IGNORECASE,
)
_RANK_ABOVE = re.compile(r"\b(?:must|should|could|won.?t|p[0-3])\b", re.IGNORECASE)
_WONT = re.compile(r"\bwon.?t(?:[- ]have)?\b|\bout of scope\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class JudgeRequirement:
    id: str
    where: str
    text: str
    must: bool = False
    ranked: bool = False
    left_out: bool = False


def ids(text: str) -> frozenset[str]:
    return frozenset(ID.findall(text))


def requirements(documents: Mapping[str, str]) -> Mapping[str, JudgeRequirement]:
    """Return the requirements by id, in document order; texts from several places are joined."""
    found: dict[str, JudgeRequirement] = {}
    for path, text in documents.items():
        for name, where, said, above in _defined(path, text):
            known = found.get(name)
            if known is None and len(found) >= MOST_ITEMS:
                continue
            both = f"{known.text} {said}"[:4_000] if known else said
            must = bool(_MUST_CELL.search(said) or _MUST_ABOVE.search(above))
            ranked = bool(_RANK_CELL.search(said) or _RANK_ABOVE.search(above))
            left_out = bool(_WONT.search(said) or _WONT.search(above))
            found[name] = JudgeRequirement(
                name,
                known.where if known else where,
                both,
                must=must or bool(known and known.must),
                ranked=ranked or bool(known and known.ranked),
                left_out=left_out or bool(known and known.left_out),
            )
    return found


def _defined(path: str, text: str) -> list[tuple[str, str, str, str]]:
    """Return id, place, words and heading of each heading, bullet or row that begins with an id."""
    found: list[tuple[str, str, str, str]] = []
    owner: tuple[str, int] | None = None
    above: dict[int, str] = {}
    for section in outline(text):
        above = {level: title for level, title in above.items() if level < section.level}
        heading = " | ".join(above.values())
        above[section.level] = section.title
        own = _leading(section.title)
        if own:
            owner = (own, section.level)
            said = " ".join((section.title, *section.lines))
            found.append((own, f"{path}:{section.line}", said, heading))
        elif owner is not None and section.level > owner[1]:
            said = " ".join((section.title, *section.lines))
            found.append((owner[0], f"{path}:{section.line}", said, heading))
        else:
            owner = None
            found += _listed(path, section, f"{heading} | {section.title}")
    return found


def _listed(path: str, section: DocumentSection, above: str) -> list[tuple[str, str, str, str]]:
    return [
        (name, item.where, item.text, above)
        for item in rows_and_bullets(path, section)
        if (name := _leading(item.text))
    ]


def _leading(text: str) -> str:
    found = ID.search(text[: _NEAR * 2])
    return found[0] if found and found.start() <= _NEAR else ""


# --- the checks --------------------------------------------------------------------------------


IMPL_ONLY = "impl-only"
_GOALS = re.compile(r"\b(?:goals?|objectives?)\b", re.IGNORECASE)
_NO_GOALS = re.compile(
    r"\bnon[- ]?goals?\b|\bnot\b|^(?:success )?metrics?$|\bout of\b", re.IGNORECASE
)
_OUTSIDE = re.compile(
    r"\bout[- ]of[- ]scope\b|\bnon[- ]?goals?\b|\bnot in scope\b|\bexclu(?:ded|sions?)\b"
    r"|\bwon.?t have\b",
    re.IGNORECASE,
)
_GOAL_ID = re.compile(r"\b(?:G|GOAL|OBJ|O)-?[0-9]{1,4}\b")
_DENIED = re.compile(r"\b(?:not|no|never|without|exclud\w+)\b[^.;,|]{0,120}", re.IGNORECASE)


def goals_have_requirements(material: Material) -> BuiltinOutcome:
    gone = absent(material, "brief", "requirements")
    if gone is not None:
        return gone
    goals = _items(material.of("brief"), _GOALS, _NO_GOALS)
    if not goals:
        return warned(f"no goals found in {material.place('brief')}; write them below `## Goals`")
    known = requirements(material.of("requirements"))
    if not known:
        return failed("no requirement ids (FR-001) in the requirements", list(material.kinds))
    text = "\n".join(material.of("requirements").values())
    how = [(goal, _traced(goal, known, text)) for goal in goals]
    lost = [goal for goal, found in how if found is Likeness.NONE]
    weak = [goal for goal, found in how if found is Likeness.WEAK]
    if lost:
        return failed(
            f"{len(lost)} of {len(goals)} goals have no requirement: {_named(lost)}",
            [goal.told for goal in lost],
        )
    if weak:
        return warned(
            f"no requirement names {_named(weak)}, though some are similar",
            [goal.told for goal in weak],
        )
    return passed(f"{len(goals)} goals map to {len(known)} requirements")


def requirements_in_scope(material: Material) -> BuiltinOutcome:
    gone = absent(material, "brief", "requirements")
    if gone is not None:
        return gone
    brief = "\n".join(material.of("brief").values())
    outside = _items(material.of("brief"), _OUTSIDE, None)
    known = requirements(material.of("requirements"))
    inside = [each for each in known.values() if not each.left_out]
    strays = [
        (each, item)
        for each in inside
        for item in outside
        if likeness(item.text, _DENIED.sub("", each.text)) is Likeness.STRONG
    ]
    if strays:
        named = list(dict.fromkeys(each.id for each, _ in strays))
        seen = [f"{each.where} {each.id} against {item.told}" for each, item in strays]
        return failed(f"outside the scope of the brief: {listed(named)}", seen)
    about = significant(brief)
    apart = [each for each in inside if not significant(ID.sub("", each.text)) & about]
    if apart:
        named = [each.id for each in apart]
        return warned(f"the brief does not mention {listed(named)}", [e.where for e in apart])
    return passed(f"{len(inside)} requirements, {len(outside)} things out of scope, no overlap")


def must_haves_have_tasks(material: Material) -> BuiltinOutcome:
    if material.session.mode == IMPL_ONLY and not material.of("requirements"):
        return passed("a session without a specification has no requirements to cover")
    gone = absent(material, "requirements", "plan")
    if gone is not None:
        return gone
    known = requirements(material.of("requirements"))
    tasks = read_plan(material.of("plan")).tasks
    if not tasks:
        return warned(f"no tasks in {material.place('plan')}", [material.place("plan")])
    musts = [each for each in known.values() if each.must]
    if not musts:
        return _unranked(known)
    how = [(each, _planned(each, tasks)) for each in musts]
    lost = [each for each, found in how if found is Likeness.NONE]
    weak = [each for each, found in how if found is Likeness.WEAK]
    if lost:
        named = listed([each.id for each in lost])
        return failed(
            f"{len(lost)} of {len(musts)} must-have requirements have no task: {named}",
            [f"{each.where} {each.id}" for each in lost],
        )
    if weak:
        named = listed([each.id for each in weak])
        return warned(f"no task cites {named}, though some are similar", [e.where for e in weak])
    return passed(f"{len(musts)} must-have requirements have tasks")


def requirements_have_stories(material: Material) -> BuiltinOutcome:
    gone = absent(material, "requirements", "epics")
    if gone is not None:
        return gone
    known = requirements(material.of("requirements")).values()
    inside = [each for each in known if not each.left_out]
    texts = list(material.of("epics").values())
    cited = frozenset[str]().union(*map(ids, texts))
    lost = [each for each in inside if each.id not in cited]
    if any(each.must for each in lost):
        musts = [each for each in lost if each.must]
        named = listed([each.id for each in musts])
        return failed(f"no epic cites {named}", [f"{e.where} {e.id}" for e in musts])
    if lost or not inside:
        named = listed([each.id for each in lost]) or "no requirement"
        return warned(f"no epic cites {named}", [each.where for each in lost])
    return passed(f"the epics cite {len(inside)} requirements")


def _unranked(known: Mapping[str, JudgeRequirement]) -> BuiltinOutcome:
    if any(each.ranked for each in known.values()):
        return passed("no requirement is a must-have")
    return warned("no requirement has a priority (Must, Should, Could)", list(known)[:5])


def _items(
    documents: Mapping[str, str], title: re.Pattern[str], unless: re.Pattern[str] | None
) -> list[DocumentItem]:
    found = (items(path, below(text, title, unless)) for path, text in documents.items())
    return [item for each in found for item in each]


def _traced(goal: DocumentItem, known: Mapping[str, JudgeRequirement], text: str) -> Likeness:
    """Match by an id that one of them cites, else by words."""
    if ids(goal.text) & set(known):
        return Likeness.STRONG
    own = _GOAL_ID.search(goal.text[:40])
    if own is not None and re.search(rf"\b{re.escape(own[0])}\b", text):
        return Likeness.STRONG
    bare = _GOAL_ID.sub("", goal.text)
    return max((likeness(bare, each.text) for each in known.values()), default=Likeness.NONE)


def _planned(requirement: JudgeRequirement, tasks: Iterable[PlanTask]) -> Likeness:
    texts = [task.text for task in tasks]
    if any(requirement.id in ids(text) for text in texts):
        return Likeness.STRONG
    title = ID.sub("", requirement.text)[:200]
    likely = max((likeness(title, text) for text in texts), default=Likeness.NONE)
    return Likeness.WEAK if likely is Likeness.STRONG else Likeness.NONE


def _named(goals: list[DocumentItem]) -> str:
    return listed([goal.text[:40].strip() for goal in goals])


CHECKS = (
    Builtin(
        name="goals-have-requirements",
        group=Group.CONSISTENCY,
        about="Every goal of the brief maps to at least one requirement id.",
        reads=("brief.Goals", "requirements.FR-NNN"),
        passes="each goal cites a requirement, is cited by its id, or shares half of its words",
        warns="a goal shares only a word, the brief has no goals, or a document is missing",
        fails="a goal shares nothing with any requirement, or there are no requirement ids",
        run=goals_have_requirements,
    ),
    Builtin(
        name="requirements-in-scope",
        group=Group.CONSISTENCY,
        about="No requirement is outside the scope of the brief.",
        reads=("brief.Out of Scope", "requirements.FR-NNN"),
        passes="no requirement is like something that the brief leaves out",
        warns="a requirement shares no word with the brief, or a document is missing",
        fails="a requirement is like something that the brief leaves out",
        run=requirements_in_scope,
    ),
    Builtin(
        name="requirements-have-stories",
        group=Group.CONSISTENCY,
        about="The epics cite every requirement.",
        reads=("requirements.FR-NNN", "epics"),
        passes="the epics cite each id",
        warns="the epics omit one that is not a must-have, or a document is missing",
        fails="the epics omit a must-have requirement",
        run=requirements_have_stories,
    ),
    Builtin(
        name="must-haves-have-tasks",
        group=Group.CONSISTENCY,
        about="Every must-have requirement has a task in the plan.",
        reads=("requirements.Priority", "plan.tasks"),
        passes="a task cites each; or none is a must-have; or there is no specification",
        warns="tasks resemble one without its id, nothing has a priority, or a document is missing",
        fails="a must-have requirement has no task",
        run=must_haves_have_tasks,
    ),
)
