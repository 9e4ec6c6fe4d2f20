"""What a person reads after a run: what was done, what proves it, how it went, what it cost."""
