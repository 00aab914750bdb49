"""Streaming Markdown: parses text as it arrives, and draws lines on demand."""
