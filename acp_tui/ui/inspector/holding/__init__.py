"""Held frames, breakpoints and faults."""
