"""What a person sets: where it lies, and what it says."""
