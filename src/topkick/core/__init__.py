"""The pure kernel: the state, what can happen, and which moves are legal."""
