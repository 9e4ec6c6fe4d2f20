"""Values of a run as text: status, state file, next event, spending."""
