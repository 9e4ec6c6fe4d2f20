"""The environment that agents and checks get: an allow-list, and what a person adds to it."""

from collections.abc import Iterable, Mapping

ALWAYS = frozenset(
    {
        "HOME",
        "LANG",
        "LANGUAGE",
        "LOGNAME",
        "PATH",
        "SHELL",
        "TERM",
        "TMPDIR",
        "TOPKICK_PLAN",
        "TZ",
        "USER",
    }
)
PREFIXES = ("LC_", "XDG_")


def allowed(environ: Mapping[str, str], more: Iterable[str] = ()) -> dict[str, str]:
    names = ALWAYS | set(more)
    return {k: v for k, v in environ.items() if k in names or k.startswith(PREFIXES)}


SHORTEST_SECRET = 6
HIDDEN = "[hidden]"


def secrets_of(environ: Mapping[str, str], names: Iterable[str]) -> tuple[str, ...]:
    """The values of passed variables; very short ones would hide ordinary words."""
    values = {environ.get(name, "") for name in names}
    return tuple(sorted((v for v in values if len(v) >= SHORTEST_SECRET), key=len, reverse=True))


def hide(text: str, secrets: Iterable[str]) -> str:
    """What goes into the journal, prompts and files people read has no known secret in it."""
    for value in secrets:
        text = text.replace(value, HIDDEN)
    return text
