"""The team supervisor: roles in stages, a judge between them, a message bus."""
