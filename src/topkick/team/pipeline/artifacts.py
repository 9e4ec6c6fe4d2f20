"""Handle a role's artifact: check that it exists, post it on the bus, then record it in the
session.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from topkick.engine import messages as h
from topkick.team.pipeline import orders
from topkick.team.pipeline import state as notes
from topkick.team.pipeline.ledger import AWAITING, COMPLETED, Line
from topkick.team.pipeline.model import MOST_MODULES, QUALITY, REVIEWED, Module, quality_word
from topkick.team.pipeline.scene import PipelineScene, glance, places_of
from topkick.team.pipeline.state import Doing, RoleAnswer
from topkick.team.session import number, parsed

Events = Sequence[h.Event]


def told(scene: PipelineScene) -> Events:
    """Handle one answer at a time: check, post and record it before the next."""
    for task, answer in notes.answers(scene.mission).items():
        line = scene.ledger.line(task)
        if line is None or line.is_done:
            return notes.forget(scene.mission, task)
        places = places_of(scene.mission, answer.ref)
        if not set(places) <= scene.files.keys():
            return (h.LookAsked(glance(scene.mission)),)
        found = _found(scene, places)
        if not found:
            issue = f"the file of its ref is missing or empty: {answer.ref[:120]}"
            return orders.again(scene.mission, task, answer.data, issue)
        if not notes.is_posted(scene.mission, task):
            message = orders.state_update(line.role, task, answer)
            return scene.post(message, Doing.PUBLISH, task)
        return _completed(scene, line, answer, found)
    return ()


def _found(scene: PipelineScene, places: tuple[str, ...]) -> str:
    """Return the first place with content; empty if there is none."""
    for place in places:
        inside = (file for path, file in scene.files.items() if path.startswith(f"{place}/"))
        if any(file.text.strip() for file in (scene.files[place], *inside)):
            return place
    return ""


def _completed(scene: PipelineScene, line: Line, answer: RoleAnswer, place: str) -> Events:
    score = number(json.loads(answer.data).get("quality_self_score"))
    own = f"{scene.directory}/"
    ref = place.removeprefix(own) if scene.directory else place
    status, told = COMPLETED, f"by {line.role}: {ref}"
    if line.id == QUALITY:
        status, told = _quality(scene, score or 0.0, ref)
    done = replace(line, status=status, ref=ref, score=score, updated_at=scene.now)
    return scene.save(scene.ledger.with_lines(done), Doing.COMPLETE, f"{line.id} {told}")


def _quality(scene: PipelineScene, score: float, ref: str) -> tuple[str, str]:
    """Return the status: a person approves work that others build on, and work that fails."""
    gates = any(QUALITY in line.needs for line in scene.ledger.lines)
    told = f"score {score:g} ({quality_word(score)}): {ref}"
    return (AWAITING if gates or score < REVIEWED else COMPLETED), told


# --- modules that a plan names -----------------------------------------------------------------
# Read them and their dependencies; the rest of the plan is ignored.

_NEEDS = ("depends_on", "dependencies", "needs", "blocked_by")


def modules_in(text: str) -> tuple[Module, ...]:
    """Return each module once; unknown and own dependencies are dropped, and all of them if there
    is a cycle.
    """
    found = parsed(text)
    said = found.get("modules") if isinstance(found, Mapping) else None
    read = {module.name: module for module in _modules(said)}
    known = list(read.values())[:MOST_MODULES]
    names = {module.name for module in known}
    clean = [Module(m.name, tuple(n for n in m.needs if n in names - {m.name})) for m in known]
    return tuple(clean) if _has_an_order(clean) else tuple(Module(m.name) for m in clean)


def _modules(said: object) -> Iterator[Module]:
    if isinstance(said, Mapping):
        said = [
            {"name": name, **(each if isinstance(each, Mapping) else {})}
            for name, each in said.items()
        ]
    for each in said if isinstance(said, list) else ():
        fields: Mapping[str, object] = each if isinstance(each, Mapping) else {"name": each}
        name = fields.get("name", fields.get("id", fields.get("module")))
        if isinstance(name, str) and name.strip():
            yield Module(name.strip()[:80], _names(fields))


def _names(fields: Mapping[str, object]) -> tuple[str, ...]:
    found = next((fields[key] for key in _NEEDS if key in fields), ())
    listed = found if isinstance(found, list) else []
    return tuple(name.strip()[:80] for name in listed if isinstance(name, str))


def _has_an_order(modules: list[Module]) -> bool:
    done: set[str] = set()
    left = list(modules)
    while left:
        ready = [module for module in left if set(module.needs) <= done]
        if not ready:
            return False
        done |= {module.name for module in ready}
        left = [module for module in left if module.name not in done]
    return True
