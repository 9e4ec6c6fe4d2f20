"""The command line: entry point, table of commands, terminal, viewer, setup and demo."""
