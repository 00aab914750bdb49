"""The state of a connection, folded from events: entries, sessions and reducers. No I/O, clock or
screen.
"""
