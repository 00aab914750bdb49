"""Runs agents for a view: starts clients with their recorders and gates."""
