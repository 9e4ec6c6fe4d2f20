"""Soak: many agents of every kind, a supervisor that is killed again and again, and no growth."""
