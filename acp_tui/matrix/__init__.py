"""Compares what agents can do: probed, never judged."""
