"""Read a plan: the model of a plan, and the readers of its text."""
