"""Runs that are kept in the background, without any process."""
