"""Names that a kept file may have."""

from acp_tui.checkpoints.errors import CheckpointError


def checked_path(path: bytes) -> bytes:
    """Return the path of a tree, if it can be one of a kept file. Raises CheckpointError.

    Whoever can write where it is kept can change what a tree says.
    """
    names = path.split(b"/")
    if b"\0" in path or any(one in (b"", b".", b"..") or one.lower() == b".git" for one in names):
        shown = path.decode("utf-8", "surrogateescape")
        raise CheckpointError(f"a name in it is not that of a kept file: {shown!r}")
    return path
