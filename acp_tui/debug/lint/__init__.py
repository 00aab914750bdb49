"""Rules about what happens on the wire over time; each module holds the rules of one subject."""
