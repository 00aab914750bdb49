"""Turns and conversations without a UI. Never imports Textual."""
