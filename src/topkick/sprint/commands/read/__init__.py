"""Commands that only look: status, explain, report, logs, plan."""
