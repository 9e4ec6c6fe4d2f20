"""The old name of `topkick.text.escape`; goes when the tree moves."""

from topkick.text.escape import HIDDEN, block, cell, cut, line, long_ones, prose, redact, verbatim

__all__ = ["HIDDEN", "block", "cell", "cut", "line", "long_ones", "prose", "redact", "verbatim"]
