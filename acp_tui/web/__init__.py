"""The UI in a browser (`acp-tui serve`): pages and terminals for browsers that opened the link."""
