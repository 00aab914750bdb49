"""Markdown that streams: text in, lines on demand."""

from acp_tui.ui.markdown.document import MarkdownDocument

__all__ = ["MarkdownDocument"]
