"""Adapters by their names: ours, and those that other packages bring by an entry point."""

from importlib.metadata import EntryPoint, entry_points

from topkick.core.errors import UsageError
from topkick.outside.agents.claude import Claude
from topkick.outside.agents.codex import Codex
from topkick.outside.agents.command import Command
from topkick.outside.agents.gemini import Gemini
from topkick.outside.agents.opencode import Opencode
from topkick.outside.agents.vocabulary import Adapter

GROUP = "topkick.agents"
_OURS: dict[str, type[Adapter]] = {
    kind.name: kind for kind in (Claude, Codex, Command, Gemini, Opencode)
}
_PARTS = ("name", "tested", "counts_turns", "stop_signal", "launch", "reader", "permissions")


def adapter_named(name: str) -> Adapter:
    """Other packages are asked only for a name that is not ours: that takes a while."""
    if name in _OURS:
        return _OURS[name]()
    for entry in entry_points(group=GROUP, name=name):
        return _loaded(entry)
    raise UsageError(
        f'There is no adapter named "{name}". Known are {", ".join(known())}; any other program '
        f'can be run with adapter = "command" and its whole command line.'
    )


def known() -> tuple[str, ...]:
    return tuple(sorted({*_OURS, *(entry.name for entry in entry_points(group=GROUP))}))


def _loaded(entry: EntryPoint) -> Adapter:
    """The entry names a class, or a function, that gives an adapter when it is called."""
    try:
        made = entry.load()()
    except (ImportError, AttributeError, TypeError) as error:
        raise UsageError(
            f'The adapter "{entry.name}" ({entry.value}) cannot be loaded: {error}. '
            "Reinstall the package that brings it, or choose another adapter."
        ) from error
    if missing := [part for part in _PARTS if not hasattr(made, part)]:
        raise UsageError(
            f'The adapter "{entry.name}" ({entry.value}) lacks {", ".join(missing)}: '
            "it was made for another version of topkick. Update the package that brings it."
        )
    adapter: Adapter = made
    return adapter
