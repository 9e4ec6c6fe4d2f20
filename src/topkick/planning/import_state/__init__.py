"""Read the SUPERVISOR_STATE.md of an LLM-driven supervisor (ST-04)."""
