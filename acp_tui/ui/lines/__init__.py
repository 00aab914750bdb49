"""Columns of lines that are drawn on demand, and what all of them share."""
