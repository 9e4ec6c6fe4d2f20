"""Find who broke a gate, through the real program: units, kinds of fault, and their places."""
