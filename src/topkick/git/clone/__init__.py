"""The clones that units work in and the trees that checks run in."""
