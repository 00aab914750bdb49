"""Integration of other programs: clipboard, editor, viewers."""
