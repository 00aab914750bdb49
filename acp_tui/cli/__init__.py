"""The command line: parses arguments, runs a client or a recording with a view, and returns the
exit code.
"""
