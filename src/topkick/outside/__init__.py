"""The doors to the world, one a module."""
