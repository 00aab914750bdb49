"""A full-text index of all recordings: prompts, messages, commands, files, changes and errors."""
