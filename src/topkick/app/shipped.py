"""Texts that are part of the program."""

from importlib.resources import files

BUILTIN_SPEC = "builtin"


def shipped_role_spec() -> str:
    """Return the three checkpoints of the pipeline from a brief to a plan (CK-12)."""
    place = files("topkick.team.judge") / "specs" / "supervisor.md"
    return place.read_text("utf-8")
