"""The entries of the transcript, with a view for each kind."""
