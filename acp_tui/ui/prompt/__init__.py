"""The prompt: writing, completing, recalling and sending."""
