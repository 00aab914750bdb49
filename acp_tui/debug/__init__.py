"""The log of a connection: rows, filters, findings, comparing, composing, playing, shrinking, reports."""
