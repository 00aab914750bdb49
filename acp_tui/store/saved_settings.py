"""Changes of a setting in a person's file."""

import errno
import os
from pathlib import Path
from typing import Any

from acp_tui.config.private_files import read_file, write_whole
from acp_tui.config.settings import Settings
from acp_tui.config.settings_text import set_in_text, unset_in_text
from acp_tui.config.toml_files import exists, read_toml


def save_setting(path: Path, keys: tuple[str, ...], value: Any) -> None:
    """Write one value into a settings file; comments and all else stay as they are.

    Raises:
        ConfigError: the file can't be read as it is, or not be changed like that.
        OSError: it can't be written.
    """
    text = ""
    if exists(path):
        read_toml(path, Settings)
        text = read_file(path).decode()
    write_whole(linked_file(path), set_in_text(text, keys, value))


def remove_setting(path: Path, keys: tuple[str, ...]) -> None:
    """Remove one value from a settings file, so that its default holds; all else stays as it is.

    Raises:
        ConfigError: the file can't be read as it is, or not be changed like that.
        OSError: it can't be written.
    """
    if exists(path):
        read_toml(path, Settings)
        write_whole(linked_file(path), unset_in_text(read_file(path).decode(), keys))


def linked_file(path: Path) -> Path:
    """Return the file that a link leads to, if it is one. Raises OSError: it leads in a circle."""
    target = os.path.realpath(path)
    if os.path.islink(target):  # noqa: PTH114
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return Path(target)
