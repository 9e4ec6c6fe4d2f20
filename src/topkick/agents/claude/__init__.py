"""Run Claude Code: its command line, its output stream, and what its end means."""
