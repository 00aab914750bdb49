"""The welcome: what a tab shows until its first entry."""

from collections.abc import Callable, Sequence
from math import ceil

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

from acp_tui.config.known_agents import how_to_speak_acp
from acp_tui.formatting import counted
from acp_tui.host.session_names import agent_name
from acp_tui.protocol.updates import AvailableCommand
from acp_tui.state.peer import Peer, Phase
from acp_tui.state.reducers.restart import NOTHING_SHOWN, RESUMED_BARE
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.text import clean_line, one_line, reveal_escapes
from acp_tui.ui.keys import key_name
from acp_tui.ui.tabs.activity import shows_clock as moves
from acp_tui.ui.tabs.conditions import missing_choice, opening_request
from acp_tui.ui.tabs.tabs import Tabs
from acp_tui.ui.toolkit.shortened import crop_text, from_home
from acp_tui.ui.toolkit.timers import Ticker
from acp_tui.version import __version__

START_TIMEOUT = 5.0
"""Seconds of startup after which the agent's last line on stderr is shown."""


_WAITING = "Waiting for the agent to answer {} …"
FIRST = "Type a request and press Enter."
MOST_COMMANDS = 5
"""Most commands of the agent that are listed."""
WIDE = 50
"""Width, in cells, from which our own version is shown, too."""
WIDEST = 100
"""Most cells of a row of the table, so that name and description stay close together."""
KEY_WIDTH = 18
"""Most cells of the column of keys and commands, unless a third of the width is more.

A longer name is still shown whole, as it is what the user types.
"""


