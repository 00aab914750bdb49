"""The implementation of `acp_tui.library.api`: hosts agents without a view, and reads recordings."""
