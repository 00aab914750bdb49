"""What each event does to the state, subject by subject. Pure."""
