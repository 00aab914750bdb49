"""Markdown that streams: text in, lines on demand."""
