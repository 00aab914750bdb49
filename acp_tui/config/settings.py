"""The user's settings, as a model of `settings.toml`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from acp_tui.config.known_agents import Quirk, Remedy
from acp_tui.config.limits import Limits
from acp_tui.config.toml_files import ConfigModel

if TYPE_CHECKING:
    from acp_tui.config.remote import Remote

PROJECT_FILE = Path(".acp-tui", "settings.toml")
"""The settings file of a project, relative to the folder in which the program is started."""
DEFAULT_THEME = "night"
FEW_COLORS_THEME = "terminal"
"""Default theme for a terminal without true color, where the colors of other themes would lose
their meaning.
"""
KEPT_RECORDINGS = 50
"""Default for the number of recordings that are kept."""
KEPT_BYTES = 1024**3
"""Default for the bytes that all recordings may take together; also the limit for one run of
checks.
"""
NARROWEST_PROSE = 20
"""Least width of prose, in cells: narrower lines would break most words."""
MARK = "ACP_TUI_GROUP"
"""Environment variable that marks our child processes; not a setting."""
REMOVED = ("vim_mode",)
"""Settings of earlier versions, which are ignored: a file that still has one isn't an error."""


def _check_prompt(value: str) -> str:
    """Return the text of a system prompt, "" for a blank one. Raises ValueError if it names a file.

    A project's settings are trusted by content: a file that they name could change afterward.
    """
    if value.startswith("@"):
        raise ValueError("give the text itself: only --system-prompt reads a file")
    return value if value.strip() else ""


def _check_json(value: dict[str, Any]) -> dict[str, Any]:
    """Return the table. Raises ValueError for values that JSON lacks, such as TOML's dates and nan."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"JSON can't hold it: {error}") from None
    return value


PromptText = Annotated[str, AfterValidator(_check_prompt)]
About = Literal["question", "turn", "failure"]


class NotifySettings(ConfigModel):
    """When and how desktop notifications are shown.

    The end of a turn is notified if the turn took at least `after` seconds. A `command` replaces
    `how`; in it, `{title}` and `{body}` are placeholders.
    """

    when: Literal["unfocused", "always", "never"] = "unfocused"
    how: Literal["auto", "osc9", "osc777", "osc99", "notify-send", "terminal-notifier"] = "auto"
    command: list[str] = []
    about: list[About] = Field(default_factory=lambda: list(get_args(About)))
    after: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 10.0


class FileSettings(ConfigModel):
    """What to do when an agent writes a file that has changed on disk since the agent read it."""

    changed: Literal["write", "ask"] = "write"


Protocol = Literal["1", "2", "auto"]
"""The version of ACP to speak. 2 is a preview; `auto` is 2 if the agent supports it, else 1."""


def _number_as_text(value: Any) -> Any:
    """Convert a number to text, as the quotes may be omitted."""
    return str(value) if type(value) is int else value


def _check_width(value: int) -> int:
    """Return the width of prose. Raises ValueError if it is too narrow to read."""
    if 0 != value < NARROWEST_PROSE:
        raise ValueError(f"must be at least {NARROWEST_PROSE}, or 0: as wide as the window")
    return value


class AgentSettings(ConfigModel):
    """How to reach an agent: by the `command` that starts it, or by its `url`, but not both.

    `protocol` is the version of ACP to speak. `system_prompt` is added to the agent's own, or
    replaces it. Without `cwd` the agent works in the program's working directory. It is restarted
    when a path in `watch` changes. Its own `log` is followed, and recorded with `record_log`; a
    relative path starts in the agent's folder. `headers` and a token are for a `url`: the token is
    in the variable `token_env`, or printed by `token_command`.
    """

    command: list[str] = []
    env: dict[str, str] = {}
    cwd: str | None = None
    place: str = ""
    client: str = ""
    protocol: Annotated[Protocol | None, BeforeValidator(_number_as_text)] = None
    system_prompt: PromptText = ""
    system_prompt_mode: Literal["append", "override"] = "append"
    meta: Annotated[dict[str, Any], AfterValidator(_check_json)] = {}
    watch: list[str] = []
    log: str = ""
    record_log: bool = True
    url: str | None = None
    headers: dict[str, str] = {}
    token_env: str | None = None
    token_command: list[str] = []

    @model_validator(mode="after")
    def _check_start(self) -> Self:
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
        self.remote  # noqa: B018  making a Remote validates the address
        return self

    @property
    def remote(self) -> "Remote | None":
        """The agent's URL with its headers and token; None for a command."""
        if self.url is None:
            return None
        from acp_tui.config.remote import Remote  # rarely needed

        return Remote(self.url, self.headers, self.token_env, tuple(self.token_command))

    @property
    def words(self) -> str:
        """The command or the URL, for display."""
        remote = self.remote
        return " ".join(self.command) if remote is None else remote.shown


