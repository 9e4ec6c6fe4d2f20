"""Replay a recorded run, and repair a damaged journal."""
