"""Changes of a setting in a person's file."""

from pathlib import Path
from typing import Any

from acp_tui.config.errors import exists, read_toml
from acp_tui.config.named_files import read_file
from acp_tui.config.private_files import write_whole
from acp_tui.config.settings import Settings
from acp_tui.config.settings_text import set_in_text


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
    write_whole(path.resolve(), set_in_text(text, keys, value))  # it may be a link
