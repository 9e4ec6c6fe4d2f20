"""Merge units' work into the mission's branch, and take it home."""
