"""The table of all settings: name, kind, default, and where each may be set."""

from collections.abc import Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from acp_tui.config.settings import Settings
from acp_tui.config.toml_files import ConfigModel

PREFIX = "ACP_TUI_"
"""The prefix of variables that set something."""
_WORDS = {
    "theme": "colors: a built-in theme, or one of yours; by default `night`, or `terminal` if there are"
    " only 16 colors",
    "icons": "characters to draw with; by default what the terminal can show",
    "bell": "ring when a question waits for you",
    "drafts": "keep what you wrote and didn't send, even if the program is killed",
    "history": "keep the prompts that you send, for Up and Ctrl+R in later runs; never one that begins with"
    " a space",
    "hints": "hint in the empty prompt at keys that you haven't used yet",
    "index": "keep the index of `acp-tui find` up to date while you don't type",
    "otel": "export spans and metrics",
    "prose_width": "maximum width of a line of prose, at least 20; 0: as wide as the window",
    "recordings.kept": "how many recordings are kept; older ones are deleted when another one begins",
    "recordings.gigabytes": "how much all of them together, or a single one, may take; one that has become"
    " too large has ended for good",
    "system_prompt": "instructions for each session, after the agent's own; best in a project's file, which you"
    " trust first",
    "max_quota": "begin no turn when this much of a limit of your plan is used, as the agent reports it",
    "fold_pastes": "a paste of more lines is folded in the prompt; 0: none is",
    "restart.when": "`on-failure` restarts a failed agent; by default only lost connections are opened again",
    "restart.first_wait": "seconds before the first restart; each wait is twice as long as the one before",
    "restart.longest_wait": "the longest wait, in seconds",
    "restart.most": "stop after this many failures",
    "restart.within": "within this many seconds",
    "files.changed": "ask before an agent overwrites what others have changed, or just write",
    "checkpoints.where": "keep the files before each turn, to go back to them with Alt+U:"
    " everywhere but in your home folder itself, only in git repositories, or nowhere",
    "limits.other": "seconds for all other answers of an agent",
    "limits.disk": "seconds that a disk may take to read a file for the agent",
    "limits.question": "seconds that you may take to answer before it is canceled; no limit by default",
    "limits.silence": "seconds without a frame during a turn before you are told",
    "notify.when": "when you get desktop notifications",
    "notify.how": "what shows a notification",
    "notify.command": "a command of yours in place of `how`, with `{title}` and `{body}`",
    "notify.about": "what you are notified about",
    "notify.after": "seconds that a turn must take for its end to be worth a notification",
    "agents.NAME.command": "what starts the agent",
    "agents.NAME.env": "variables for it",
    "agents.NAME.cwd": "the folder that it starts in",
    "agents.NAME.place": "where it runs: a place of `[places]`, or as for `--in`",
    "agents.NAME.client": "act as another client",
    "agents.NAME.protocol": "the version of ACP that is spoken",
    "agents.NAME.system_prompt": "instructions for each of its sessions",
    "agents.NAME.system_prompt_mode": "whether they are added to the agent's own, or replace them",
    "agents.NAME.meta": "what is put into the `_meta` of each of its sessions",
    "agents.NAME.watch": "restart it when one of these changes",
    "agents.NAME.log": "its own log file, to follow",
    "agents.NAME.record_log": "also record that log",
    "agents.NAME.url": "its address, instead of a command",
    "agents.NAME.headers": "HTTP headers for the url",
    "agents.NAME.token_env": "the variable that holds the token for the url",
    "agents.NAME.token_command": "the command that prints the token for the url",
    "places.NAME.where": "where agents run, as for `--in`",
    "places.NAME.folder": "what the project's folder is called there",
    "places.NAME.files": "`here` if it is the same folder",
    "places.NAME.network": "let a sandbox reach the network",
    "places.NAME.read": "what else a sandbox may read",
    "places.NAME.write": "what else a sandbox may write",
    "quirks.NAME.agent": "the agent's name for itself",
    "quirks.NAME.until": "the last version that needs it; by default all need it",
    "quirks.NAME.remedy": "what is done for it",
    "quirks.NAME.why": "why it is needed",
    "check.prompts": "the prompt for each action that `acp-tui check` wants from models",
    "keys": "other keys for what some do: [keys](keys.md)",
    "key_preset": "keys as fingers know them from another editor",
    "permissions": "rules about permissions: [permissions](permissions.md)",
}
_FLAGS = {
    "max_quota": "--max-quota",
    "theme": "--theme",
    "otel": "--otel, --no-otel",
    "restart.when": "--restart",
    "agents.NAME.place": "--in",
    "agents.NAME.cwd": "--cwd",
    "agents.NAME.client": "--as",
    "agents.NAME.protocol": "--protocol",
    "agents.NAME.system_prompt": "--system-prompt",
    "agents.NAME.system_prompt_mode": "--system-prompt-mode",
    "agents.NAME.meta": "--meta",
    "agents.NAME.watch": "--watch",
    "agents.NAME.log": "--agent-log",
    "agents.NAME.url": "--connect",
    "agents.NAME.env": "--env",
} | {f"limits.{one}": "--timeout" for one in ("initialize", "new", "load", "resume", "list")}
_UNITS = {
    "prose_width": "cells",
    "fold_pastes": "lines",
    "max_quota": "percent",
    "restart.first_wait": "s",
    "restart.longest_wait": "s",
    "restart.most": "failures",
    "restart.within": "s",
    "recordings.gigabytes": "GB",
    "notify.after": "s",
}
_UNSET = {
    "theme": "automatic",
    "icons": "automatic",
    "restart.when": "connections",
    "limits.question": "no limit",
    "max_quota": "no limit",
}
"""The words for a setting without a value."""
_OF_PROJECTS = (
    "theme",
    "icons",
    "bell",
    "prose_width",
    "system_prompt",
    "notify.when",
    "notify.about",
    "notify.after",
)
_LATE = ("agents.", "places.", "quirks.", "check.", "permissions")
"""Prefixes of the names of settings that are only read at the start."""
_FROM_NEXT_ON = {
    "otel": "from the next turn on",
    "system_prompt": "from the next start on",
    "max_quota": "from the next start on",
    "recordings.kept": "when the next recording begins",
}
"""When a change of other settings takes effect, if not at once."""


