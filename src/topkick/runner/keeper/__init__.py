"""The keeper of one agent, and the prefork server that keepers come from."""
