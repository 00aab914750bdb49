"""One turn without a UI. Never imports Textual."""
