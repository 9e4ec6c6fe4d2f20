"""A resident judge killed at every moment of a wake, and started again."""
