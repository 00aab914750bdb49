"""Desktop notifications: what they say, and how they reach the person."""
