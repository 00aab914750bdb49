"""What leaves the app: clipboard, editor, viewers."""
