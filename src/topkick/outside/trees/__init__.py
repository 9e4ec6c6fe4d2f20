"""Trees of their own for units: made, gathered from, merged, saved, taken home, cleared away."""
