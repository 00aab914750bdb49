"""Exports of a session to a file: Markdown, HTML, or a picture of the screen."""
