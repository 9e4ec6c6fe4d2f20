"""The supervisors, each one decide() on the same kernel."""
