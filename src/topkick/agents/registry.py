"""Adapters by name: topkick's own, and those of other packages, found by an entry point."""

from importlib import import_module
from typing import TYPE_CHECKING

from topkick.agents.vocabulary import Adapter
from topkick.engine.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "topkick.agents"
_OURS = {
    "claude": "claude.adapter:Claude",
    "codex": "codex:Codex",
    "command": "command:CommandAdapter",
    "gemini": "gemini:Gemini",
    "opencode": "opencode:Opencode",
}
"""Each adapter's module, loaded when its name is used, and its class."""
_PARTS = ("name", "tested", "counts_turns", "stop_signal", "launch", "reader", "permissions")


def adapter_named(name: str) -> Adapter:
    """Return the adapter; entry points are searched only for unknown names, because that is
    slow.
    """
    from importlib.metadata import entry_points

    if name in _OURS:
        module, _, name_of_class = _OURS[name].partition(":")
        made: Adapter = getattr(import_module(f"topkick.agents.{module}"), name_of_class)()
        return made
    for entry in entry_points(group=GROUP, name=name):
        return _loaded(entry)
    raise UsageError(
        f'There is no adapter named "{name}", so its agent is not started. '
        f"Known: {', '.join(known())}. For any other program, write "
        'adapter = "command" and its whole command line.'
    )


def known() -> tuple[str, ...]:
    from importlib.metadata import entry_points

    return tuple(sorted({*_OURS, *(entry.name for entry in entry_points(group=GROUP))}))


def _loaded(entry: "EntryPoint") -> Adapter:
    """Load an adapter from an entry point, which names a class or a factory function."""
    try:
        made = entry.load()()
    except (ImportError, AttributeError, TypeError) as error:
        raise UsageError(
            f'The adapter "{entry.name}" ({entry.value}) cannot be loaded ({error}), so its agent '
            "is not started. "
            "Reinstall the package that brings it, or choose another adapter."
        ) from error
    if missing := [part for part in _PARTS if not hasattr(made, part)]:
        raise UsageError(
            f'The adapter "{entry.name}" ({entry.value}) lacks {", ".join(missing)}: '
            "it was made for another version of topkick, so its agent is not started. "
            "Update the package that brings it."
        )
    adapter: Adapter = made
    return adapter
