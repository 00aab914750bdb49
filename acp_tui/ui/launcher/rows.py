"""The rows of the launcher: what can be started, and the words that find it."""

import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from textual.content import Content

from acp_tui.archive.search import RecentSession
from acp_tui.config.named_agents import NamedAgent, Origin, State
from acp_tui.formatting import age, counted
from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.text import clean_line
from acp_tui.ui.words import cropped, from_home

NAME = 22
"""Cells of the first column."""
STATE = 22
"""Cells of the second one."""
SESSIONS = 12
"""How many sessions are shown while nothing is searched."""
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
    StartAgent | StartDemo | StartCommand | StartRace | ResumeSession | UseFolder | FetchRegistry
)


class Row(NamedTuple):
    """A row, what it stands for (a heading for nothing), and the words that find it."""

    content: Content
    choice: Choice | None = None
    words: str = ""


def rows(
    agents: Sequence[NamedAgent],
    sessions: Sequence[RecentSession],
    written: str,
    now: datetime,
    *,
    has_registry: bool,
    raced: Collection[str] = (),
) -> list[Row]:
    """List what fits to what was written; all that is near if nothing was. Agents that are `raced` have a
    sign.
    """
    terms = written.lower().split()
    found: list[Row] = []
    for heading, listed in (
        ("Start an agent", _agents(agents, bool(terms), has_registry, raced)),
        ("Go on with a session", _sessions(sessions, now)),
        ("Begin in another folder", _folders(sessions)),
    ):
        fitting = [one for one in listed if all(term in one.words.lower() for term in terms)]
        if not terms and heading.startswith("Go on"):
            fitting = fitting[:SESSIONS]
        if fitting:
            found += [*_heading(heading), *fitting]
    if (command := _command(written)) is not None:
        found += [*_heading("Start a command"), command]
    return found[1:]


def _heading(words: str) -> list[Row]:
    return [Row(Content("")), Row(Content.styled(words, "bold"))]


def _agents(
    agents: Sequence[NamedAgent], all_: bool, has_registry: bool, raced: Collection[str]
) -> Iterator[Row]:
    """List the agents that are here, and the others where they are searched."""
    near = [one for one in agents if one.origin is Origin.SETTINGS or one.state is State.READY]
    far = [one for one in agents if one not in near and one.state is State.FETCHED]
    for one in [*near, *(far if all_ else ())]:
        yield _agent(one, is_raced=one.name in raced)
    yield _row("demo", "built in", "the demo agent: offline, nothing to install", StartDemo())
    if not has_registry:
        words = "fetch the list of agents that others have published"
        yield _row("registry", "not fetched yet", words, FetchRegistry())
    elif far and not all_:
        words = f"{counted(len(far), 'more agent')} in the registry: write to find one"
        yield Row(Content.styled(f"{'':{NAME}}{words}", "$text-muted"))


def _agent(agent: NamedAgent, *, is_raced: bool) -> Row:
    listed = agent.listed
    about = f"{listed.name} {listed.version}" if listed is not None else ""
    if agent.settings is not None and listed is None:
        about = agent.settings.words
    state = "✓ in the race" if is_raced else agent.state.value
    row = _row(agent.name, state, about, StartAgent(agent.name))
    description = listed.description if listed is not None else ""
    return row._replace(words=f"{row.words} {description}")


def _sessions(sessions: Sequence[RecentSession], now: datetime) -> Iterator[Row]:
    for one in sessions:
        when = age(datetime.fromtimestamp(one.at, UTC).isoformat(), now)
        agent = one.agent or Path(one.command[0] if one.command else "").name
        said = cropped(" ".join(one.prompt.split()), 400)
        head = f"{cropped(clean_line(agent), NAME - 2):{NAME}}{when:{STATE}}"
        content = Content.assemble(
            (head, "$text-muted"),
            (clean_line(said), "$foreground"),
            (f"  {clean_line(from_home(one.cwd))}", "$text-muted"),
        )
        yield Row(content, ResumeSession(one), f"{agent} {one.prompt} {one.cwd}")


def _folders(sessions: Iterable[RecentSession]) -> Iterator[Row]:
    folders = dict.fromkeys(one.cwd for one in sessions if not one.place and one.cwd)
    here = [one for one in folders if Path(one).is_dir() and Path(one) != Path.cwd()]
    for folder in here[:FOLDERS]:
        shown = clean_line(from_home(folder))
        yield Row(Content(shown), UseFolder(folder), folder)


def _command(written: str) -> Row | None:
    """Return the row that starts what was written as a command."""
    try:
        argv = tuple(shlex.split(written))
    except ValueError:
        return None
    if not argv:
        return None
    shown = Content.assemble(("$ ", "$text-muted"), clean_line(shlex.join(argv)))
    return Row(shown, StartCommand(argv), written)


def _row(name: str, state: str, about: str, choice: Choice) -> Row:
    first = cropped(clean_line(name), NAME - 2)
    content = Content.assemble(
        (f"{first:{NAME}}", "$foreground"),
        (f"{state:{STATE}}", "$text-muted"),
        (clean_line(about), "$text-muted"),
    )
    return Row(content, choice, f"{name} {state} {about}")
