"""Verify work: the executor, the pool of checkers, and the evidence they bring.

The supervisor never runs a project's code itself; a checker, a child process, does.
"""
