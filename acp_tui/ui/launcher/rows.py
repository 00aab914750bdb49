"""The rows of the launcher, and the texts by which they are found."""

import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

from acp_tui.config.known_agents import KNOWN_AGENTS, name_of_command
from acp_tui.config.paths import DEMO_FOLDER
from acp_tui.formatting import age, counted
from acp_tui.index.search import RecentSession
from acp_tui.index.sessions import OpenElsewhere
from acp_tui.store.named_agents import AgentOrigin, NamedAgent, StartState
from acp_tui.text import clean_line, clean_title, judged_line
from acp_tui.ui.toolkit.shortened import crop_text, from_home, styled_path_end

NAME = 28
"""Most cells of an agent's name."""
STATE = 24
"""Most cells of the column that shows what an agent needs before it can start."""
WIDEST = 100
"""Most cells of a row, so that its columns stay close together."""
LEAST_TITLE = 24
"""Fewest cells of a session's title: its path is cut first."""
SESSIONS = 6
"""Fewest sessions that are shown while nothing is searched."""
COMMANDS = 5
"""Most commands of earlier sessions among the agents."""
RACE_NAME = "-race-"
"""Part of the names of a race's recordings."""
OWN_PROGRAMS = {"acp_tui.demo_agent", "acp_tui.testing.script_agent"}
"""Our own agents, for demonstrations and tests."""
FOLDERS = 6
"""Most folders that are listed."""


@dataclass(frozen=True, slots=True)
class StartAgent:
    """Start the named agent; with `options_first`, the user chooses its options before the session."""

    name: str
    options_first: bool = False


@dataclass(frozen=True, slots=True)
class StartDemo:
    """Start the demo agent."""


@dataclass(frozen=True, slots=True)
class StartCommand:
    """Start an agent by its command."""

    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ResumeSession:
    """Resume a session."""

    session: RecentSession


@dataclass(frozen=True, slots=True)
class AttachRun:
    """Attach to a run kept in the background; `session_id` distinguishes its rows."""

    name: str
    session_id: str | None


@dataclass(frozen=True, slots=True)
class UseFolder:
    """Switch the launcher to another folder."""

    folder: str


@dataclass(frozen=True, slots=True)
class StartRace:
    """Run a race, with these arguments of `acp-tui race`."""

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
    """A session of a run that is kept in the background."""

    run: str
    agent: str
    session_id: str | None
    title: str
    cwd: str
    state: str
    waits: bool
    """Whether it waits for the user."""


class LauncherRow(NamedTuple):
    """A row with its choice (None for a heading), and the text by which it is found."""

    content: Content
    choice: Choice | None = None
    words: str = ""


class _Line(NamedTuple):
    """The columns of an agent's row, and further text by which it is found. Without a choice,
    `about` is the whole row.
    """

    name: str
    state: str
    about: Content
    choice: Choice | None
    words: str = ""


class _SessionLine(NamedTuple):
    """The columns of a session's row; `path` is its folder, dimmed at the right."""

    title: Content
    agent: str
    when: Content
    path: Content
    choice: Choice
    words: str


def launcher_rows(  # noqa: PLR0913  all that is known
    agents: Sequence[NamedAgent],
    sessions: Sequence[RecentSession],
    written: str,
    now: datetime,
    *,
    folder: str,
    width: int,
    has_registry: bool,
    raced: Collection[str] = (),
    most_sessions: int = SESSIONS,
    kept: Sequence[BackgroundSession] = (),
    elsewhere: Sequence[OpenElsewhere] = (),
) -> list[LauncherRow]:
    """List the rows that match the text; without a text, those that are near.

    Sessions that are `kept` in the background come first, and aren't among the recent ones. Of
    these, those of the `folder` come first, and those open `elsewhere` are marked. Agents in the
    race (`raced`) have a sign.
    """
    terms = written.lower().split()
    running = {(one.session_id, one.cwd) for one in kept}
    prompts = {(one.session_id, one.cwd): one.prompt for one in sessions}
    own = [one for one in sessions if (one.session_id, one.cwd) not in running]
    own = sorted(filter(is_own, own), key=lambda one: one.cwd != folder)
    attached = [
        _background_row(one, prompts.get((one.session_id or "", one.cwd), "")) for one in kept
    ]
    opened = {(one.session_id, one.cwd, one.command): one for one in elsewhere}
    goings = list(_sessions(own if terms else own[:most_sessions], now, opened))
    starts = [*_agents(agents, bool(terms), has_registry, raced, _commands(own, agents))]
    columns = [one for one in starts if one.choice is not None]
    name = min(NAME, max(cell_len(one.name) for one in columns) + 2)
    state = min(STATE, max(cell_len(one.state) for one in columns) + 2)
    found: list[LauncherRow] = []
    for heading, listed in (
        ("Running in the background", _session_rows(attached, width)),
        ("Recent sessions", _session_rows(goings, width)),
        ("Start an agent", [_row(one, name, state, min(width, WIDEST)) for one in starts]),
        ("Other folders", _folders(own)),
    ):
        fitting = [one for one in listed if all(term in one.words.lower() for term in terms)]
        if fitting:
            found += [*_heading(heading), *fitting]
    if (command := _command(written)) is not None:
        found += [*_heading("Start a command"), command]
    return found[1:]


