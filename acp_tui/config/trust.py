"""Stores which files of projects the user trusts. Changed content, or another path, must be trusted
again.

The path counts, as the same words may start another program elsewhere: each project has its own
`./tools/server`.
"""

import json
import os
from pathlib import Path

from acp_tui.config.private_files import read_json, write_whole


class TrustStore:
    """Fingerprints of trusted files; a missing or broken store trusts nothing."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def trusts(self, content: bytes, file: Path) -> bool:
        """Return whether the user trusts exactly this content in this file."""
        return fingerprint(content, file) in self._read_fingerprints()

    def trust(self, content: bytes, file: Path) -> None:
        """Remember that the user trusts this content in this file. Raises OSError."""
        known = {**self._read_fingerprints(), fingerprint(content, file): str(file)}
        write_whole(self._file, json.dumps(known, indent=2) + "\n")

    def _read_fingerprints(self) -> dict[str, str]:
        known = read_json(self._file)
        return known if isinstance(known, dict) else {}


def fingerprint(content: bytes, file: Path) -> str:
    """Return the SHA-256 of a file's path and content, in hexadecimal."""
    from hashlib import sha256  # rarely needed at start

    return sha256(os.fsencode(file) + b"\0" + content).hexdigest()
