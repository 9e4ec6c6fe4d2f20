"""Choose an operation's name by the plan's subject, and write it into the plan file (NM-01).

The same content always gets the same name. If the file cannot be written, the run still has the
name.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from math import gcd

from topkick.app.project import LONGEST_PLAN_BYTES, Project, make_state_dir, require_local_disk
from topkick.engine.errors import PlanError
from topkick.engine.io.files import read_plain
from topkick.plan_format.front_matter import (
    PREFIX,
    content_hash,
    feature_name_in,
    is_literal,
    is_operation_name,
    with_feature_name,
)
from topkick.plan_format.model import Plan
from topkick.planning.naming.themes import CRAFT, GENERAL, MOODS, PRODUCTS, Theme
from topkick.planning.naming.themes_services import SERVICES
from topkick.sprint.run.load_plan import reading_of
from topkick.sprint.run.plan_file import (
    CHANGED,
    NotOurs,
    put_in_place,
    require_ours,
    require_unchanged,
)

THEMES: tuple[Theme, ...] = (*SERVICES, *PRODUCTS, *CRAFT)
TITLE, UNIT, SPRINT = 8, 3, 1
MOST_NAMES = 400
LONGEST_NAME = 200
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORDS = re.compile(r"[a-z0-9]+")


def operation_name(plan: Plan, present: str = "") -> str:
    """Return the plan's first name; after `present`, the next one, never the same."""
    names = list(_names(theme_of(plan), plan))
    if present not in names:
        return names[0]
    return names[(names.index(present) + 1) % len(names)]


def theme_of(plan: Plan) -> Theme:
    """Return the theme that the plan's names mention most."""
    score = dict.fromkeys(range(len(THEMES)), 0)
    for weight, name in _told(plan):
        words = _keywords(name)
        for number, theme in enumerate(THEMES):
            if not words.isdisjoint(theme.keywords):
                score[number] += weight * theme.weight
    best = max(score, key=lambda number: (score[number], -number))
    return THEMES[best] if score[best] else GENERAL


def _told(plan: Plan) -> Iterator[tuple[int, str]]:
    yield TITLE, plan.title
    names = [(UNIT, unit.name) for unit in plan.units]
    names += [(SPRINT, sprint.name) for unit in plan.units for sprint in unit.sprints]
    yield from names[:MOST_NAMES]


def _keywords(name: str) -> frozenset[str]:
    """Return single words and pairs, also without a plural s; `WebSocket` is split and whole."""
    short = name[:LONGEST_NAME]
    parted = _WORDS.findall(_HUMP.sub(" ", short).lower())
    whole = _WORDS.findall(short.lower())
    pairs = [f"{a} {b}" for a, b in pairwise(parted)]
    return frozenset(_with_singulars([*parted, *whole, *pairs]))


def _with_singulars(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        yield word
        if word.endswith("s") and len(word) > 3:
            yield word[:-1]


def _names(theme: Theme, plan: Plan) -> Iterator[str]:
    """Yield all names of a theme in an order that depends on the plan's content: alternately a
    phrase and a member of the cast; none that repeats the title.
    """
    seed = int(plan.sha256[:16] or "0", 16)
    cast = tuple(f"{mood} {who}" for who in theme.cast for mood in MOODS)
    turns = [list(_shuffled(theme.phrases, seed)), list(_shuffled(cast, seed >> 7))]
    first = seed >> 3 & 1
    longest = max(map(len, turns))
    both = (turns[(first + turn) % 2][n : n + 1] for n in range(longest) for turn in range(2))
    every = [f"{PREFIX}{phrase}" for found in both for phrase in found]
    formed = [name for name in every if is_operation_name(name)]
    yield from [name for name in formed if not is_literal(name, plan.title)] or formed


def _shuffled(phrases: tuple[str, ...], seed: int) -> Iterator[str]:
    """Yield each phrase once, by a step that is coprime to their number."""
    count = len(phrases)
    steps = [step for step in range(1, count) if gcd(step, count) == 1] or [1]
    step = steps[seed // count % len(steps)]
    return (phrases[(seed + n * step) % count] for n in range(count))


# --- the plan file -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NamedPlan:
    """The named plan; `why_not` says why the file does not have the name."""

    plan: Plan
    why_not: str = ""


def give_name(project: Project, plan: Plan, name: str, *, instead_of: str = "") -> NamedPlan:
    """Write the name; a file that has changed since `plan` was read is not touched."""
    require_local_disk(project)
    make_state_dir(project)
    try:
        return NamedPlan(_write(project, plan, name, instead_of))
    except NotOurs as why:
        return NamedPlan(replace(plan, feature_name=name), str(why))
    except OSError as error:
        return NamedPlan(replace(plan, feature_name=name), error.strerror or "it cannot be written")


def _write(project: Project, plan: Plan, name: str, instead_of: str) -> Plan:
    path = project.plan_path.resolve()  # a link stays one
    before = path.stat()
    data = read_plain(path, LONGEST_PLAN_BYTES + 1)
    # bytes that are not UTF-8 come back unchanged
    text = data.decode("utf-8", "surrogateescape")
    seen = data.decode("utf-8", "replace")
    if content_hash(seen) != plan.sha256:
        raise NotOurs(CHANGED)
    now = feature_name_in(seen)
    if now != instead_of:
        if now:  # another start was quicker, or a person
            return reading_of(project, data).plan
        raise NotOurs(CHANGED)
    require_ours(before)
    changed = with_feature_name(text, name).encode("utf-8", "surrogateescape")
    named = _read_back(project, changed, plan, name)
    require_unchanged(path, before)
    put_in_place(path, changed, before, project.state_dir)
    return named


def _read_back(project: Project, data: bytes, plan: Plan, name: str) -> Plan:
    """Read the named plan; one at the limit of its size may not accept another line."""
    try:
        named = reading_of(project, data).plan
    except PlanError as error:
        raise NotOurs(str(error)) from error
    if named.sha256 != plan.sha256 or named.feature_name != name:
        raise NotOurs("topkick cannot add a name to its front matter")
    return named
