"""The sprint supervisor: plans of work units, their sprints, gates and verdicts."""
