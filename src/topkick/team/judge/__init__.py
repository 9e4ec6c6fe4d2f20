"""The resident judge: it wakes for a request, checks the work, and reports."""
