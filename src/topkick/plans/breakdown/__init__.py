"""Breaks a requirements document down into a plan (BD-01 to BD-04): no model, no I/O, no guessing
that is not said in the plan."""
