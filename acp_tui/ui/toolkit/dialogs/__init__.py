"""Screens over the conversation: questions, pickers, and pages to read."""
