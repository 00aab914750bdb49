"""The palette: searches all actions."""
