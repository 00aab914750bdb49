"""An index of all recordings: searches what agents said and did here."""
