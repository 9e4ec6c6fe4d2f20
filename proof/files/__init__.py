"""Runs whose truth is a file, killed at every named moment and gone on with."""
