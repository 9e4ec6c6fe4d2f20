"""Runs whose state is a file, killed at every named moment and continued."""
