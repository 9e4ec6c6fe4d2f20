"""The report of a run: what was done, what proves it, how it went, and what it cost."""
