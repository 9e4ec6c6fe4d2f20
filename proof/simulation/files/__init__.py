"""Boards and epics on virtual time: the real loop, journal, runner and file executor, with
faults.
"""
