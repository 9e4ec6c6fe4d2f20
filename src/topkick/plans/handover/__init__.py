"""What a supervisor that was a model left behind in its SUPERVISOR_STATE.md (ST-04)."""