def first_choice(found: Sequence[LauncherRow], folder: str) -> int:
    """Return the row to mark first: a kept run, the newest session of the folder, or an agent."""
    choices = [one.choice for one in found]
    for at, choice in enumerate(choices):
        is_here = isinstance(choice, ResumeSession) and choice.session.cwd == folder
        if is_here or isinstance(choice, AttachRun | StartAgent | StartCommand | StartDemo):
            return at
    return 0


def is_own(session: RecentSession) -> bool:
    """Return whether a session is the user's own: not of a race or a script, not with one of our
    own agents, and not in the demo's folder, which is deleted.
    """
    is_race = RACE_NAME in Path(session.recording).name
    is_demo = Path(session.cwd).name.startswith(DEMO_FOLDER)
    is_ours = is_demo or not OWN_PROGRAMS.isdisjoint(session.command)
    return not (is_race or is_ours or session.made_by)


def _commands(
    sessions: Sequence[RecentSession], agents: Sequence[NamedAgent]
) -> list[RecentSession]:
    """Return the newest session of each command that isn't an agent's."""
    known = {one.settings.words for one in agents if one.settings is not None}
    found = dict[tuple[str, ...], RecentSession]()
    for one in sessions:
        is_known = shlex.join(one.command) in known
        if one.command and one.is_command and not (one.place or is_known):
            found.setdefault(one.command, one)
    return list(found.values())[:COMMANDS]


def _heading(words: str) -> list[LauncherRow]:
    return [LauncherRow(Content("")), LauncherRow(Content.styled(words, "bold $accent"))]


def _agents(
    agents: Sequence[NamedAgent],
    all_: bool,
    has_registry: bool,
    raced: Collection[str],
    commands: Sequence[RecentSession],
) -> Iterator[_Line]:
    """List the installed agents, then `commands` of earlier sessions; if `all_`, the other agents,
    too.
    """
    near = [
        one
        for one in agents
        if one.origin is not AgentOrigin.REGISTRY or one.state is StartState.READY
    ]
    far = [one for one in agents if one not in near and one.state is StartState.FETCHED]
    for one in [*near, *(far if all_ else ())]:
        yield _agent(one, is_raced=one.name in raced)
    for used in commands:
        shown = shlex.join(used.command)
        yield _plain(
            used.agent or name_of_command(used.command),
            "used before",
            shown,
            StartCommand(used.command),
        )
    yield _plain("demo", "built in", "the demo agent: offline, nothing to install", StartDemo())
    if not has_registry:
        words = "fetch the list of published agents"
        yield _plain("registry", "not fetched yet", words, FetchRegistry())
    elif far and not all_:
        words = f"{counted(len(far), 'more agent')} in the registry: type to search"
        yield _Line("", "", Content.styled(words, "$text-muted"), None)


def _agent(agent: NamedAgent, *, is_raced: bool) -> _Line:
    """Return the row of an agent: its command if it can start, otherwise what would be fetched."""
    listed = agent.listed
    about = f"{listed.name} {listed.version}" if listed is not None else ""
    if agent.settings is not None and (listed is None or agent.state is not StartState.FETCHED):
        about = from_home(agent.settings.words)
    known = KNOWN_AGENTS.get(agent.name)
    name = agent.name if known is None else known.title
    state = "✓ in the race" if is_raced else agent.state.value
    more = f" {listed.name} {listed.description}" if listed is not None else ""
    return _plain(name, state, about, StartAgent(agent.name), f" {agent.name}{more}")


def _plain(name: str, state: str, about: str, choice: Choice, more: str = "") -> _Line:
    name, words = clean_line(name), f"{name} {state} {about}{more}"
    return _Line(name, state, Content.styled(judged_line(about), "$text-muted"), choice, words)


