"""Exports sessions as spans, metrics and tables, to monitor many of them."""
