"""Hunks, patches and comments."""
