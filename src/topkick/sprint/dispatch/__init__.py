"""The order that an agent gets: its model, its prompt, its limits."""
