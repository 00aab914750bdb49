"""Held frames, breakpoints and faults on the screen."""
