"""Start, follow and end agents, each through a keeper of its own."""
