"""Tabs: their sessions, drafts and queues, and the texts of the status line."""
