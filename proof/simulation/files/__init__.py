"""Boards and epics on virtual time: the real loop, journal, runner and file bench, under faults."""
