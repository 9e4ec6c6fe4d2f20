"""The adapters for agent programs: how each is started, how its output is read, how it ends."""