class PlaceSettings(ConfigModel):
    """A place where agents run: `where` has the syntax of `--in`.

    `folder` is the project's folder in that place; `files` is "here" if it is the same folder. The
    other settings are for a sandbox.
    """

    where: str
    folder: str | None = None
    files: Literal["here", "there"] | None = None
    network: bool = True
    read: list[str] = []
    write: list[str] = []


class RestartSettings(ConfigModel):
    """When an agent is restarted automatically. Times are in seconds, and each wait is twice the
    previous one.

    After `most` failures `within` that time the agent stays stopped; a lost connection is always
    retried. If `when` is None, only lost connections are retried.
    """

    when: Literal["never", "on-failure"] | None = None
    first_wait: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0
    longest_wait: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 60.0
    most: Annotated[int, Field(ge=1)] = 5
    within: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 300.0


class QuirkSettings(ConfigModel):
    """A quirk that the user adds to the known ones: `agent` is the name in its `agentInfo`."""

    agent: str
    until: str | None = None
    remedy: Literal["missing-file-is-empty"]
    why: str

    def quirk(self) -> Quirk:
        """Convert to the client's form of a quirk."""
        return Quirk(self.agent, self.until, Remedy(self.remedy), self.why)


class CheckSettings(ConfigModel):
    """The prompts of `acp-tui check`, by the act that each requests from the model."""

    prompts: dict[
        Literal["say", "slow", "write", "edit", "read", "shell", "place", "plan", "ask"], str
    ] = {}


class RecordingSettings(ConfigModel):
    """How many recordings are kept, and how much space they may take together."""

    kept: Annotated[int, Field(ge=1)] = KEPT_RECORDINGS
    gigabytes: Annotated[float, Field(gt=0, le=1e6)] = KEPT_BYTES / 2**30

    @property
    def limit(self) -> int:
        """The space in bytes."""
        return int(self.gigabytes * 2**30)


class CheckpointSettings(ConfigModel):
    """For which folders files are stored before each turn, so that a turn can be rewound."""

    where: Literal["everywhere", "repositories", "nowhere"] = "everywhere"


class Settings(ConfigModel):
    """All settings with their defaults. An unknown key is an error, as it is probably a typo.

    `settings_table.toml` describes each setting.
    """

    @model_validator(mode="before")
    @classmethod
    def _leave_out_removed(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: one for key, one in value.items() if key not in REMOVED}
        return value

    # The screen
    theme: str | None = None  # the default depends on the terminal
    icons: Literal["unicode", "ascii"] | None = None  # the default depends on the terminal
    prose_width: Annotated[int, AfterValidator(_check_width)] = 110
    hints: bool = True
    bell: bool = True
    notify: NotifySettings = Field(default_factory=NotifySettings.model_construct)

    # The keyboard and the prompt
    key_preset: Literal["default", "emacs", "vim"] = "default"
    keys: dict[str, dict[str, str]] = {}  # parsed by ui/keymap.py
    fold_pastes: Annotated[int, Field(ge=0)] = 12

    # Agents and their turns
    system_prompt: PromptText = ""
    max_quota: Annotated[float, Field(gt=0, le=100)] | None = None
    agents: dict[str, AgentSettings] = {}
    places: dict[str, PlaceSettings] = {}
    quirks: dict[str, QuirkSettings] = {}
    restart: RestartSettings = Field(default_factory=RestartSettings.model_construct)
    limits: Limits = Field(default_factory=Limits.model_construct)

    # File access
    permissions: list[dict[str, Any]] = []  # parsed by config/policy.py
    files: FileSettings = Field(default_factory=FileSettings.model_construct)
    checkpoints: CheckpointSettings = Field(default_factory=CheckpointSettings.model_construct)

    # Stored and exported data
    drafts: bool = True
    history: bool = True
    recordings: RecordingSettings = Field(default_factory=RecordingSettings.model_construct)
    index: bool = True
    otel: bool = False

    check: CheckSettings = Field(default_factory=CheckSettings.model_construct)
