"""Races."""
