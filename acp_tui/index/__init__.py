"""An index of all recordings: what agents said and did here, to be found by its words."""
