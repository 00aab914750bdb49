"""Tips about keys that were never used."""
