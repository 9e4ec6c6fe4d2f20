"""The message bus of a session: store, readers, commands and MCP tools."""
