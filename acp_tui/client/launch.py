"""The launch of an agent: how to start it, or connect to it, and how to open its sessions."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from acp_tui.client.capabilities import capabilities_to_offer
from acp_tui.client.place import THIS_MACHINE, Place
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
    from acp_tui.config.client_profiles import ClientProfile
    from acp_tui.config.remote import Remote
    from acp_tui.config.trust import TrustStore
    from acp_tui.workspace.mcp_servers import ProjectServers


Notify = Callable[[str, str], None]
"""Notifies the user of a problem, with a title and a description."""


class Budget(NamedTuple):
    """Limits of a turn and a session; None means no limit.

    A turn may take `seconds`, not counting the time that the user takes to answer. A session may
    use a `cost`, in the agent's currency, and a number of `tokens`. No turn begins once `quota`
    percent of a limit of the agent's plan is used.
    """

    seconds: float | None = None
    cost: float | None = None
    tokens: int | None = None
    quota: float | None = None


@dataclass(frozen=True, slots=True)
class GateOptions:
    """The gate's initial breakpoints, which hold the frames that match, and faults to inject.

    The same `seed` repeats the same faults.
    """

    breakpoints: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    seed: int = 0


def make_system_prompt(text: str, mode: str) -> SystemPrompt:
    """Return a system prompt with one text block; bytes of a command line that aren't UTF-8 are
    replaced.
    """
    return SystemPrompt(mode=mode, content=[TextContent(text=join_surrogates(text))])


@dataclass(frozen=True, slots=True)
class SessionStart:
    """Params with which each session is opened.

    The `project_prompt` is appended to the `system_prompt`. `meta` goes into the `_meta` of the
    request that opens the session. `choices` are names and values of config options, used if the
    agent lists its options in advance.
    """

    system_prompt: SystemPrompt | None = None
    project_prompt: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)
    choices: tuple[tuple[str, str], ...] = ()

    def whole_system_prompt(self) -> SystemPrompt | None:
        """Return the system prompt followed by the project's, in the same mode."""
        own = self.system_prompt
        if not self.project_prompt:
            return own
        project = make_system_prompt(self.project_prompt, "append" if own is None else own.mode)
        if own is None:
            return project
        return project.model_copy(update={"content": [*own.content, *project.content]})


@dataclass(frozen=True, slots=True)
class McpServers:
    """MCP servers for sessions, in ACP's form.

    The `project`'s servers wait until the user trusts them; the `trust_store` saves that.
    """

    servers: tuple[Mapping[str, Any], ...] = ()
    project: "ProjectServers | None" = None
    trust_store: "TrustStore | None" = None


class TraceIds:
    """Creates a `traceparent` for each request, naming the span that the request becomes.

    All requests belong to the `parent` trace of the environment; without one, each begins a trace
    of its own.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.parent = read_traceparent(environment.get("TRACEPARENT", ""))

    def facts(self) -> dict[str, str | None]:
        """Return the parent trace for a recording's header, as JSON."""
        return {"parent": None if self.parent is None else str(self.parent)}

    def meta(self) -> dict[str, str]:
        """Return the trace fields for the `_meta` of the next request."""
        known = self.parent or TraceParent(_random(16), 0)
        return {"traceparent": str(known._replace(span_id=_random(8)))}


def _random(size: int) -> int:
    return int.from_bytes(os.urandom(size), "big") or 1


