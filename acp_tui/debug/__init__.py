"""Recordings on the command line: listed, shown, checked and exported. No UI."""
