"""How an agent is started, and what its sessions begin with."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from acp_tui.client.capabilities import capabilities_to_offer
from acp_tui.client.place import THIS_MACHINE, Place
from acp_tui.config.client_profiles import ClientProfile, find_profile
from acp_tui.config.known_agents import Quirk
from acp_tui.config.limits import Limits
from acp_tui.config.settings import AgentSettings, PlaceSettings, Protocol, RestartSettings
from acp_tui.config.toml_files import ConfigError
from acp_tui.policy.rules import Rule, RuleScope, inactive_patterns
from acp_tui.protocol.content import TextContent
from acp_tui.protocol.events import Event
from acp_tui.protocol.frames import DEFAULT_LIMIT
from acp_tui.protocol.initialization import ClientCapabilities
from acp_tui.protocol.setup import SystemPrompt
from acp_tui.protocol.trace_context import TraceParent, read_traceparent
from acp_tui.state.commands import NewSession, SessionCommand
from acp_tui.store.project_rules import ProjectRules
from acp_tui.text import join_surrogates

if TYPE_CHECKING:
    from acp_tui.config.remote import Remote
    from acp_tui.config.trust import TrustStore
    from acp_tui.workspace.mcp_servers import ProjectServers


Notify = Callable[[str, str], None]
"""Reports a problem: a title, and a description."""


class Budget(NamedTuple):
    """Limits of a turn and a session; None is no limit.

    A turn may take `seconds`, not counting the user's time to answer. A session may use a `cost`,
    in the agent's currency, and `tokens`. No turn begins once `quota` percent of a limit of the
    agent's plan is used.
    """

    seconds: float | None = None
    cost: float | None = None
    tokens: int | None = None
    quota: float | None = None


@dataclass(frozen=True, slots=True)
class GateOptions:
    """What the gate does from the start: holds frames that match a breakpoint, and injects faults.

    The same `seed` gives the same faults.
    """

    breakpoints: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    seed: int = 0


def make_system_prompt(text: str, mode: str) -> SystemPrompt:
    """Return a system prompt of one text; what isn't UTF-8 in an argument is replaced."""
    return SystemPrompt(mode=mode, content=[TextContent(text=join_surrogates(text))])


@dataclass(frozen=True, slots=True)
class SessionStart:
    """What each session is opened with.

    It is given the `system_prompt`, and the `project_prompt` after it. `meta` is in the `_meta` of
    the request that opens it. `choices` are names and values of options, used if the agent lists its
    options in advance.
    """

    system_prompt: SystemPrompt | None = None
    project_prompt: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)
    choices: tuple[tuple[str, str], ...] = ()

    def whole_system_prompt(self) -> SystemPrompt | None:
        """Return the system prompt with that of the project after it, in the same mode."""
        own = self.system_prompt
        if not self.project_prompt:
            return own
        project = make_system_prompt(self.project_prompt, "append" if own is None else own.mode)
        if own is None:
            return project
        return project.model_copy(update={"content": [*own.content, *project.content]})


@dataclass(frozen=True, slots=True)
class McpServers:
    """The MCP servers that sessions are given, in ACP's form.

    Those of the `project` wait for the user's trust, which the `trust_store` saves.
    """

    given: tuple[Mapping[str, Any], ...] = ()
    project: "ProjectServers | None" = None
    trust_store: "TrustStore | None" = None


class TraceIds:
    """Makes a `traceparent` for each request: that of the span which the request becomes.

    All are in the trace of the environment's `parent`; without one each request begins a trace.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.parent = read_traceparent(environment.get("TRACEPARENT", ""))

    def facts(self) -> dict[str, str | None]:
        """Return the parent trace, for a recording's header."""
        return {"parent": None if self.parent is None else str(self.parent)}

    def meta(self) -> dict[str, str]:
        """Return the trace fields for the `_meta` of the next request."""
        known = self.parent or TraceParent(_random(16), 0)
        return {"traceparent": str(known._replace(span_id=_random(8)))}


def _random(size: int) -> int:
    return int.from_bytes(os.urandom(size), "big") or 1


