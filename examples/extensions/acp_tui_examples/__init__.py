"""Extensions of acp-tui, one of each kind; see docs/extending.md."""
