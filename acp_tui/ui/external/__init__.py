"""Other programs: clipboard, editor, viewers."""
