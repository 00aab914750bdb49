"""The folder that a session works in: its files, what a prompt mentions, its MCP servers."""
