"""The launcher: the screen that starts an agent or resumes a session."""
