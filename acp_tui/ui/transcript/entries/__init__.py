"""The entries of the transcript: a view for each kind."""
