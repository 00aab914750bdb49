"""A session's folder: its files, the mentions in a prompt, its MCP servers."""
