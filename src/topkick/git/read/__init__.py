"""Read repositories with libgit2, which runs no program that a repository names."""
