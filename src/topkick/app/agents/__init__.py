"""Agents as topkick.toml configures them: find the program, follow its output, try it out."""