class Setting(NamedTuple):
    """One setting: its keys, its annotation, and its default."""

    keys: tuple[str, ...]
    hint: Any
    default: Any

    @property
    def name(self) -> str:
        """The keys, joined with dots."""
        return ".".join(self.keys)

    @property
    def words(self) -> str:
        """A phrase for what it does."""
        if self.keys[0] != "limits" or self.name in _WORDS:
            return _WORDS[self.name]
        method = self.keys[-1]
        if method not in ("initialize", "authenticate", "logout"):
            method = f"session/{method}"
        return f"seconds that an agent may take to answer `{method}`"

    @property
    def unit(self) -> str:
        """The unit of a number; empty if its name has it."""
        return "s" if self.keys[0] == "limits" else _UNITS.get(self.name, "")

    def formatted(self, value: Any) -> str:
        """Format a value for people: a number with its unit, words where nothing is set."""
        if value is None or value == []:
            return _UNSET.get(self.name, "none")
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int | float):
            return f"{value:g} {self.unit}".rstrip()
        return ", ".join(value) if isinstance(value, list) else str(value)

    @property
    def variable(self) -> str:
        """The environment variable that sets it; "" if there is none, as for settings of named tables."""
        plain = "NAME" not in self.keys and self.name not in (
            "permissions",
            "check.prompts",
            "keys",
        )
        return PREFIX + "_".join(self.keys).upper() if plain else ""

    @property
    def flag(self) -> str:
        """The command line's options that set it for one run."""
        return _FLAGS.get(self.name, "")

    @property
    def in_projects(self) -> bool:
        """Whether a project that is trusted may set it: it runs nothing and allows nothing."""
        return self.name in _OF_PROJECTS

    @property
    def is_deferred(self) -> bool:
        """Whether a change takes effect later, not at once."""
        return self.name.startswith(_LATE) or self.name in _FROM_NEXT_ON

    @property
    def takes_effect(self) -> str:
        """When a change takes effect, whether made on the screen or in the file."""
        late = _FROM_NEXT_ON.get(self.name, "from the next start on")
        return late if self.is_deferred else "from now on"

    @property
    def kind(self) -> str:
        """The kind of value, for people."""
        return _kind(self.hint)

    @property
    def expected(self) -> str:
        """The kind of value with its unit: `number of seconds`."""
        unit = {"s": " of seconds", "": ""}.get(self.unit, f" of {self.unit}")
        return "a theme" if self.name == "theme" else f"{self.kind}{unit}"

    @property
    def sentence(self) -> str:
        """What it does, as a sentence."""
        words = self.words.replace("`", "")
        return f"{words[:1].upper()}{words[1:]}."

    def of(self, settings: Settings) -> Any:
        """Return its value in these settings."""
        value: Any = settings
        for key in self.keys:
            value = getattr(value, key)
        return value

    def is_in(self, settings: Settings) -> bool:
        """Return whether this setting was given in these settings, not left to its default."""
        value: Any = settings
        for key in self.keys:
            if key not in value.model_fields_set:
                return False
            value = getattr(value, key)
        return True


@cache
def all_settings() -> tuple[Setting, ...]:
    """List every setting, in the order of the code."""
    return tuple(_walk_fields(Settings, ()))


def settings_by_name() -> dict[str, Setting]:
    """Return the settings that a variable can set, by their names: not those of named tables."""
    return {one.name: one for one in all_settings() if one.variable}


def nest_in_tables(keys: tuple[str, ...], value: Any) -> dict[str, Any]:
    """Wrap a value in the tables that hold it in a file."""
    first, *rest = keys
    return {first: nest_in_tables(tuple(rest), value) if rest else value}


def _walk_fields(model: type[ConfigModel], above: tuple[str, ...]) -> Iterator[Setting]:
    for key, field in model.model_fields.items():
        hint: Any = field.annotation
        keys, inner = (*above, key), hint
        entries: Any = get_origin(hint)
        if entries is dict and isinstance(get_args(hint)[1], type):
            keys, inner = (*keys, "NAME"), get_args(hint)[1]
        if isinstance(inner, type) and issubclass(inner, ConfigModel):
            yield from _walk_fields(inner, keys)
        else:
            required = field.is_required()
            default = None if required else field.get_default(call_default_factory=True)
            yield Setting((*above, key), hint, default)


def _kind(hint: Any) -> str:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _kind(args[0])
    if origin in (Union, UnionType):
        return " or ".join(_kind(one) for one in args if one is not NoneType)
    if origin is Literal:
        return ", ".join(map(str, args))
    if origin is list:
        return f"list of {_kind(args[0])}"
    if origin is dict:
        return "table"
    return {bool: "true, false", int: "whole number", float: "number", str: "text"}[hint]