def _background_row(one: BackgroundSession, prompt: str) -> _SessionLine:
    """Return the row of a kept run's session. Its state comes first, as it may be a question."""
    prompt_line = crop_text(" ".join((one.title or prompt).split()), 400)
    title = Content.assemble(
        (f"◆ {one.state}", "bold $warning") if one.waits else (f"● {one.state}", "$primary"),
        (f"  {clean_title(prompt_line)}" if prompt_line else "", "$foreground"),
    )
    words = f"{one.run} {one.agent} {one.state} {prompt_line} {one.cwd}"
    path = Content.styled(clean_line(from_home(one.cwd)), "$text-muted")
    run = Content.styled(clean_line(one.run), "$text-muted")
    choice = AttachRun(one.run, one.session_id)
    return _SessionLine(title, clean_line(one.agent), run, path, choice, words)


def _sessions(
    sessions: Sequence[RecentSession],
    now: datetime,
    opened: dict[tuple[str, str, tuple[str, ...]], OpenElsewhere],
) -> Iterator[_SessionLine]:
    for one in sessions:
        key = one.session_id, one.cwd, one.command
        # only the newest: an agent may reuse its ids after each start
        other = opened.pop(key, None) if not one.place else None
        mark = "" if other is None else f"● {_elsewhere(other)}  "
        when = age(datetime.fromtimestamp(one.at, UTC).isoformat(), now)
        agent = one.agent or name_of_command(one.command)
        prompt_line = crop_text(" ".join(one.prompt.split()), 400)
        title = Content.assemble(
            (mark, "bold $warning"),
            (clean_line(prompt_line), "$foreground"),
            ("" if one.reopens else "  from a recording", "$accent"),
        )
        words = f"{agent} {mark}{one.prompt} {one.cwd}"
        path = Content.styled(clean_line(from_home(one.cwd)), "$text-muted")
        time = Content.styled(when, "$text-muted")
        yield _SessionLine(title, clean_line(agent), time, path, ResumeSession(one), words)


def _elsewhere(other: OpenElsewhere) -> str:
    """Return a short note that another terminal has a session open."""
    pid = "" if other.pid is None else f" (pid {other.pid})"
    return f"{'working' if other.is_working else 'open'} elsewhere{pid}"


def _session_rows(lines: Sequence[_SessionLine], width: int) -> list[LauncherRow]:
    """Return the rows in three aligned columns, with paths in the remaining space."""
    if not lines:
        return []
    room = min(width, WIDEST) - 2
    agent = min(NAME, max(cell_len(one.agent) for one in lines) + 2)
    when = max(one.when.cell_length for one in lines) + 2
    longest = max(one.path.cell_length for one in lines)
    path = max(0, min(longest, room // 4, room - LEAST_TITLE - agent - when))
    title = max(LEAST_TITLE, room - agent - when - path)
    return [
        LauncherRow(
            Content.assemble(
                one.title.truncate(title - 2, ellipsis=True, pad=True),
                "  ",
                _cell(one.agent, agent),
                one.when.truncate(when - 2, ellipsis=True, pad=True),
                "  ",
                styled_path_end(one.path, path),
            ),
            one.choice,
            one.words,
        )
        for one in lines
    ]


def _row(line: _Line, name: int, state: int, width: int) -> LauncherRow:
    """Format a line in columns of these widths; the last column gets the rest of the row."""
    if line.choice is None:
        return LauncherRow(line.about, None, line.words)
    content = Content.assemble(
        _cell(line.name, name).stylize("$foreground"),
        _cell(line.state, state).stylize("$text-muted"),
        line.about,
    ).truncate(width, ellipsis=True)
    return LauncherRow(content, line.choice, line.words)


def _cell(text: str, width: int) -> Content:
    """Pad or cut a text to a column, with a gap after it."""
    return Content.assemble(Content(text).truncate(width - 2, ellipsis=True, pad=True), "  ")


def _folders(sessions: Iterable[RecentSession]) -> Iterator[LauncherRow]:
    folders = dict.fromkeys(one.cwd for one in sessions if not one.place and one.cwd)
    here = [one for one in folders if Path(one).is_dir() and Path(one) != Path.cwd()]
    for folder in here[:FOLDERS]:
        shown = clean_line(from_home(folder))
        yield LauncherRow(Content(shown), UseFolder(folder), folder)


def _command(written: str) -> LauncherRow | None:
    """Return the row that starts the typed text as a command; None if it can't be parsed."""
    try:
        argv = tuple(shlex.split(written))
    except ValueError:
        return None
    if not argv:
        return None
    shown = Content.assemble(("$ ", "$text-muted"), judged_line(shlex.join(argv)))
    return LauncherRow(shown, StartCommand(argv), written)
