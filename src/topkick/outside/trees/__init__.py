"""Units' own trees: clone, gather, merge, save, land and clean up."""
