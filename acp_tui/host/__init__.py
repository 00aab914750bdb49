"""Runs agents for a view: starts clients, with recorder and gate."""
