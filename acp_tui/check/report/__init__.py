"""What a run of checks found, for people and for programs."""
