"""The screen that searches all recordings."""
