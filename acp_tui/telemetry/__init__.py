"""Measures sessions, for programs that watch many: activities as spans, metrics and tables."""
