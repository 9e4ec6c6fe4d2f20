"""What a change did to tests, settings and checks, read from its text. Nothing here is run."""
