"""Settings and themes: their features, lists and effects."""
