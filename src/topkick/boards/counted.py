"""The old name of `topkick.text.format`; goes when the tree moves."""

from topkick.text.format import counted

__all__ = ["counted"]
