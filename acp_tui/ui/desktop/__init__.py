"""Desktop notifications: their texts, and how they are sent."""
