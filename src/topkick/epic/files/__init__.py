"""The files of an epic: its memory, its archive, and the copy on a remote."""
