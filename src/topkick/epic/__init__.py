"""The epic supervisor: one decision a tick, and an emergency brake."""
