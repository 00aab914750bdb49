"""`acp-tui check`: its checks, its reports and its command."""
