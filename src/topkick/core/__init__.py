"""The pure kernel: what there is, what can happen, and which moves are legal."""
