"""How many tests a command ran, read from what it printed."""
