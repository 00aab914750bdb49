"""Errors of git, and of keeping and restoring files: a module of its own, as `git` and `objects` raise them."""


class CheckpointError(Exception):
    """A checkpoint operation failed; the message says what."""


class TooMuchError(CheckpointError):
    """There are too many new files to store at once."""


class NotKeptError(CheckpointError):
    """The folder's files should not be stored; the message says why."""


class GitError(CheckpointError):
    """Git failed, or can't be run; the message says why."""
