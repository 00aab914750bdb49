"""The prompt: writing, completion, history, queue and sending."""
