"""The documents that the judge reads: specifications, plans, requirements, choices."""
