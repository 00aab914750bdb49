"""How an agent is started, and what is claimed to it."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_tui.client.budget import Budget
from acp_tui.client.places.place import BESIDE_US, Place
from acp_tui.client.trace_ids import TraceIds
from acp_tui.config.client_profiles import ClientProfile, find_profile
from acp_tui.config.errors import ConfigError
from acp_tui.config.limits import Limits
from acp_tui.config.quirks import Quirk
from acp_tui.config.settings import AgentSettings, PlaceSettings, Protocol, RestartSettings
from acp_tui.policy.rules import Rule, RuleScope, inactive_patterns
from acp_tui.protocol.events import Event
from acp_tui.protocol.frames import DEFAULT_LIMIT
from acp_tui.protocol.setup import (
    AuthCapabilities,
    ClientCapabilities,
    ElicitationCapabilities,
    FileSystemCapabilities,
)
from acp_tui.pydantic_engine import ValidationError
from acp_tui.state.authentication import TERMINAL_AUTH
from acp_tui.state.commands import NewSession, SessionCommand
from acp_tui.store.project_rules import ProjectRules

if TYPE_CHECKING:
    from acp_tui.config.remote import Remote
    from acp_tui.config.trust import TrustStore
    from acp_tui.workspace.mcp_servers import ProjectServers


Notify = Callable[[str, str], None]
"""Told of trouble: a title, and a description."""


def capabilities(
    *, interactive: bool = False, person: bool = False, unstable: bool = False
) -> ClientCapabilities:
    """Return what to claim: sign-in programs and questions need a `person`, as a UI has one."""
    person = person or interactive
    session: dict[str, Any] = {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}}
    meta: dict[str, Any] = {"terminal_output": True} if interactive else {}
    if person:
        meta[TERMINAL_AUTH] = True
    return ClientCapabilities(
        fs=FileSystemCapabilities(read_text_file=True, write_text_file=True),
        terminal=True,
        session=session,
        auth=AuthCapabilities(terminal=True) if person else None,
        elicitation=ElicitationCapabilities(form={}, url={}) if person else None,
        plan={} if unstable else None,
        subagents={} if unstable else None,
        meta=meta or None,
    )


def claims_of(params: Mapping[str, Any]) -> ClientCapabilities:
    """Return what a client claims in its `initialize`; nothing, where that can't be read."""
    try:
        return ClientCapabilities.model_validate(params.get("clientCapabilities") or {})
    except ValidationError:
        return ClientCapabilities()


def offered_in(place: Place, claims: ClientCapabilities) -> ClientCapabilities:
    """Return what can be claimed to an agent in its place."""
    changes: dict[str, Any] = {}
    if not place.serves_files:
        changes["fs"] = FileSystemCapabilities()
    if not place.serves_terminals:
        changes["terminal"] = False
    return claims.model_copy(update=changes) if changes else claims


def offered_afar(claims: ClientCapabilities) -> ClientCapabilities:
    """Return what can be claimed to an agent over a network: it has no program for sign-ins here."""
    return claims.model_copy(update=_without_programs(claims))


def in_version_2(claims: ClientCapabilities) -> ClientCapabilities:
    """Return what can be claimed in version 2: agents have files and terminals of their own there."""
    nothing = {"fs": FileSystemCapabilities(), "terminal": False, "session": None}
    return claims.model_copy(update=nothing)