@dataclass(frozen=True, slots=True)
class SpanExport:
    """How the work of an agent is exported as spans.

    With a `trace` each request gets its own `traceparent`. `follower` makes a listener of one
    agent's events, which may notify the user. `use` starts or stops the export and returns its
    trace; it raises ImportError if a package is missing.
    """

    trace: TraceIds | None = None
    follower: Callable[[Notify], Callable[[Event], None]] | None = None
    use: Callable[[bool], TraceIds | None] | None = None


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start an agent, or connect to a remote one, and what to do first."""

    # What is started, and where
    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str] = field(default_factory=dict)
    remote: "Remote | None" = None
    """Where to connect to, instead of starting `argv`."""
    place: str = ""
    """Where the agent runs: a name in `places`, or as in `--in`; "" for this machine."""
    places: Mapping[str, PlaceSettings] = field(default_factory=dict)
    additional_directories: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    line_limit: int = DEFAULT_LIMIT
    """The bytes of the longest line that is read."""
    restart: RestartSettings = field(default_factory=lambda: RestartSettings(when="never"))
    """What happens when the agent fails."""
    watched: tuple[Path, ...] = ()
    """Files and folders; when one of them changes, the agent is restarted."""

    # How the client presents itself
    protocol: Protocol = "1"
    """The version to ask for; "auto" is 2 with a fallback to 1."""
    handshake: bool = True
    """Without it only what the user sends is sent."""
    capabilities: ClientCapabilities = field(default_factory=capabilities_to_offer)
    profile: ClientProfile | None = None
    """Another client, as which ours presents itself."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """Added to the `_meta` of every request."""
    quirks: tuple[Quirk, ...] | None = ()
    """The user's own, which are worked around as the known ones are; None works around nothing."""

    # Sessions and turns
    opening: SessionCommand | None = field(default_factory=NewSession)
    """What opens the first session; None opens none."""
    session: SessionStart = field(default_factory=SessionStart)
    mcp: McpServers = field(default_factory=McpServers)
    budget: Budget = field(default_factory=Budget)
    """Turns and sessions over it are canceled."""

    # What the agent may do
    rules: tuple[Rule, ...] = ()
    """The rules in force from the start; the user's new ones are saved in `project_rules`."""
    project_rules: ProjectRules | None = None
    ask_if_changed: bool = False
    """Whether to ask before a file is overwritten that changed since the agent knew it."""
    backups: bool = True
    """Whether overwritten files are stored, so that writes can be undone."""

    # What is shown, recorded and exported
    remarks: tuple[str, ...] = ()
    """Shown at the start."""
    gate: GateOptions = field(default_factory=GateOptions)
    export: SpanExport = field(default_factory=SpanExport)
    agent_log: Path | None = None
    """The agent's own log: its lines appear among the frames, and in the recording if
    `records_agent_log`.
    """
    records_agent_log: bool = True
    last_seen: Path | None = None
    """Where to store what the agent reports of itself."""

    @property
    def shown_command(self) -> tuple[str, ...]:
        """The command that starts the agent; of a remote one the address, without secrets."""
        return self.argv if self.remote is None else (self.remote.shown,)

    @property
    def program(self) -> str:
        """The program that is started, or the host."""
        return self.argv[0] if self.remote is None else self.remote.host

    def find_place(self) -> Place:
        """Return where the agent runs."""
        if not self.place:
            return THIS_MACHINE
        from acp_tui.client.place_kinds import find_place

        return find_place(self.place, self.places, self.cwd, self.additional_directories)


def launch_of(settings: AgentSettings, base: Launch) -> Launch:
    """Return the launch of another agent in addition to the one of `base`, with its own session."""
    cwd = os.path.realpath(Path(settings.cwd).expanduser()) if settings.cwd else base.cwd
    launch = replace(
        _with_profile(settings, base),
        argv=command_of(settings),
        remote=settings.remote,
        env=settings.env,
        place=settings.place or base.place,
        protocol=settings.protocol or base.protocol,
        agent_log=Path(cwd, Path(settings.log).expanduser()) if settings.log else None,
        records_agent_log=settings.record_log,
        watched=tuple(Path(name).expanduser().absolute() for name in settings.watch),
        session=replace(
            base.session,
            system_prompt=base.session.system_prompt or _prompt_of(settings),
            meta={**settings.meta, **base.session.meta},
        ),
        opening=NewSession(),
    )
    return launch if cwd == base.cwd else in_folder(launch, cwd)


def _prompt_of(settings: AgentSettings) -> SystemPrompt | None:
    text = settings.system_prompt
    return make_system_prompt(text, settings.system_prompt_mode) if text else None


def _with_profile(settings: AgentSettings, base: Launch) -> Launch:
    """Return a launch with the client profile of the settings, unless the command line has one."""
    if base.profile is not None or not settings.client:
        return base
    try:
        return replace(base, profile=find_profile(settings.client))
    except ConfigError as error:
        return replace(base, remarks=(*base.remarks, f"client: {error}"))


def in_folder(launch: Launch, cwd: str) -> Launch:
    """Return the launch for another folder, with that folder's rules and MCP servers."""
    remarks: list[str] = []
    rules = [rule for rule in launch.rules if rule.scope is not RuleScope.PROJECT]
    try:
        project = launch.project_rules.load(cwd) if launch.project_rules is not None else ()
        rules += project
        remarks += [one.words for one in inactive_patterns(project)]
    except ConfigError as error:
        remarks.append(str(error))
    mcp = launch.mcp
    decided = cwd == launch.cwd and mcp.project is None
    if mcp.trust_store is not None and not decided:
        from acp_tui.workspace.mcp_servers import gather_servers, of_each_name

        found = gather_servers((), cwd, mcp.trust_store, os.environ)
        servers = of_each_name([*map(dict, mcp.given), *found.servers])
        mcp = replace(mcp, given=tuple(servers), project=found.project)
        remarks += found.left_out
    return replace(launch, cwd=cwd, mcp=mcp, rules=tuple(rules), remarks=tuple(remarks))


def as_placed(launch: Launch) -> Launch:
    """Return the launch without the local project's rules and servers, if the agent's files are
    elsewhere.
    """
    if not launch.find_place().elsewhere:
        return launch
    rules = tuple(rule for rule in launch.rules if rule.scope is not RuleScope.PROJECT)
    mcp = replace(launch.mcp, project=None)
    return replace(launch, rules=rules, project_rules=None, mcp=mcp)


def command_of(settings: AgentSettings) -> tuple[str, ...]:
    """Return the command that starts an agent; empty for a remote one."""
    command = settings.command
    return (resolve_program(command[0]), *command[1:]) if command else ()


def resolve_program(name: str) -> str:
    """Return a program's absolute path if it is relative to the user's folder."""
    path = Path(name).expanduser()
    return str(path.absolute()) if os.sep in name and path.exists() else name
