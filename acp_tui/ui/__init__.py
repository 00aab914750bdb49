"""The terminal interface. The only package that knows Textual."""
