"""The commands that write and improve plans."""
