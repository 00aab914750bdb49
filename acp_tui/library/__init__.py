"""What is behind `acp_tui.library.api`: agents hosted without a view, and recordings read."""
