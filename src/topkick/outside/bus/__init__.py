"""The message bus of a session: many writers, one file that every tool of the format can read."""

from topkick.outside.bus.bench import BusBench, recent
from topkick.outside.bus.bus import Bus
from topkick.outside.bus.reading import Reader

__all__ = ["Bus", "BusBench", "Reader", "recent"]
