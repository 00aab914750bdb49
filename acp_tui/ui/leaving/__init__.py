"""Quitting the app."""
