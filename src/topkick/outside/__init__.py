"""Everything that touches the world: processes, files, git, the journal."""
