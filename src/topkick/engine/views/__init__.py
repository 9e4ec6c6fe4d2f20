"""Pages of a run whose truth is a file: a board, an epic or a team."""
