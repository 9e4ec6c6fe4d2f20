"""Kills agents of every nasty shape: nothing of them may survive, and nobody else may be hit."""
