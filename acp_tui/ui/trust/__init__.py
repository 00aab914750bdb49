"""The question about the project's MCP servers."""
