"""The files that people read, as text made from state."""
