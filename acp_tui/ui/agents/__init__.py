"""Agents side by side: what the app has of each, and choosing another."""
