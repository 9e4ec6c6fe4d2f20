"""A run of packages in layers, each in a repository of its own."""
