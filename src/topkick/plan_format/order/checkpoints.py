"""Read checkpoints that a person puts between the layers of a plan (CK-14)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from topkick.plan_format.criteria.criteria import without_box
from topkick.plan_format.model import (
    CHECKPOINT_SESSION,
    ROLE_SPEC,
    CheckpointPlan,
    PlanFinding,
    UnitPlan,
)
from topkick.plan_format.order.gates import is_aside
from topkick.plan_format.structure import ItemList, Paragraph, Quote, Section

MOST = 20
MOST_SCOPE = 200
LONGEST = 2_000
FORM = "`**Checkpoint after Layer 0:** CHECKPOINT-001`"
_LINE = re.compile(
    r"^(?:\*\*|__)?checkpoint after (?P<place>[^:*`]{1,80}?)"
    r"(?:[:：](?:\*\*|__)?|(?:\*\*|__)[:：])[ \t]*(?P<rest>\S.*)?$",
    re.IGNORECASE,
)
_MEANT = re.compile(r"\bcheckpoint-", re.IGNORECASE)
_ID = re.compile(r"CHECKPOINT-[0-9]{3,6}")
_LAYER = re.compile(r"layer[ \t]+([0-9]{1,4})")
_FIELD = re.compile(
    r"^(?P<name>role[ -]spec|session|scope)\b[ \t]*[:=]?[ \t]*(?P<value>.*)$", re.IGNORECASE
)
_TASK = re.compile(r"[A-Za-z0-9][\w.-]{0,79}")
_NO_TASK = re.compile(r"[^\w.-]+")
_PATH = re.compile(r"[^\x00-\x1f\x7f`*]{1,300}")


@dataclass(frozen=True, slots=True)
class Checkpoints:
    planned: tuple[CheckpointPlan, ...] = ()
    findings: tuple[PlanFinding, ...] = ()


@dataclass(frozen=True, slots=True)
class _Reach:
    """The units at a place, up to it, and after it."""

    place: str
    there: tuple[str, ...]
    after: tuple[str, ...]
    holds: tuple[str, ...]


class _Wrong(Exception):
    """The mistake in a line, and what to write instead."""


def checkpoints_of(
    sections: Sequence[Section], units: Sequence[UnitPlan], template: str = ""
) -> Checkpoints:
    """Read the checkpoints; the section with heading `template` is skipped, as it is for agents."""
    planned: dict[str, CheckpointPlan] = {}
    findings: list[PlanFinding] = []
    for number, (line, place, rest) in enumerate(_lines(sections, template)):
        if number == MOST:
            findings.append(
                _refused(line, f"{MOST} checkpoints are before it, and topkick reads no more")
            )
            break
        try:
            made = _checkpoint(place, rest, units, line)
        except _Wrong as wrong:
            findings.append(_refused(line, str(wrong)))
            continue
        before = planned.setdefault(made.id, made)
        if before is not made:
            findings.append(_refused(line, f"{made.id} is in line {before.line} already"))
    return Checkpoints(tuple(planned.values()), tuple(findings))


def _refused(line: int, why: str) -> PlanFinding:
    return PlanFinding(line, f"Not used as a checkpoint: {why}.")


# --- lines -------------------------------------------------------------------------------------


def _lines(sections: Sequence[Section], template: str) -> Iterator[tuple[int, str, str]]:
    """Yield only unambiguous lines: a layer in bold, or the id of a checkpoint."""
    for part in sections:
        if is_aside(part, template):
            continue
        for line, text in _texts(part):
            found = _LINE.match(text) if len(text) <= LONGEST else None
            if found is None:
                continue
            rest = found["rest"] or ""
            is_layer = _LAYER.fullmatch(found["place"].strip().lower())
            if _MEANT.search(rest) or (is_layer and text.startswith(("**", "__"))):
                yield line, found["place"].strip(), rest


def _texts(part: Section) -> Iterator[tuple[int, str]]:
    if part.heading is not None:
        yield part.heading.line, part.title.strip()
    for block in part.blocks:
        match block:
            case Paragraph() | Quote():
                yield from enumerate((line.strip() for line in block.lines), start=block.line)
            case ItemList():
                yield from ((item.line, without_box(item.text).strip()) for item in block.items)
            case _:
                pass


# --- fields ------------------------------------------------------------------------------------


def _checkpoint(place: str, rest: str, units: Sequence[UnitPlan], line: int) -> CheckpointPlan:
    first, *others = (part.strip(" \t`*_.") for part in re.split(r"[,;]", rest))
    if not _ID.fullmatch(first):
        raise _Wrong(f"an id is missing, such as CHECKPOINT-001; write {FORM}")
    fields = _fields(others)
    reach = _reach(place, units)
    _refuse_circle(reach, units)
    return CheckpointPlan(
        first,
        reach.place,
        reach.after,
        reach.holds,
        _scope(fields, reach),
        _path(fields, "session", CHECKPOINT_SESSION),
        _path(fields, "role spec", ROLE_SPEC),
        line,
    )


def _scope(fields: Mapping[str, Sequence[str]], reach: _Reach) -> tuple[str, ...]:
    """Return the stated scope, else the units at that place, in names that the judge accepts."""
    named = fields.get("scope") or [_NO_TASK.sub("-", name).strip("-") for name in reach.there]
    strange = next((name for name in named if not _TASK.fullmatch(name)), None)
    if strange is not None:
        raise _Wrong(f"'{strange[:40]}' is not a task id; write `scope DRAFT-001, DRAFT-002`")
    if len(named) > MOST_SCOPE:
        raise _Wrong(f"it is about {len(named)} tasks; write `scope` with at most {MOST_SCOPE}")
    return tuple(dict.fromkeys(named))


def _fields(parts: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Parse the fields; a part without a name belongs to the field before it."""
    fields: dict[str, list[str]] = {}
    last = ""
    for part in parts:
        found = _FIELD.match(part)
        name = found["name"].lower().replace("-", " ") if found else last
        value = (found["value"] if found else part).strip(" \t`*_")
        if found and name in fields:
            raise _Wrong(f"it says {name} twice")
        if not found and last != "scope":
            known = "role spec, session or scope"
            raise _Wrong(f"topkick does not know '{part[:40]}'; after the id you may write {known}")
        if not value:
            raise _Wrong(f"{name} has no value")
        fields.setdefault(name, []).append(value)
        last = name
    return fields


