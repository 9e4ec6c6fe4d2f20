"""Carry out what a person commands: stop, resume, accept, reject, waive, retry."""
