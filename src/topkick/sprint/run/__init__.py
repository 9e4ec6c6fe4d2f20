"""Use cases around a run: load the plan, isolate units, land, report."""
