"""Screens over the conversation: questions of our own, lists to choose from, pages to read."""
