"""Signing in to the agent."""