def _path(fields: Mapping[str, Sequence[str]], name: str, default: str) -> str:
    path = fields[name][0].removeprefix("./").rstrip("/") if name in fields else default
    is_strange = {"", ".", "..", ".git"} & set(path.split("/"))
    if not _PATH.fullmatch(path) or path.startswith(("/", "~", "-")) or is_strange:
        raise _Wrong(f"the {name} '{path[:60]}' is not a path below the project's root")
    return path


# --- places ------------------------------------------------------------------------------------


def _reach(place: str, units: Sequence[UnitPlan]) -> _Reach:
    found = _LAYER.fullmatch(place.lower())
    reach = _by_layer(int(found[1]), units) if found else _by_phase(place, units)
    if not reach.there:
        layers = [f"Layer {n}" for n in sorted({u.layer for u in units if u.layer is not None})]
        known = ", ".join(layers or dict.fromkeys(u.phase for u in units if u.phase))
        hint = f"the plan has {known[:200]}" if known else "the plan names no layers and no phases"
        raise _Wrong(f"no unit is in '{place[:40]}'; {hint}")
    if not reach.holds:
        raise _Wrong(f"no unit comes after '{place[:40]}', so nothing would wait for it")
    return reach


def _by_layer(number: int, units: Sequence[UnitPlan]) -> _Reach:
    layers = [(u.layer, u.name) for u in units if u.layer is not None]
    return _Reach(
        f"layer {number}",
        tuple(name for layer, name in layers if layer == number),
        tuple(name for layer, name in layers if layer <= number),
        tuple(name for layer, name in layers if layer > number),
    )


def _by_phase(place: str, units: Sequence[UnitPlan]) -> _Reach:
    """Find the phase by the plan's names, in order: `Phase 1` is `Phase 1: Core` as well."""
    phases = list(dict.fromkeys(u.phase for u in units if u.phase))
    at = next((n for n, phase in enumerate(phases) if _is_called(phase, place)), None)
    before = set(phases[: at + 1]) if at is not None else set()
    return _Reach(
        phases[at] if at is not None else place,
        tuple(u.name for u in units if at is not None and u.phase == phases[at]),
        tuple(u.name for u in units if u.phase in before),
        tuple(u.name for u in units if u.phase and u.phase not in before),
    )


def _is_called(phase: str, place: str) -> bool:
    known, asked = phase.casefold(), place.casefold()
    return known == asked or (known.startswith(asked) and not known[len(asked)].isalnum())


def _refuse_circle(reach: _Reach, units: Sequence[UnitPlan]) -> None:
    """Raise if work before the checkpoint needs work after it: stated edges override layers."""
    needs = {
        u.name: {*u.waits_for, *(r.unit for s in u.sprints for r in s.waits_for)} for u in units
    }
    holds, seen, ahead = set(reach.holds), set(reach.after), list(reach.after)
    while ahead:
        name = ahead.pop()
        if name in holds:
            raise _Wrong(
                f"work up to '{reach.place}' waits for '{name}', which the checkpoint would hold"
            )
        fresh = needs.get(name, set()) - seen
        seen |= fresh
        ahead += fresh
