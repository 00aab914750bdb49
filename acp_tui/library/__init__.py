"""What is behind `acp_tui.api`: agents hosted without a view, and recordings read."""