class Welcome(Widget):
    """Shows the agent, where it runs, and what to do first."""

    def __init__(self, tabs: Tabs, clock: Callable[[], float]) -> None:
        super().__init__()
        self._tabs = tabs
        self._clock = clock
        self._ticker = Ticker(self, 1, self.refresh)
        self.instead: Sequence[str] = ()
        """Lines that replace the next step if nothing can be done, as in a replay."""

    @property
    def _state(self) -> State:
        return self._tabs.agent.state

    @property
    def _session(self) -> Session | None:
        return self._tabs.shown.session

    def show(self) -> None:
        """Update the progress of the connection, and the agent's last output while it starts."""
        self._ticker.run_while(self.display and moves(self._state, self._session))
        self.refresh()

    def render(self) -> Content:
        width, height = max(1, self.content_size.width), self.size.height
        head = [*self._next(), Content(""), *self._agent(width)]
        free = height - sum(max(1, ceil(row.cell_length / width)) for row in head)
        table = self._table(max(0, free - 2))
        # No padding below: in a small terminal that would push out the prompt.
        above = [Content("")] * ((free - len(table)) // 2)
        return Content("\n").join([*above, *head, *table])

    def _agent(self, width: int) -> list[Content]:
        """Return the agent's name and version, and where it runs."""
        peer = self._state.peer
        info = peer.initialized.agent_info if peer.initialized else None
        version = f" {clean_line(info.version)}" if info else ""
        cwd = (self._session.cwd if self._session else "") or peer.cwd
        us = f"  in acp-tui {__version__}" if width >= WIDE else ""
        name = Content.assemble(
            (agent_name(self._tabs.agent), "bold $primary"), (f"{version}{us}", "$text-muted")
        ).truncate(width, ellipsis=True)
        facts = [
            from_home(clean_line(cwd)),
            *_where_it_runs(peer),
            *_system_prompt(self._session, width),
        ]
        return [name, *(Content.styled(fact, "$text-muted") for fact in facts)]

    def _next(self) -> list[Content]:
        """Return the lines about the connection that is being made, or about the next step."""
        if self.instead:
            return [Content(words) for words in self.instead]
        match self._state.peer.phase:
            case Phase.STARTING:
                return [Content("Starting the agent …"), *self._last_words()]
            case Phase.INITIALIZING:
                waiting = Content(_WAITING.format("initialize"))
                known = how_to_speak_acp(self._state.peer.argv)
                hint = [Content.styled(known, "$text-warning")] if known else []
                return [waiting, *hint, *self._noise(), *self._last_words()]
            case Phase.CONNECTED:
                return self._draw_opening()
        return []

    def _draw_opening(self) -> list[Content]:
        if self._session is None and (what := missing_choice(self._state)):
            return [Content(f"Choose {what}.")]
        if not self._is_open:
            waiting = Content(_WAITING.format(opening_request(self._state)))
            return [waiting, *self._noise(), *self._last_words()]
        if self._session is not None and self._session.is_replay_empty:
            return [Content.styled(f"{NOTHING_SHOWN}.", "$warning"), Content(FIRST)]
        if self._session is not None and self._session.is_without_history:
            return [Content(f"{RESUMED_BARE}."), Content(FIRST)]
        return [Content(FIRST)]

    @property
    def _is_open(self) -> bool:
        return self._session is not None and self._session.opened

    def _noise(self) -> list[Content]:
        """Return the lines of stdout that weren't a response, and what is wrong with them."""
        peer = self._state.peer
        if peer.output.noise is None:
            return []
        why, last = peer.output.noise
        shown = [
            Content.styled(clean_line(reveal_escapes(line))[:200], "$text-muted")
            for line in (last, *peer.output.noise_before)
        ]
        if peer.output.noise_before:
            shown.insert(1, Content.styled("Before that:", "$warning"))
        return [Content(""), Content.styled(why, "$warning"), *shown]

    def _last_words(self) -> list[Content]:
        stderr = self._state.peer.output.stderr
        if not stderr or self._clock() - self._tabs.agent.since < START_TIMEOUT:
            return []
        return [Content(""), Content.styled(clean_line(stderr[-1])[:200], "$text-muted")]

    def _table(self, room: int) -> list[Content]:
        """List the agent's commands and some keys, in at most `room` rows."""
        if self.instead or not self._is_open or self._state.peer.phase is not Phase.CONNECTED:
            return []
        assert self._session is not None
        keys = self._keys()
        most = min(MOST_COMMANDS, room - len(keys) - 3)
        commands = _commands(self._session.commands, most)
        groups = [group for group in (commands, keys) if group]
        width = max((cell_len(name) for group in groups for name, _ in group), default=0)
        width = min(width, max(KEY_WIDTH, self.content_size.width // 3))
        rows: list[Content] = []
        for group in groups:
            rows += [Content(""), *(self._row(*one, width) for one in group)]
        return rows[: max(0, room)]

    def _keys(self) -> list[tuple[str, str]]:
        """List keys that a new user needs, but that the hints don't show."""
        peer = self._state.peer
        can_open = peer.offers("session/load") or peer.offers("session/resume")
        here = self._session is not None and self._state.folder_here(self._session)
        keys = [("@", "Attach a file")] if here else []
        if peer.capabilities.prompt_capabilities.image:
            keys.append((key_name("ctrl+v"), "Attach an image"))
        if can_open and peer.offers("session/list"):
            keys.append((key_name("ctrl+o"), "Earlier sessions"))
        return [*keys, (key_name("f12"), "Protocol messages")]

    def _row(self, name: str, words: str, width: int) -> Content:
        room = min(self.content_size.width, WIDEST)
        width = min(max(width, cell_len(name)), max(1, room - 3))
        free = max(1, room - width - 3)
        style = "$accent" if name.startswith(("/", "@")) else "bold $primary"
        label = Content.styled(name, style).truncate(width, ellipsis=True, pad=True)
        description = Content.styled(words[: free + 1], "$text-muted").truncate(free, ellipsis=True)
        return Content.assemble(label, "   ", description)


def _system_prompt(session: Session | None, width: int) -> list[str]:
    """Return the first words of a session's system prompt, in one line."""
    prompt = session.system_prompt if session is not None else None
    if prompt is None:
        return []
    how = (
        "System prompt, in place of the agent's own"
        if prompt.mode == "override"
        else "System prompt"
    )
    return [crop_text(f"{how}: {one_line(prompt.text)}", width)]


def _where_it_runs(peer: Peer) -> list[str]:
    """Return the place where the agent runs; nothing for this machine."""
    if not peer.process.place:
        return []
    from acp_tui.state.subject import place_words

    return [place_words(peer)]


def _commands(commands: Sequence[AvailableCommand], most: int) -> list[tuple[str, str]]:
    """List the first commands with their descriptions, and the number of the others, in at most
    `most` rows.

    Commands with the same first word share a row: `memory show` is listed as `memory`.
    """
    found: dict[str, str] = {}
    for command in commands:
        first, *rest = clean_line(command.name).split() or [""]
        if first:
            found.setdefault(f"/{first}", "" if rest else clean_line(command.description))
    rows = list(found.items())
    if len(rows) <= most:
        return rows
    if most < 1:
        return [("/", f"{counted(len(rows), 'command')} of the agent")] if rows else []
    return [*rows[:most], ("/", f"{len(rows) - most} more")]
