"""Break a requirements document down into a plan (BD-01 to BD-04): no model, no I/O, and every
guess is stated in the plan.
"""
