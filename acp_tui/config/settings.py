"""A person's settings, from `settings.toml`."""

import json
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from acp_tui.config.known_agents import Quirk, Remedy
from acp_tui.config.limits import Limits
from acp_tui.config.toml_files import ConfigModel, exists, read_toml

if TYPE_CHECKING:
    from acp_tui.config.remote import Remote

PROJECT_FILE = Path(".acp-tui", "settings.toml")
"""The settings of the project in whose folder the program is started."""
DEFAULT_THEME = "night"
FEW_COLORS_THEME = "terminal"
"""The default where a terminal has 16 colors: other themes' colors would lose their meaning."""
KEPT_RECORDINGS = 50
"""How many recordings are kept."""
KEPT_BYTES = 1024**3
"""How many bytes all recordings may have; more than this no run of checks gets either."""
NARROWEST_PROSE = 20
"""Cells that a line of prose has at least: fewer are a column of pieces of words."""
REMOVED = ("vim_mode",)
"""Settings removed since earlier versions: a file that still has one loads, as it isn't a typo."""


def _prompt_text(value: str) -> str:
    """Return the text of a system prompt. Raises ValueError: a file's text could change after a yes."""
    if value.startswith("@"):
        raise ValueError("give the text itself: only --system-prompt reads a file")
    return value if value.strip() else ""


