"""Prioritise and evaluate a collection of plans: twice is once, and only intended changes (PR-03).

The differ knows what each command intends to change, but not how: it matches removed lines with
added lines, after masking what may differ in both; what is left over is a violation.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from topkick.engine.errors import PlanError
from topkick.plan_format.document import PlanReading, read
from topkick.planning.project_facts import Surroundings
from topkick.planning.refinement.evaluation import evaluated
from topkick.planning.refinement.priorities import prioritized

MAX_TURNS = 50
_PRIORITY = re.compile(r"^(?:[-*] )?\*\*Priority(?: score)?(?:\*\*:|:\*\*) .*$", re.IGNORECASE)
_PROPOSED = re.compile(r"^\s*[-*+] (?:\[ \] )?.*\(proposed\)$")
_ENTRY = re.compile(r"^- \[ \] \w+ [\w.-]+ complete$")
_HEADING = re.compile(r"^#{2,4} .*, continued(?: \(\d+\))?$")
_LABEL = re.compile(r"^(?:\*\*|#{3,6} )?(?:Entry|Exit|Tasks|Deliverables)", re.IGNORECASE)
_NUMBERS = re.compile(r"\d+[a-z]?")


@dataclass(frozen=True, slots=True)
class Refined:
    name: str
    sprints: int = 0
    moved: int = 0
    splits: int = 0
    merges: int = 0
    proposed: int = 0
    checked: int = 0
    checked_after: int = 0
    checked_with_tests: int = 0
    sprints_after: int = 0
    refused: str = ""
    violations: tuple[str, ...] = field(default_factory=tuple)


def refine_all(place: Path) -> list[Refined]:
    return [refine(path) for path in sorted(place.glob("*.md"))]


def refine(path: Path) -> Refined:
    text = path.read_bytes().decode("utf-8", "surrogateescape")

    def reading(of: str) -> PlanReading:
        return read(of, default_name=path.stem)

    try:
        first = reading(text)
    except PlanError as error:
        return Refined(path.name, refused=str(error))
    order = prioritized(text, first)
    shape = evaluated(text, reading, Surroundings(), MAX_TURNS)
    # the collection has no trees, so this replaces a project whose tests can run
    tested = evaluated(text, reading, Surroundings(test_command="make test"), MAX_TURNS)
    again = prioritized(order.text, reading(order.text)).text
    twice = evaluated(shape.text, reading, Surroundings(), MAX_TURNS).text
    violations = [
        *_repeated("prioritize", order.text, again),
        *_repeated("evaluate", shape.text, twice),
        *order_differs(text, order.text, {row.id for row in order.ranked}),
        *shape_differs(text, shape.text, reshaped=bool(shape.splits or shape.merges)),
        *_lost(first, reading(order.text)),
    ]
    return Refined(
        path.name,
        len(shape.before),
        sum(row.moved for row in order.ranked),
        shape.splits,
        shape.merges,
        shape.proposed,
        shape.checked_before,
        shape.checked_after,
        tested.checked_after,
        len(shape.after),
        "not rewritten" if order.refused else "",
        tuple(violations),
    )


def table_of(found: list[Refined]) -> Iterator[str]:
    """Yield for each plan: sprints, those with a check before and after, and the changes."""
    yield (
        f"{'plan':44} {'sprints':>7} {'checked':>7} {'after':>7} {'+tests':>7} {'moved':>5} "
        f"{'split':>5} {'merged':>6} {'proposed':>8}"
    )
    for one in found:
        after = f"{one.checked_after}/{one.sprints_after}"
        counts = f"{one.moved:5} {one.splits:5} {one.merges:6} {one.proposed:8} {one.refused}"
        checked = f"{one.checked:7} {after:>7} {one.checked_with_tests:7}"
        yield f"{one.name[:44]:44} {one.sprints:7} {checked} {counts}"
        yield from (f"    {violation}" for violation in one.violations)
    sprints, later = sum(o.sprints for o in found), sum(o.sprints_after for o in found)
    shares = [sum(o.checked for o in found), sum(o.checked_after for o in found)]
    tested = sum(o.checked_with_tests for o in found)
    yield (
        f"{len(found)} plans. Sprints with a check: {shares[0]} of {sprints} before, "
        f"{shares[1]} of {later} after, {tested} where the project's tests can be run. "
        f"{sum(len(o.violations) for o in found)} violations."
    )


def _repeated(verb: str, once: str, twice: str) -> Iterator[str]:
    if once != twice:
        yield f"{verb}: the second time changes the plan again"


def _lost(before: PlanReading, after: PlanReading) -> Iterator[str]:
    names = [
        sorted((u.name, s.name, len(s.tasks), len(s.exit)) for u in r.plan.units for s in u.sprints)
        for r in (before, after)
    ]
    if names[0] != names[1]:
        yield "prioritize: other units, sprints, tasks or criteria than before"


def order_differs(before: str, after: str, ids: set[str]) -> Iterator[str]:
    """Yield violations: lines may move, get a priority, and differ only in this plan's ids."""
    gone, come = _changes(before, after)
    plain = {id_.lower() for id_ in ids}

    def masked(line: str) -> str:
        return re.sub(
            r"[A-Za-z]{0,8}-?\d[\w.-]*|(?<=[ ,])(?:and|to) |[,–—-]",
            lambda m: "#" if _is_id(m[0], plain) else "",
            line,
        ).replace(" ", "")

    old = Counter(masked(line) for line in gone if not _PRIORITY.match(line))
    new = Counter(masked(line) for line in come if not _PRIORITY.match(line) and line.strip())
    squeezed = Counter(re.sub(r"#+", "#", line) for line in old.elements() if line)
    for line in (re.sub(r"#+", "#", line) for line in new.elements()):
        if squeezed[line] > 0:
            squeezed[line] -= 1
        else:
            yield f"prioritize: added {line[:120]}"
    for line, count in squeezed.items():
        if count > 0:
            yield f"prioritize: lost {line[:120]}"