def _without_programs(claims: ClientCapabilities) -> dict[str, Any]:
    meta = {name: value for name, value in (claims.meta or {}).items() if name != TERMINAL_AUTH}
    return {"auth": None, "meta": meta or None}


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start an agent by `argv`, or where a `remote` one is reached, and what to do first.

    `mcp_servers` are as ACP writes them; those of the project wait for a person's trust, which the
    store keeps. `meta` goes into the `_meta` of every request. `remarks` are shown at the start.
    `restart` is what happens when the agent fails. `ask_if_changed`: before writing over a file
    that has changed on disk since the agent knew it. `backups`: of what the agent writes over, so that
    it can be taken back. Without an `opening` no session is opened, and without a `handshake` nothing
    is sent at all but what a person sends. `rules` are in force from the start; those of
    projects are kept in `project_rules`. With a `profile` the agent is told what another client would
    tell it. `protocol` is the version in which it is asked: "1", "2", or "auto" for 2 and, where that
    comes to nothing, 1. `place` is where it runs, by name in `places` or as `--in` has it.
    Frames that pass one of the `breakpoints` are held; `faults` are injected, with this seed.
    With a `trace` each request gets a `traceparent` of its own. Each of the `followers` makes what
    follows the events of one agent, and may notify the person. `use_export` begins or ends the export of
    spans, and returns the trace that there is then; it raises an ImportError where something is missing. When something in `watched` changes, the
    agent is restarted. What it writes into its `agent_log` stands among the frames.
    Turns and sessions over the `budget` are canceled. What the agent tells of itself is kept in `last_seen`.
    """

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str] = field(default_factory=dict)
    remote: "Remote | None" = None
    limits: Limits = field(default_factory=Limits)
    line_limit: int = DEFAULT_LIMIT
    quirks: bool = True
    own_quirks: tuple[Quirk, ...] = ()
    capabilities: ClientCapabilities = field(default_factory=capabilities)
    opening: SessionCommand | None = field(default_factory=NewSession)
    handshake: bool = True
    protocol: Protocol = "1"
    profile: ClientProfile | None = None
    additional_directories: tuple[str, ...] = ()
    mcp_servers: tuple[Mapping[str, Any], ...] = ()
    project_servers: "ProjectServers | None" = None
    trust_store: "TrustStore | None" = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    restart: RestartSettings = field(default_factory=lambda: RestartSettings(when="never"))
    ask_if_changed: bool = False
    backups: bool = True
    rules: tuple[Rule, ...] = ()
    breakpoints: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    fault_seed: int = 0
    trace: TraceIds | None = None
    followers: tuple[Callable[[Notify], Callable[[Event], None]], ...] = ()
    use_export: Callable[[bool], TraceIds | None] | None = None
    project_rules: ProjectRules | None = None
    watched: tuple[Path, ...] = ()
    agent_log: Path | None = None
    records_agent_log: bool = True
    place: str = ""
    places: Mapping[str, PlaceSettings] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)
    last_seen: Path | None = None

    def find_place(self) -> Place:
        """Return where the agent runs."""
        if not self.place:
            return BESIDE_US
        from acp_tui.client.places.places import find_place

        return find_place(self.place, self.places, self.cwd, self.additional_directories)


def launch_of(settings: AgentSettings, base: Launch) -> Launch:
    """Return how to start another agent beside the one of `base`, with its own session."""
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
        opening=NewSession(),
    )
    return launch if cwd == base.cwd else in_folder(launch, cwd)


def _with_profile(settings: AgentSettings, base: Launch) -> Launch:
    """Return a launch as the client that the settings name, unless the command line names one."""
    if base.profile is not None or not settings.client:
        return base
    try:
        return replace(base, profile=find_profile(settings.client))
    except ConfigError as error:
        return replace(base, remarks=(*base.remarks, f"client: {error}"))


def in_folder(launch: Launch, cwd: str) -> Launch:
    """Return the same launch in a folder, with that folder's rules and MCP servers."""
    remarks: list[str] = []
    rules = [rule for rule in launch.rules if rule.scope is not RuleScope.PROJECT]
    try:
        project = launch.project_rules.load(cwd) if launch.project_rules is not None else ()
        rules += project
        remarks += [one.words for one in inactive_patterns(project)]
    except ConfigError as error:
        remarks.append(str(error))
    decided = cwd == launch.cwd and launch.project_servers is None
    if launch.trust_store is not None and not decided:
        from acp_tui.workspace.mcp_servers import gather, of_each_name

        found = gather((), cwd, launch.trust_store, os.environ)
        servers = of_each_name([*map(dict, launch.mcp_servers), *found.servers])
        launch = replace(launch, mcp_servers=tuple(servers), project_servers=found.project)
        remarks += found.left_out
    return replace(launch, cwd=cwd, rules=tuple(rules), remarks=tuple(remarks))


def as_placed(launch: Launch) -> Launch:
    """Return the same launch without what the project's folder here says, if the agent's isn't ours."""
    if not launch.find_place().elsewhere:
        return launch
    rules = tuple(rule for rule in launch.rules if rule.scope is not RuleScope.PROJECT)
    return replace(launch, rules=rules, project_rules=None, project_servers=None)


def command_of(settings: AgentSettings) -> tuple[str, ...]:
    """Return the command that starts an agent, as it is run; empty for one that runs elsewhere."""
    command = settings.command
    return (program(command[0]), *command[1:]) if command else ()


def program(name: str) -> str:
    """Make a program's relative path absolute: it is meant from where the person is."""
    path = Path(name).expanduser()
    return str(path.absolute()) if os.sep in name and path.exists() else name
