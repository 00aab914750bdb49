"""Files dropped onto the terminal: it pastes their paths, each in its own way."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit


def mention(pasted: str) -> str | None:
    """A pasted path of a picture or a sound as a mention; None if it is anything else."""
    text = pasted.strip()
    if not text or "\n" in text or len(text) > 4096:
        return None
    path = _path(text)
    if path is None or not _is_media(path):
        return None
    plain = re.fullmatch(r"[^\s\"@]+", path)
    return f"@{path} " if plain else f'@"{path}" '


def _path(text: str) -> str | None:
    if text[0] == text[-1] and text[0] in "'\"" and len(text) > 2:
        text = text[1:-1]
    elif text.startswith("file://"):
        text = unquote(urlsplit(text).path)
    else:
        text = re.sub(r"\\(.)", r"\1", text)
    return text if text.startswith("/") and '"' not in text else None


def _is_media(path: str) -> bool:
    import mimetypes

    kind = mimetypes.guess_type(path)[0] or ""
    try:
        return kind.startswith(("image/", "audio/")) and Path(path).is_file()
    except OSError:
        return False
