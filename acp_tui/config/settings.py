"""A person's settings, from `settings.toml`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from acp_tui.config.errors import exists, read_toml
from acp_tui.config.limits import Limits
from acp_tui.config.notify import NotifySettings
from acp_tui.config.quirks import Quirk, Remedy
from acp_tui.structs import After, Before, Struct, Where, field

if TYPE_CHECKING:
    from acp_tui.config.remote import Remote

PROJECT_FILE = Path(".acp-tui", "settings.toml")
"""The settings of the project in whose folder the program is started."""
DEFAULT_THEME = "night"
FEW_COLORS_THEME = "terminal"
"""The default where a terminal has 16 colors: other themes' colors would lose their meaning."""
KEPT = 50
"""How many recordings are kept."""
KEPT_BYTES = 1024**3
"""How many bytes all recordings may have; more than this no run of checks gets either."""
NARROWEST_PROSE = 20
"""Cells that a line of prose has at least: fewer are a column of pieces of words."""
REMOVED = ("vim_mode",)
"""Settings removed since earlier versions: a file that still has one loads, as it isn't a typo."""


class FileSettings(Struct):
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


class AgentSettings(Struct):
    """How to start an agent by its `command`, or where it is reached: one of the two.

    `protocol` is the version of ACP that is spoken. Without `cwd` it works in the program's own working directory. It is restarted when what it `watch`es
    changes. Its own `log` is followed, and recorded if wanted; a relative path begins in its folder. `headers` and a token are for a
    `url`: the token is in the variable `token_env`, or printed by `token_command`.
    """

    command: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    cwd: str | None = None
    place: str = ""
    client: str = ""
    protocol: Annotated[Protocol | None, Before(_word)] = None
    watch: list[str] = field(default_factory=list)
    log: str = ""
    record_log: bool = True
    url: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    token_env: str | None = None
    token_command: list[str] = field(default_factory=list)

    def _validated(self, _: Any) -> None:
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


class PlaceSettings(Struct):
    """Where agents run: `where` is said as for `--in`. `folder` is what the project's is called there;
    `files = "here"` if it is the same folder. The others are for a sandbox.
    """

    where: str
    folder: str | None = None
    files: Literal["here", "there"] | None = None
    network: bool = True
    read: list[str] = field(default_factory=list)
    write: list[str] = field(default_factory=list)


class RestartSettings(Struct):
    """When an agent is started again by itself: times in seconds, each wait twice the one before.

    At `most` failures `within` so long it is left alone; a connection is tried again and again.
    Without a `when` only connections are.
    """

    when: Literal["never", "on-failure"] | None = None
    first_wait: Annotated[float, Where(ge=0, allow_inf_nan=False)] = 1.0
    longest_wait: Annotated[float, Where(ge=0, allow_inf_nan=False)] = 60.0
    most: Annotated[int, Where(ge=1)] = 5
    within: Annotated[float, Where(gt=0, allow_inf_nan=False)] = 300.0


class QuirkSettings(Struct):
    """What an agent needs beside those that are known: `agent` as it calls itself in `agentInfo`."""

    agent: str
    until: str | None = None
    remedy: Literal["missing-file-is-empty"]
    why: str

    def quirk(self) -> Quirk:
        """Return it as the client knows quirks."""
        return Quirk(self.agent, self.until, Remedy(self.remedy), self.why)


class CheckSettings(Struct):
    """What `acp-tui check` asks of models, by the act that it wants."""

    prompts: dict[
        Literal["say", "slow", "write", "edit", "read", "shell", "place", "plan", "ask"], str
    ] = field(default_factory=dict)


class RecordingSettings(Struct):
    """How many recordings are kept, and how much room all of them have."""

    kept: Annotated[int, Where(ge=1)] = KEPT
    gigabytes: Annotated[float, Where(gt=0, le=1e6)] = KEPT_BYTES / 2**30

    @property
    def limit(self) -> int:
        """The room in bytes."""
        return int(self.gigabytes * 2**30)


class CheckpointSettings(Struct):
    """In which folders files are kept before each turn, so that one can go back to them."""

    where: Literal["everywhere", "repositories", "nowhere"] = "everywhere"


class Settings(Struct):
    """All settings with their defaults; an unknown key is an error, as it is likely a typo."""

    @classmethod
    def model_validate(cls, value: Any) -> Self:
        """Read a value, without the settings that were removed.

        Raises:
            pydantic_core.ValidationError: it isn't what the class says.
        """
        if isinstance(value, dict):
            value = {key: one for key, one in value.items() if key not in REMOVED}
        return super().model_validate(value)

    theme: str | None = None  # depends on the terminal
    icons: Literal["unicode", "ascii"] | None = None  # depends on the terminal
    bell: bool = True
    drafts: bool = True
    history: bool = True
    hints: bool = True
    index: bool = True
    otel: bool = False
    prose_width: Annotated[int, After(_readable)] = 110
    fold_pastes: Annotated[int, Where(ge=0)] = 12
    restart: RestartSettings = field(default_factory=RestartSettings)
    recordings: RecordingSettings = field(default_factory=RecordingSettings)
    files: FileSettings = field(default_factory=FileSettings)
    checkpoints: CheckpointSettings = field(default_factory=CheckpointSettings)
    agents: dict[str, AgentSettings] = field(default_factory=dict)
    places: dict[str, PlaceSettings] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    notify: NotifySettings = field(default_factory=NotifySettings)
    quirks: dict[str, QuirkSettings] = field(default_factory=dict)
    check: CheckSettings = field(default_factory=CheckSettings)
    keys: dict[str, dict[str, str]] = field(default_factory=dict)  # read by ui/keymap.py
    key_preset: Literal["default", "emacs", "vim"] = "default"
    permissions: list[dict[str, Any]] = field(default_factory=list)  # read by config/policy.py


MARK = "ACP_TUI_GROUP"
"""The variable that marks what was started by us: it is no setting."""
GIVEN: dict[str, str] = {}
"""What `--setting NAME=VALUE` said: it holds for this process, and wins over all else."""


def load_settings(path: Path) -> Settings:
    """Load the settings: of a file, if there is one, then of the folder's project, if it is trusted,
    then of variables and `--setting`.

    Raises:
        ConfigError: they are there but can't be used.
    """
    settings = read_toml(path, Settings) if exists(path) else Settings()
    if not GIVEN and not exists(PROJECT_FILE) and not any(map(_is_ours, os.environ)):
        return settings
    from acp_tui.config.layers import layered  # most starts have none of these

    return layered(settings, PROJECT_FILE, os.environ)


def _is_ours(variable: str) -> bool:
    return variable.startswith("ACP_TUI_") and variable != MARK
