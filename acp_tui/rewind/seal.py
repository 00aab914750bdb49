"""Signs our checkpoints' refs: an agent may write to a repository, and make refs of its own."""

import hmac
import os
import secrets
from hashlib import sha256
from pathlib import Path

from acp_tui.config.private_files import make_folder, write_new
from acp_tui.git.errors import CheckpointError

_BYTES = 32


class Seal:
    """Signs with a key in the state folder, outside every repository."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def of(cls, state: Path) -> "Seal":
        """Read the key; create it the first time. Raises CheckpointError."""
        path = state / "key"
        try:
            if not path.exists():
                _make(path)
            key = path.read_bytes()
        except OSError as error:
            raise CheckpointError(f"{error.strerror}: {error.filename!r}") from None
        if len(key) != _BYTES:
            raise CheckpointError(f"it isn't a key: {str(path)!r}")
        return cls(key)

    def sign(self, *parts: str) -> str:
        """Return a signature of these parts, which needs the key."""
        told = "\0".join(parts).encode("utf-8", "surrogateescape")
        return hmac.new(self._key, told, sha256).hexdigest()[:_BYTES]

    def is_ours(self, signature: str, *parts: str) -> bool:
        """Return whether these parts were signed with the key."""
        given = signature.encode("utf-8", "surrogateescape")
        return hmac.compare_digest(self.sign(*parts).encode(), given)


def _make(path: Path) -> None:
    """Create a key atomically, unless another program is faster. Raises OSError."""
    make_folder(path.parent)
    new = path.with_name(f"key.{secrets.token_hex(8)}.new")
    write_new(new, secrets.token_bytes(_BYTES))
    try:
        os.link(new, path)
    except FileExistsError:
        pass
    finally:
        new.unlink()
