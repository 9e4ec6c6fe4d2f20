"""The pages that a person reads and accepts before a run begins."""