def _json_object(value: dict[str, Any]) -> dict[str, Any]:
    """Return a table that JSON can hold. Raises ValueError: TOML has dates, and nan."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"JSON can't hold it: {error}") from None
    return value


PromptText = Annotated[str, AfterValidator(_prompt_text)]


About = Literal["question", "turn", "failure"]


class NotifySettings(ConfigModel):
    """`after` is how many seconds a turn must have taken for its end to be told of. With a `command`
    that is how; `{title}` and `{body}` stand in it for the texts.
    """

    when: Literal["unfocused", "always", "never"] = "unfocused"
    how: Literal["auto", "osc9", "osc777", "osc99", "notify-send", "terminal-notifier"] = "auto"
    command: list[str] = []
    about: list[About] = Field(default_factory=lambda: list(get_args(About)))
    after: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 10.0


class FileSettings(ConfigModel):
    """What is done when an agent writes a file that has changed on disk since it knew it."""

    changed: Literal["write", "ask"] = "write"


Protocol = Literal["1", "2", "auto"]
"""The version of ACP that is spoken: `auto` is 2 if the agent can, else 1."""


def _word(value: Any) -> Any:
    """Return a number as a word: in TOML it may be either."""
    return str(value) if type(value) is int else value


def _readable(value: int) -> int:
    """Return a width of prose. Raises ValueError: nobody can read so narrow a column."""
    if 0 != value < NARROWEST_PROSE:
        raise ValueError(f"must be at least {NARROWEST_PROSE}, or 0: as wide as the window")
    return value


class AgentSettings(ConfigModel):
    """How to start an agent by its `command`, or where it is reached: one of the two.

    `protocol` is the version of ACP that is spoken. `system_prompt` is added to the agent's own, or takes its place. Without `cwd` it works in the program's own working directory. It is restarted when what it `watch`es
    changes. Its own `log` is followed, and recorded if wanted; a relative path begins in its folder. `headers` and a token are for a
    `url`: the token is in the variable `token_env`, or printed by `token_command`.
    """

    command: list[str] = []
    env: dict[str, str] = {}
    cwd: str | None = None
    place: str = ""
    client: str = ""
    protocol: Annotated[Protocol | None, BeforeValidator(_word)] = None
    system_prompt: PromptText = ""
    system_prompt_mode: Literal["append", "override"] = "append"
    meta: Annotated[dict[str, Any], AfterValidator(_json_object)] = {}
    watch: list[str] = []
    log: str = ""
    record_log: bool = True
    url: str | None = None
    headers: dict[str, str] = {}
    token_env: str | None = None
    token_command: list[str] = []

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.url is None and (self.headers or self.token_env or self.token_command):
            raise ValueError("headers and tokens are for an agent with a url")
        if self.url is not None and (self.command or self.env or self.place or self.watch):
            raise ValueError(
                "command, env, place and watch are for an agent that acp-tui starts: not for a url"
            )
        if self.client and self.protocol not in (None, "1"):
            raise ValueError(
                "client says what another client of version 1 does: leave out protocol"
            )
        if self.url is None and not self.command:
            raise ValueError("give the command that starts it, or the url where it is")
        self.remote  # noqa: B018  it is checked by being made
        return self

    @property
    def remote(self) -> "Remote | None":
        """Where the agent is reached, and what is sent along; None for a command."""
        if self.url is None:
            return None
        from acp_tui.config.remote import Remote  # few need it

        return Remote(self.url, self.headers, self.token_env, tuple(self.token_command))

    @property
    def words(self) -> str:
        """The command or the address, for people."""
        remote = self.remote
        return " ".join(self.command) if remote is None else remote.shown


class PlaceSettings(ConfigModel):
    """Where agents run: `where` is said as for `--in`. `folder` is what the project's is called there;
    `files = "here"` if it is the same folder. The others are for a sandbox.
    """

    where: str
    folder: str | None = None
    files: Literal["here", "there"] | None = None
    network: bool = True
    read: list[str] = []
    write: list[str] = []


class RestartSettings(ConfigModel):
    """When an agent is started again by itself: times in seconds, each wait twice the one before.

    At `most` failures `within` so long it is left alone; a connection is tried again and again.
    Without a `when` only connections are.
    """

    when: Literal["never", "on-failure"] | None = None
    first_wait: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0
    longest_wait: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 60.0
    most: Annotated[int, Field(ge=1)] = 5
    within: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 300.0


class QuirkSettings(ConfigModel):
    """What an agent needs beside those that are known: `agent` as it calls itself in `agentInfo`."""

    agent: str
    until: str | None = None
    remedy: Literal["missing-file-is-empty"]
    why: str

    def quirk(self) -> Quirk:
        """Return it as the client knows quirks."""
        return Quirk(self.agent, self.until, Remedy(self.remedy), self.why)


class CheckSettings(ConfigModel):
    """What `acp-tui check` asks of models, by the act that it wants."""

    prompts: dict[
        Literal["say", "slow", "write", "edit", "read", "shell", "place", "plan", "ask"], str
    ] = {}


class RecordingSettings(ConfigModel):
    """How many recordings are kept, and how much room all of them have."""

    kept: Annotated[int, Field(ge=1)] = KEPT_RECORDINGS
    gigabytes: Annotated[float, Field(gt=0, le=1e6)] = KEPT_BYTES / 2**30

    @property
    def limit(self) -> int:
        """The room in bytes."""
        return int(self.gigabytes * 2**30)


class CheckpointSettings(ConfigModel):
    """In which folders files are kept before each turn, so that one can go back to them."""

    where: Literal["everywhere", "repositories", "nowhere"] = "everywhere"


class Settings(ConfigModel):
    """All settings with their defaults; an unknown key is an error, as it is likely a typo."""

    @model_validator(mode="before")
    @classmethod
    def _leave_out_removed(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: one for key, one in value.items() if key not in REMOVED}
        return value

    theme: str | None = None  # depends on the terminal
    icons: Literal["unicode", "ascii"] | None = None  # depends on the terminal
    bell: bool = True
    drafts: bool = True
    history: bool = True
    hints: bool = True
    index: bool = True
    otel: bool = False
    prose_width: Annotated[int, AfterValidator(_readable)] = 110
    fold_pastes: Annotated[int, Field(ge=0)] = 12
    system_prompt: PromptText = ""
    max_quota: Annotated[float, Field(gt=0, le=100)] | None = None
    restart: RestartSettings = Field(default_factory=RestartSettings.model_construct)
    recordings: RecordingSettings = Field(default_factory=RecordingSettings.model_construct)
    files: FileSettings = Field(default_factory=FileSettings.model_construct)
    checkpoints: CheckpointSettings = Field(default_factory=CheckpointSettings.model_construct)
    agents: dict[str, AgentSettings] = {}
    places: dict[str, PlaceSettings] = {}
    limits: Limits = Field(default_factory=Limits.model_construct)
    notify: NotifySettings = Field(default_factory=NotifySettings.model_construct)
    quirks: dict[str, QuirkSettings] = {}
    check: CheckSettings = Field(default_factory=CheckSettings.model_construct)
    keys: dict[str, dict[str, str]] = {}  # read by ui/keymap.py
    key_preset: Literal["default", "emacs", "vim"] = "default"
    permissions: list[dict[str, Any]] = []  # read by config/policy.py


MARK = "ACP_TUI_GROUP"
"""The variable that marks what was started by us: it is no setting."""
GIVEN: dict[str, str] = {}
"""What `--setting NAME=VALUE` said: it holds for this process, and wins over all else."""


@cache
def _defaults() -> Settings:
    """Return the default settings without validating them: building the schema would slow down a start."""
    return Settings.model_construct()


def load_settings(path: Path) -> Settings:
    """Load the settings: of a file, if there is one, then of the folder's project, if it is trusted,
    then of variables and `--setting`.

    Raises:
        ConfigError: they are there but can't be used.
    """
    settings = read_toml(path, Settings) if exists(path) else _defaults()
    if not GIVEN and not exists(PROJECT_FILE) and not any(map(_is_ours, os.environ)):
        return settings
    from acp_tui.config.layers import layered  # most starts have none of these

    return layered(settings, PROJECT_FILE, os.environ)


def _is_ours(variable: str) -> bool:
    return variable.startswith("ACP_TUI_") and variable != MARK
