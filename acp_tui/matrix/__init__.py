"""Compares what agents can do: each is probed, and none is judged."""
