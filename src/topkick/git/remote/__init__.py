"""Work on a remote: pull requests, pushed branches, shared task files."""
