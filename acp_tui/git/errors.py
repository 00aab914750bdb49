"""Errors raised while files are kept before a turn, or restored."""


class CheckpointError(Exception):
    """A checkpoint operation failed; the message says what."""


class TooMuchError(CheckpointError):
    """There are too many new files to store at once."""


class NotKeptError(CheckpointError):
    """The folder's files should not be stored; the message says why."""
