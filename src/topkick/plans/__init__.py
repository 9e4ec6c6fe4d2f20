"""Reading and refining plans, without touching the world."""
