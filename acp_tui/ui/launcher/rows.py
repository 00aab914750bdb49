"""The rows of the launcher: what can be started, and the words that find it."""

import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

from acp_tui.config.known_agents import KNOWN_AGENTS
from acp_tui.formatting import age, counted
from acp_tui.index.search import RecentSession
from acp_tui.index.sessions import OpenElsewhere
from acp_tui.store.named_agents import AgentOrigin, NamedAgent, StartState
from acp_tui.text import clean_line, clean_title, judged_line
from acp_tui.ui.toolkit.shortened import cropped, from_home

NAME = 28
"""The most cells of the first column."""
STATE = 24
"""The most cells of the second one."""
SESSIONS = 12
"""How many sessions are shown while nothing is searched, at least."""
FOLDERS = 6
"""How many folders are."""


@dataclass(frozen=True, slots=True)
class StartAgent:
    """Start the agent of a name."""

    name: str


@dataclass(frozen=True, slots=True)
class StartDemo:
    """Start the demo agent."""


@dataclass(frozen=True, slots=True)
class StartCommand:
    """Start an agent by its command."""

    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ResumeSession:
    """Go on with a session."""

    session: RecentSession


@dataclass(frozen=True, slots=True)
class AttachRun:
    """Show a run that is kept in the background; `session_id` tells its rows apart."""

    name: str
    session_id: str | None


@dataclass(frozen=True, slots=True)
class UseFolder:
    """Begin in another folder."""

    folder: str


@dataclass(frozen=True, slots=True)
class StartRace:
    """Give one prompt to several agents: with these arguments of `acp-tui race`."""

    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FetchRegistry:
    """Fetch the registry's list of agents."""


Choice = (
    StartAgent
    | StartDemo
    | StartCommand
    | StartRace
    | ResumeSession
    | AttachRun
    | UseFolder
    | FetchRegistry
)


class BackgroundSession(NamedTuple):
    """A session of a run that is kept in the background: whose it is, and what it does."""

    run: str
    agent: str
    session_id: str | None
    title: str
    cwd: str
    state: str
    waits: bool
    """Whether it waits for the person."""


class LauncherRow(NamedTuple):
    """A row, what it stands for (a heading for nothing), and the words that find it."""

    content: Content
    choice: Choice | None = None
    words: str = ""


class _Line(NamedTuple):
    """What stands in the columns of a row, and what else finds it. One without a choice has no columns."""

    name: str
    state: str
    about: Content
    choice: Choice | None
    words: str = ""


def rows(  # noqa: PLR0913  all that is known
    agents: Sequence[NamedAgent],
    sessions: Sequence[RecentSession],
    written: str,
    now: datetime,
    *,
    has_registry: bool,
    raced: Collection[str] = (),
    most_sessions: int = SESSIONS,
    kept: Sequence[BackgroundSession] = (),
    elsewhere: Sequence[OpenElsewhere] = (),
) -> list[LauncherRow]:
    """List what fits to what was written; all that is near if nothing was. Agents that are `raced` have a
    sign. What is `kept` in the background comes first, and isn't among the sessions to go on with; what is open
    `elsewhere` is marked there.
    """
    terms = written.lower().split()
    running = {(one.session_id, one.cwd) for one in kept}
    prompts = {(one.session_id, one.cwd): one.prompt for one in sessions}
    sessions = [one for one in sessions if (one.session_id, one.cwd) not in running]
    attached = [_kept(one, prompts.get((one.session_id or "", one.cwd), "")) for one in kept]
    starts = list(_agents(agents, bool(terms), has_registry, raced))
    opened = {(one.session_id, one.cwd, one.command): one for one in elsewhere}
    goings = list(_sessions(sessions if terms else sessions[:most_sessions], now, opened))
    columns = [one for one in (*attached, *starts, *goings) if one.choice is not None]
    name = min(NAME, max(cell_len(one.name) for one in columns) + 2)
    state = min(STATE, max(cell_len(one.state) for one in columns) + 2)
    found: list[LauncherRow] = []
    for heading, listed in (
        ("Running in the background", [_row(one, name, state) for one in attached]),
        ("Start an agent", [_row(one, name, state) for one in starts]),
        ("Recent sessions", [_row(one, name, state) for one in goings]),
        ("Other folders", _folders(sessions)),
    ):
        fitting = [one for one in listed if all(term in one.words.lower() for term in terms)]
        if fitting:
            found += [*_heading(heading), *fitting]
    if (command := _command(written)) is not None:
        found += [*_heading("Start a command"), command]
    return found[1:]


def _heading(words: str) -> list[LauncherRow]:
    return [LauncherRow(Content("")), LauncherRow(Content.styled(words, "bold $accent"))]


