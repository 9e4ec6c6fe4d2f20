"""Read a SUPERVISOR_STATE.md that an LLM-driven supervisor left behind (ST-04).

It is hostile text, as a plan is: time linear in its size under hard caps, and everything it names
is understood or listed as not understood.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from topkick.plan_format.document import MAX_BARS, MAX_BYTES, MAX_LINES
from topkick.plan_format.order.references import UnitNames, plain
from topkick.plan_format.structure import Section, sections, with_unix_lines
from topkick.plan_format.units.headings import bare
from topkick.planning.import_state import names as import_state_names
from topkick.planning.import_state.model import (
    BelievedSprint,
    BelievedUnit,
    Handover,
    NotUnderstood,
    StateFileTooLarge,
    refuse_a_flood,
    says_no_state,
    understood,
)
from topkick.planning.import_state.statements import SprintSaid, UnitSaid
from topkick.planning.import_state.walk import Walked, walk
from topkick.sprint.transitions import SprintState, UnitState
from topkick.text.escape import short
from topkick.text.markdown import front_matter_end, without_front_matter

MAX_UNITS = 1_000
LONGEST_WORD = 80
LONGEST_TEXT = 160
_FURTHER = (
    SprintState.PENDING, SprintState.DISPATCHED, SprintState.RUNNING, SprintState.BACKOFF,
    SprintState.PARTIAL, SprintState.FATAL, SprintState.COMPLETED,
)  # fmt: skip
_STALE = frozenset((SprintState.PENDING, SprintState.DISPATCHED, SprintState.RUNNING))
_FRONT_STATE = re.compile(r"^(?:state|status)\s*:\s*(\S.*)$")
_FRONT_RETRIES = re.compile(r"^max_retries\s*:\s*(\d{1,3})\s*$")
_TITLE = re.compile(
    r"^(?:(?:sprint|mission)\s+)?(?:supervisor[_ ]state(?:\.md)?|mission state tracker)"
    r"\s*[:—–-]*\s*",
    re.IGNORECASE,
)


def read(text: str) -> Handover:
    _refuse_giants(text)
    lines = with_unix_lines(text).split("\n")
    front = lines[: front_matter_end(lines)]
    parts = sections("\n".join(without_front_matter(lines)))
    walked = walk(parts)
    names, ways = _names(walked)
    units, loose = _put_together(walked, names, ways)
    handover = Handover(
        _title(parts),
        units,
        loose,
        _overall(walked, front),
        walked.max_retries or _retries(front),
        walked.decisions,
        walked.needs,
    )
    unread = [
        NotUnderstood(one.line, short(one.text, LONGEST_TEXT), one.why) for one in walked.unread
    ]
    unread += [*_unknown_words(handover), *_only_named(handover, lines)]
    return replace(handover, not_understood=tuple(sorted(unread, key=lambda one: one.line)))


def _refuse_giants(text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES or text.count("\n") >= MAX_LINES or text.count("|") > MAX_BARS:
        raise StateFileTooLarge(
            "The state file is larger than 8 MiB, 200000 lines or 400000 cells.\n"
            "Give topkick one without its logs, or start anew: topkick start"
        )


def _title(parts: Sequence[Section]) -> str:
    heading = next((part.title for part in parts if part.level == 1), "")
    return _TITLE.sub("", bare(heading)) or bare(heading)


def _overall(walked: Walked, front: Sequence[str]) -> str:
    said = [*walked.overall, *(m[1] for line in front if (m := _FRONT_STATE.match(line)))]
    return _word(next(iter(said), ""))


def _retries(front: Sequence[str]) -> int | None:
    return next((int(m[1]) for line in front if (m := _FRONT_RETRIES.match(line))), None)


# --- units ---------------------------------------------------------------------------------


def _names(walked: Walked) -> tuple[list[str], dict[str, str]]:
    """Return the units by their first name; `ways` maps all their names."""
    names: dict[str, str] = {}
    ways: dict[str, str] = {}
    for calls in (
        [unit.name for unit in walked.declared],
        [unit.name for unit in walked.units],
        [sprint.unit for sprint in walked.sprints if not sprint.weak],
    ):
        known = UnitNames(list(names.values()))
        for call in dict.fromkeys(calls):
            if not call or call in ways:
                continue
            home = known.find(call) or names.get(plain(call))
            ways[call] = names.setdefault(plain(call), call) if home is None else home
            if len(names) > MAX_UNITS:
                raise StateFileTooLarge(
                    f"The state file names more than {MAX_UNITS} work units.\n"
                    "Start anew: topkick start"
                )
    return list(names.values()), ways


def _put_together(
    walked: Walked, names: Sequence[str], ways: dict[str, str]
) -> tuple[tuple[BelievedUnit, ...], tuple[BelievedSprint, ...]]:
    known = UnitNames(names)
    said = [_at_home(one, names, ways, known) for one in walked.sprints]
    said += [SprintSaid(ways[u.name], i, "", u.line) for u in walked.declared for i in _listed(u)]
    said = [one for one in said if known.find(one.id) is None]
    homes: dict[str, list[str]] = {}
    for one in said:
        at = homes.setdefault(import_state_names.key(one.id), [])
        if one.unit and one.unit not in at:
            at.append(one.unit)
    by_unit: dict[str, dict[str, list[SprintSaid]]] = {name: {} for name in names}
    by_unit[""] = {}
    for one in said:
        key = import_state_names.key(one.id)
        home = one.unit or (homes[key][0] if len(homes[key]) == 1 else "")
        by_unit[home].setdefault(key, []).append(one)
    of_units: dict[str, list[UnitSaid]] = {name: [] for name in names}
    for unit in (*walked.declared, *walked.units):
        of_units[ways[unit.name]].append(unit)
    places = {ways[home]: value for home, value, _ in walked.current}
    units = tuple(_unit(n, of_units[n], places.get(n, ""), by_unit[n]) for n in names)
    return units, tuple(_merged(each) for each in by_unit[""].values())


def _listed(unit: UnitSaid) -> Iterator[str]:
    """Yield the ids in `3 (EM-1, EM-2, EM-3)`: a number alone is their count."""
    ids = list(import_state_names.listed(unit.sprints))
    if len(ids) > 1 and ids[0].isdigit() and "(" in unit.sprints:
        ids = ids[1:]
    return iter([id_ for id_ in ids if not id_.isdigit() or len(ids) > 1])


def _at_home(
    one: SprintSaid, names: Sequence[str], ways: dict[str, str], known: UnitNames
) -> SprintSaid:
    """Assign a sprint to its unit; logs use loose names, and with one unit there is no question."""
    home = ways.get(one.unit) or (known.find(one.unit) if one.unit else None) or ""
    if not home and len(names) == 1:
        home = names[0]
    return replace(one, unit=home)


def _unit(
    name: str, said: Sequence[UnitSaid], at: str, sprints: dict[str, list[SprintSaid]]
) -> BelievedUnit:
    text, state = "", None
    for one in said:  # a section of its own is newer than the table on top
        word = understood(one.text)
        if one.text and not says_no_state(one.text):
            text, state = one.text, word.meaning.unit if word else None
    current, total = import_state_names.current(at)
    found = [_merged(each) for each in sprints.values()]
    unit = BelievedUnit(
        name,
        state,
        _word(text),
        current,
        total,
        line=said[0].line if said else 0,
    )
    return replace(unit, sprints=tuple(_inferred(unit, found)))


# --- sprints -------------------------------------------------------------------------------


def _merged(said: Sequence[SprintSaid]) -> BelievedSprint:
    """Merge statements about one sprint; outdated rows are common, so the furthest state counts."""
    strong = [one for one in said if not one.weak and one.text and not says_no_state(one.text)]
    telling = strong or [one for one in said if one.weak and one.text][-1:]
    read_ = [(one, understood(one.text)) for one in telling]
    known = [(one, word.meaning.sprint) for one, word in read_ if word is not None]
    best = max(known, key=lambda pair: _FURTHER.index(pair[1])) if known else None
    chosen = best[0] if best else telling[0] if telling else said[0]
    state = best[1] if best else None
    others = [one.text for one, other in known if other is not state]
    others += [one.text for one, word in read_ if word is None and best]
    return BelievedSprint(
        said[0].id,
        next((one.name for one in said if one.name), ""),
        state,
        _word(chosen.text),
        tuple(dict.fromkeys(c for one in said for c in one.commits)),
        next((one.model for one in said if one.model), ""),
        next((one.attempt for one in reversed(said) if one.attempt), ""),
        chosen.line,
        tuple(dict.fromkeys(_word(text) for text in others)),
    )


def _word(text: str) -> str:
    return short(text.replace("*", "").replace("`", ""), LONGEST_WORD)


def _inferred(unit: BelievedUnit, sprints: Sequence[BelievedSprint]) -> Iterator[BelievedSprint]:
    """Derive the state of sprints without a word of their own from their unit's."""
    keys = [import_state_names.key(sprint.id) for sprint in sprints]
    now = [
        keys.index(import_state_names.key(id_))
        for id_ in unit.current
        if import_state_names.key(id_) in keys
    ]
    for at, sprint in enumerate(sprints):
        if unit.state is UnitState.COMPLETED and sprint.state in (_STALE | {None}):
            if sprint.word and sprint.state is None:
                yield sprint
                continue
            others = (*sprint.others, sprint.word) if sprint.word else sprint.others
            done = f"its unit: {unit.word}"
            yield replace(
                sprint, state=SprintState.COMPLETED, word=done, others=others, implied=True
            )
        elif sprint.state is None and not sprint.word and (state := _by_place(unit, at, now)):
            yield replace(sprint, state=state, word=f"its unit: {unit.word}", implied=True)
        else:
            yield sprint