@dataclass(frozen=True, slots=True)
class SpanExport:
    """How an agent's work is exported as OpenTelemetry spans.

    With a `trace`, each request gets its own `traceparent`. `follower` returns a listener for one
    agent's events; the listener may notify the user. `use` starts or stops the export and returns
    its trace; it raises ImportError if a package is missing.
    """

    trace: TraceIds | None = None
    follower: Callable[[Notify], Callable[[Event], None]] | None = None
    use: Callable[[bool], TraceIds | None] | None = None


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start an agent, or connect to a remote one, and what to do first."""

    # The program, and where it runs
    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str] = field(default_factory=dict)
    remote: "Remote | None" = None
    """The server to connect to, instead of starting `argv`."""
    place: str = ""
    """Where the agent runs: a name from `places`, or a place as `--in` takes it; "" for this
    machine.
    """
    places: Mapping[str, PlaceSettings] = field(default_factory=dict)
    additional_directories: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    line_limit: int = DEFAULT_LIMIT
    """The longest line that is read, in bytes."""
    restart: RestartSettings = field(default_factory=lambda: RestartSettings(when="never"))
    """Whether and when the agent is restarted after a failure."""
    watched: tuple[Path, ...] = ()
    """Files and folders of the agent's source; a change of one restarts the agent."""

    # How the client presents itself
    protocol: Protocol = "1"
    """The protocol version to propose; "auto" is version 2 with a fallback to 1."""
    handshake: bool = True
    """Whether to send `initialize`; if not, only the user's own lines are sent."""
    capabilities: ClientCapabilities = field(default_factory=capabilities_to_offer)
    profile: "ClientProfile | None" = None
    """Another client that ours pretends to be."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """Added to the `_meta` of every request."""
    quirks: tuple[Quirk, ...] | None = ()
    """The user's own quirks, worked around in addition to the known ones; None works around no
    quirk at all.
    """

    # Sessions and turns
    opening: SessionCommand | None = field(default_factory=NewSession)
    """The command that opens the first session; None opens none."""
    session: SessionStart = field(default_factory=SessionStart)
    mcp: McpServers = field(default_factory=McpServers)
    budget: Budget = field(default_factory=Budget)
    """Limits; turns and sessions that exceed them are canceled."""

    # What the agent may do
    rules: tuple[Rule, ...] = ()
    """The rules that apply from the start; the user's new rules are saved in `project_rules`."""
    project_rules: ProjectRules | None = None
    ask_if_changed: bool = False
    """Whether to ask before overwriting a file that changed since the agent read or wrote it."""
    backups: bool = True
    """Whether the content of overwritten files is stored, so that writes can be undone."""

    # Display, recording and export
    remarks: tuple[str, ...] = ()
    """Warnings to show at the start."""
    gate: GateOptions = field(default_factory=GateOptions)
    export: SpanExport = field(default_factory=SpanExport)
    agent_log: Path | None = None
    """The agent's own log file. Its lines are shown among the frames, and recorded if
    `records_agent_log`.
    """
    records_agent_log: bool = True
    last_seen: Path | None = None
    """The file that stores the agent's version, last successful turn and quota."""

    @property
    def shown_command(self) -> tuple[str, ...]:
        """The command that starts the agent; for a remote agent, its address without secrets."""
        return self.argv if self.remote is None else (self.remote.shown,)

    @property
    def program(self) -> str:
        """The program that is started, or the remote agent's host."""
        return self.argv[0] if self.remote is None else self.remote.host

    def find_place(self) -> Place:
        """Return the place where the agent runs."""
        if not self.place:
            return THIS_MACHINE
        from acp_tui.client.place_kinds import find_place

        return find_place(self.place, self.places, self.cwd, self.additional_directories)


def launch_of(settings: AgentSettings, base: Launch) -> Launch:
    """Return the launch for another agent, configured like `base` except for its own settings and
    session.
    """
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
    """Return `base` with the client profile of the settings, unless the command line already chose
    one.
    """
    if base.profile is not None or not settings.client:
        return base
    from acp_tui.config.client_profiles import find_profile

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
        servers = of_each_name([*map(dict, mcp.servers), *found.servers])
        mcp = replace(mcp, servers=tuple(servers), project=found.project)
        remarks += found.left_out
    return replace(launch, cwd=cwd, mcp=mcp, rules=tuple(rules), remarks=tuple(remarks))


def as_placed(launch: Launch) -> Launch:
    """Return the launch without the local project's rules and MCP servers, if the agent's files are
    elsewhere.
    """
    if not launch.find_place().elsewhere:
        return launch
    rules = tuple(rule for rule in launch.rules if rule.scope is not RuleScope.PROJECT)
    mcp = replace(launch.mcp, project=None)
    return replace(launch, rules=rules, project_rules=None, mcp=mcp)


def command_of(settings: AgentSettings) -> tuple[str, ...]:
    """Return the command that starts an agent, or () for a remote agent."""
    command = settings.command
    return (resolve_program(command[0]), *command[1:]) if command else ()


def resolve_program(name: str) -> str:
    """Return the absolute path if `name` is a path that exists; a bare name is left to PATH."""
    path = Path(name).expanduser()
    return str(path.absolute()) if os.sep in name and path.exists() else name
