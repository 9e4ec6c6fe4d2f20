"""What a change did to tests and code, and what the plan permits."""
