"""One typed answer to "why does this not move?", with its rule, mover and offers."""