def _agents(
    agents: Sequence[NamedAgent], all_: bool, has_registry: bool, raced: Collection[str]
) -> Iterator[_Line]:
    """List the agents that are here, and the others where they are searched."""
    near = [
        one
        for one in agents
        if one.origin is not AgentOrigin.REGISTRY or one.state is StartState.READY
    ]
    far = [one for one in agents if one not in near and one.state is StartState.FETCHED]
    for one in [*near, *(far if all_ else ())]:
        yield _agent(one, is_raced=one.name in raced)
    yield _plain("demo", "built in", "the demo agent: offline, nothing to install", StartDemo())
    if not has_registry:
        words = "fetch the list of published agents"
        yield _plain("registry", "not fetched yet", words, FetchRegistry())
    elif far and not all_:
        words = f"{counted(len(far), 'more agent')} in the registry: type to search"
        yield _Line("", "", Content.styled(words, "$text-muted"), None)


def _agent(agent: NamedAgent, *, is_raced: bool) -> _Line:
    """Return an agent: what would be started if it is here, else what would be fetched."""
    listed = agent.listed
    about = f"{listed.name} {listed.version}" if listed is not None else ""
    if agent.settings is not None and (listed is None or agent.state is not StartState.FETCHED):
        about = from_home(agent.settings.words)
    known = KNOWN_AGENTS.get(agent.name)
    if known is not None and listed is None:
        about = f"{known.title}: {about}"
    state = "✓ in the race" if is_raced else agent.state.value
    more = f" {listed.name} {listed.description}" if listed is not None else ""
    return _plain(agent.name, state, about, StartAgent(agent.name), more)


def _plain(name: str, state: str, about: str, choice: Choice, more: str = "") -> _Line:
    name, words = clean_line(name), f"{name} {state} {about}{more}"
    return _Line(name, state, Content.styled(judged_line(about), "$text-muted"), choice, words)


def _kept(one: BackgroundSession, prompt: str) -> _Line:
    """Return a session of a kept run: what it does stands in front, as that may be a question."""
    said = cropped(" ".join((one.title or prompt).split()), 400)
    about = Content.assemble(
        (f"◆ {one.state}", "bold $warning") if one.waits else (f"● {one.state}", "$primary"),
        (f"  {clean_title(said)}" if said else "", "$foreground"),
        (f"  {clean_line(from_home(one.cwd))}", "$text-muted"),
    )
    words = f"{one.run} {one.agent} {one.state} {said} {one.cwd}"
    return _Line(clean_line(one.agent), one.run, about, AttachRun(one.run, one.session_id), words)


def _sessions(
    sessions: Sequence[RecentSession],
    now: datetime,
    opened: dict[tuple[str, str, tuple[str, ...]], OpenElsewhere],
) -> Iterator[_Line]:
    for one in sessions:
        key = one.session_id, one.cwd, one.command
        # only the newest: an agent may give its ids again at each start
        other = opened.pop(key, None) if not one.place else None
        mark = "" if other is None else f"● {other.words}  "
        when = age(datetime.fromtimestamp(one.at, UTC).isoformat(), now)
        agent = one.agent or Path(one.command[0] if one.command else "").name
        said = cropped(" ".join(one.prompt.split()), 400)
        about = Content.assemble(
            (mark, "bold $warning"),
            (clean_line(said), "$foreground"),
            ("" if one.reopens else "  from a recording", "$accent"),
            (f"  {clean_line(from_home(one.cwd))}", "$text-muted"),
        )
        words = f"{agent} {mark}{one.prompt} {one.cwd}"
        yield _Line(clean_line(agent), when, about, ResumeSession(one), words)


def _row(line: _Line, name: int, state: int) -> LauncherRow:
    """Put a line into columns of so many cells."""
    if line.choice is None:
        return LauncherRow(line.about, None, line.words)
    style = "$text-muted" if isinstance(line.choice, ResumeSession) else "$foreground"
    content = Content.assemble(
        _cell(line.name, name).stylize(style),
        _cell(line.state, state).stylize("$text-muted"),
        line.about,
    )
    return LauncherRow(content, line.choice, line.words)


def _cell(text: str, width: int) -> Content:
    """Cut a text to a column that has a gap behind it."""
    return Content.assemble(Content(text).truncate(width - 2, ellipsis=True, pad=True), "  ")


def _folders(sessions: Iterable[RecentSession]) -> Iterator[LauncherRow]:
    folders = dict.fromkeys(one.cwd for one in sessions if not one.place and one.cwd)
    here = [one for one in folders if Path(one).is_dir() and Path(one) != Path.cwd()]
    for folder in here[:FOLDERS]:
        shown = clean_line(from_home(folder))
        yield LauncherRow(Content(shown), UseFolder(folder), folder)


def _command(written: str) -> LauncherRow | None:
    """Return the row that starts what was written as a command."""
    try:
        argv = tuple(shlex.split(written))
    except ValueError:
        return None
    if not argv:
        return None
    shown = Content.assemble(("$ ", "$text-muted"), judged_line(shlex.join(argv)))
    return LauncherRow(shown, StartCommand(argv), written)
