"""Hints about keys that were never used."""
