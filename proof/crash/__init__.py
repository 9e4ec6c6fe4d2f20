"""Kills the real program at every moment that matters, lets it recover, and judges the history."""
