"""The kanban supervisor: run the role that the board names, check the form, repeat."""
