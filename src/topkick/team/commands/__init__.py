"""The commands of a team: bus, checkpoint, teams, mcp."""
