"""The old name of `topkick.text.markdown`; goes when the tree moves."""

from topkick.text.markdown import row, table

__all__ = ["row", "table"]