def _by_place(unit: BelievedUnit, at: int, now: Sequence[int]) -> SprintState | None:
    if unit.state is UnitState.NOT_STARTED:
        return SprintState.PENDING
    if not now or unit.state is None:
        return None
    if at < min(now):
        return SprintState.COMPLETED
    return SprintState.PENDING if at > max(now) else None


# --- the rest ------------------------------------------------------------------------------


def _unknown_words(handover: Handover) -> Iterator[NotUnderstood]:
    for unit in handover.units:
        if unit.state is None and unit.word:
            text = f"{unit.name}: {unit.word}"
            yield NotUnderstood(unit.line, short(text, LONGEST_TEXT), "not a word for a state")
    for sprint in handover.sprints:
        if sprint.state is None:
            why = "not a word for a state" if sprint.word else "it has no state"
            text = f"sprint {sprint.id}: {sprint.word}" if sprint.word else f"sprint {sprint.id}"
            yield NotUnderstood(sprint.line, short(text, LONGEST_TEXT), why)


def _only_named(handover: Handover, lines: Sequence[str]) -> Iterator[NotUnderstood]:
    """Yield sprints that are mentioned but defined nowhere: none is dropped silently."""
    seen = {import_state_names.key(sprint.id) for sprint in handover.sprints}
    most = max((unit.total or 0 for unit in handover.units), default=0)
    times = 0
    for number, line in enumerate(lines, 1):
        refuse_a_flood(times)
        for id_ in import_state_names.mentioned(line):
            times += 1
            key = import_state_names.key(id_)
            if key in seen or (key.isdigit() and 0 < int(key) <= most):
                continue
            seen.add(key)
            why = f"sprint {id_} is named only here"
            yield NotUnderstood(number, short(line, LONGEST_TEXT), why)
