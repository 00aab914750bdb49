"""Which files of a project a person has agreed to, by their content: a change asks anew."""

import json
from pathlib import Path

from acp_tui.config.writing import write_whole


class TrustStore:
    """A file of fingerprints; one that is missing or broken trusts nothing."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def trusts(self, content: bytes) -> bool:
        """Whether this very content was agreed to."""
        return fingerprint(content) in self._known()

    def trust(self, content: bytes, origin: str) -> None:
        """Remember that a person agreed to this content. Raises OSError."""
        known = {**self._known(), fingerprint(content): origin}
        write_whole(self._file, json.dumps(known, indent=2) + "\n")

    def _known(self) -> dict[str, str]:
        try:
            known = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}


def fingerprint(content: bytes) -> str:
    """The content's SHA-256, in hexadecimal."""
    from hashlib import sha256  # most starts have nothing to trust

    return sha256(content).hexdigest()
