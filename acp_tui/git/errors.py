"""Why files aren't kept, or can't be brought back."""


class CheckpointError(Exception):
    """Something failed; the message says what."""


class TooMuchError(CheckpointError):
    """There is more that nobody has kept than is taken in at once."""


class NotKeptError(CheckpointError):
    """Why nobody would want the files of a folder to be kept."""
