"""Read the modules that a plan names and their dependencies; the rest of the plan is ignored."""

from collections.abc import Iterator, Mapping

from topkick.core.sessions import parsed
from topkick.policies.pipeline.pipelines import MOST_MODULES, Module

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