def _is_id(word: str, ids: set[str]) -> bool:
    plain = word.lower().strip(".-")
    return plain in ids or plain.lstrip("s-") in ids or word.strip(",–—-") == ""


def shape_differs(before: str, after: str, *, reshaped: bool) -> Iterator[str]:
    """Yield violations besides proposed criteria and, with splits, new headings, labels,
    numbers.
    """
    gone, come = _changes(before, after)
    old = Counter(_NUMBERS.sub("#", line) for line in gone)
    for line in come:
        plain = _NUMBERS.sub("#", line)
        if old[plain] > 0:
            old[plain] -= 1
        elif line.strip() and not _is_meant(line, old, reshaped=reshaped):
            yield f"evaluate: added {line[:120]}"
    for line, count in old.items():
        if count > 0 and line.strip():
            yield f"evaluate: lost {line[:120]}"


def _is_meant(line: str, old: Counter[str], *, reshaped: bool) -> bool:
    if _PROPOSED.match(line):
        begin = _NUMBERS.sub("#", line.partition(": `")[0])
        sharp = next((one for one in old if old[one] and one.rstrip(" .") == begin), None)
        if sharp is not None:
            old[sharp] -= 1  # the same criterion, with a command after it
        return True
    if line.rstrip() == "**Exit criteria**:":
        return True
    return reshaped and bool(
        _HEADING.match(line)
        or _ENTRY.match(line)
        or _LABEL.match(line)
        or re.match(r"^\s*(?:[-*+]|\d+\.) ", line)
    )


def _changes(before: str, after: str) -> tuple[list[str], list[str]]:
    old, new = Counter(before.split("\n")), Counter(after.split("\n"))
    return list((old - new).elements()), list((new - old).elements())
