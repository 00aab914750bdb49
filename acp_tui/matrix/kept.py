"""The matrices of earlier days, each in a file of its own."""

import json
from datetime import date
from pathlib import Path

from acp_tui.config.errors import ConfigError
from acp_tui.config.private_files import write_whole
from acp_tui.matrix.model import Matrix, from_json, to_json


def keep(matrix: Matrix, folder: Path) -> Path:
    """Write a matrix into the folder; return its file. Raises OSError."""
    path = folder / f"{_stem(matrix)}.json"
    write_whole(path, json.dumps(to_json(matrix), indent=1) + "\n")
    return path


def last(folder: Path) -> Matrix:
    """Read the last matrix.

    Raises:
        ConfigError: there is none, or it can't be read.
    """
    found = sorted(folder.glob("*.json"))
    if not found:
        raise ConfigError("no matrix was made yet: acp-tui matrix makes one")
    return read(found[-1])


def earlier(folder: Path, matrix: Matrix, until: date) -> Matrix:
    """Read the last matrix before this one that is not younger than a date, else the first of all.

    Raises:
        ConfigError: there is none, or it can't be read.
    """
    found = [path for path in sorted(folder.glob("*.json")) if path.stem < _stem(matrix)]
    if not found:
        raise ConfigError("--since: there is no earlier matrix to compare with")
    due = [path for path in found if path.stem[:10] <= until.isoformat()]
    return read(due[-1] if due else found[0])


def read(path: Path) -> Matrix:
    """Read a matrix.

    Raises:
        ConfigError: it can't be read.
    """
    try:
        return from_json(json.loads(path.read_text("utf-8")))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ConfigError(f"{path}: not a matrix of acp-tui") from None


def _stem(matrix: Matrix) -> str:
    """Return the name of a matrix: they are sorted by when they were made."""
    return matrix.made[:19].replace(":", "")
