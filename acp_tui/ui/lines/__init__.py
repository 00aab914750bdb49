"""Columns of lines that are drawn on demand, and their shared base."""
