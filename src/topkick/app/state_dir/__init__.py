"""The state directory of a project: its lock, its owner, its marks and notices."""
