"""Settings added to a person's own file: at its end, and only if all of it can be read then."""

import json
import re
import tomllib
from pathlib import Path

from acp_tui.config.errors import ConfigError
from acp_tui.config.private_files import write_whole
from acp_tui.config.settings import AgentSettings

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def agent_table(name: str, agent: AgentSettings) -> str:
    """Return an agent's command and variables as the lines of a TOML table."""
    lines = [f"[agents.{_key(name)}]", f"command = [{', '.join(map(_text, agent.command))}]"]
    if agent.env:
        pairs = ", ".join(f"{_key(one)} = {_text(value)}" for one, value in agent.env.items())
        lines.append(f"env = {{ {pairs} }}")
    return "\n".join(lines) + "\n"


def append_to_settings(path: Path, text: str) -> None:
    """Add lines to the end of a settings file, which stays as it is otherwise.

    Raises:
        ConfigError: the file couldn't be read with them.
        OSError: it can't be written.
    """
    before = path.read_text("utf-8") if path.exists() else ""
    gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    after = before + gap + text
    try:
        tomllib.loads(after)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: these lines can't be added: {error}") from None
    write_whole(path.resolve(), after)  # it may be a link into a folder of settings


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    """Quote a text: TOML's escapes are those of JSON, and half a character has none."""
    quoted = json.dumps(value.encode("utf-8", "replace").decode(), ensure_ascii=False)
    return "".join(one if one.isprintable() else _escaped(one) for one in quoted)


def _escaped(character: str) -> str:
    """Write what can't be seen by its number: a direction that turns, or a blank of no width."""
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
