"""The old name of `topkick.text.format`; goes when the tree moves."""

from topkick.text.format import clock, day_and_clock, iso, lasted

__all__ = ["clock", "day_and_clock", "iso", "lasted"]
