"""Files dropped onto the terminal: it pastes their paths, each in its own way."""

import os
import shlex
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes, urlsplit

LONGEST_PATH = 4096
_BEGINNINGS = ("/", "'", '"', "file://")


def mention(pasted: str) -> str | None:
    """Return a pasted path of a picture or a sound as a mention; None if it is anything else."""
    text = pasted.strip()
    if not text.startswith(_BEGINNINGS) or "\n" in text or len(text) > LONGEST_PATH:
        return None
    from acp_tui.workspace.mentions import mention_of

    path = next(filter(_is_media, _paths(text)), None)
    written = mention_of(path) if path is not None else None
    return f"{written} " if written is not None else None


def _paths(text: str) -> Iterator[str]:
    """Return what a pasted path may stand for: an address, a name as it is, or one quoted for a shell."""
    if text.startswith("file://"):
        yield os.fsdecode(unquote_to_bytes(urlsplit(text).path))
        return
    yield text
    try:
        words = shlex.split(text)
    except ValueError:
        return
    if len(words) == 1:
        yield words[0]


def _is_media(path: str) -> bool:
    import mimetypes

    kind = mimetypes.guess_type(path)[0] or ""
    try:
        return (
            path.startswith("/") and kind.startswith(("image/", "audio/")) and os.path.isfile(path)  # noqa: PTH113  Path's fails for names that hold a NUL
        )
    except (OSError, ValueError):
        return False
