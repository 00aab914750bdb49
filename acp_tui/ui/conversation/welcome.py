"""What is seen before anything was said."""

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from acp_tui import __version__
from acp_tui.protocol.updates import AvailableCommand
from acp_tui.session.state import Peer, Phase, Session, State
from acp_tui.text import clean_line
from acp_tui.ui.sessions.conditions import choosing
from acp_tui.ui.sessions.request_clocks import opening, waiting_for
from acp_tui.ui.sessions.status import moving as moves
from acp_tui.ui.sessions.tabs import Tabs

PATIENCE = 5.0
"""Seconds of start-up after which the agent's own last words are shown."""


DEMO = "acp-tui-demo"
"""How our own demo agent calls itself."""
TOUR = "For a tour of ten seconds type: show me everything\nOr say what you want, and press Enter."
FIRST = "Say what you want done, and press Enter."
COMMANDS = "Its commands: "
WIRE = "F12 shows what goes over the wire."
KEPT = ("load", "list", "resume", "close", "delete", "fork")
"""What may be offered for the sessions that an agent keeps."""


class Welcome(Widget):
    """Who is there, where, and what to do first."""

    def __init__(self, tabs: Tabs, clock: Callable[[], float]) -> None:
        super().__init__()
        self._tabs = tabs
        self._clock = clock
        self._timer: Timer | None = None

    @property
    def _state(self) -> State:
        return self._tabs.agent.state

    @property
    def _session(self) -> Session | None:
        return self._tabs.shown.session

    def show(self) -> None:
        """Show how far the connection is; the clock ticks while one waits for it."""
        moving = self.display and moves(self._state, self._session)
        if moving and self._timer is None:
            self._timer = self.set_interval(1, self.refresh)
        elif not moving and self._timer is not None:
            self._timer.stop()
            self._timer = None
        self.refresh()

    def render(self) -> Content:
        return Content.assemble(
            "\n\n",  # no padding: in a small terminal that would push out the prompt
            ("acp-tui ", "bold $primary"),
            (f"{__version__}\n\n", "$text-muted"),
            *self._agent(),
            "\n\n",
            *self._next(),
        )

    def _agent(self) -> list[tuple[str, str]]:
        peer = self._state.peer
        info = peer.initialized.agent_info if peer.initialized else None
        version = f" {clean_line(info.version)}" if info else ""
        cwd = (self._session.cwd if self._session else "") or peer.cwd
        return [
            (clean_line(peer.name), "bold"),
            (version, "$text-muted"),
            (f"\n{clean_line(cwd)}", "$text-muted"),
            *((f"\n{words}", "$accent") for words in _place(peer)),
            *((f"\n{offered}", "$text-muted") for offered in [_offered(peer)] if offered),
            *(
                (f"\n{clean_line(quirk.why)} (--no-quirks switches this off)", "$text-muted")
                for quirk in peer.quirks
            ),
        ]

    def _next(self) -> list[tuple[str, str]]:
        now, limits = self._clock(), self._tabs.agent.limits
        match self._state.peer.phase:
            case Phase.STARTING:
                return [("Starting the agent …", ""), *self._last_words(now)]
            case Phase.INITIALIZING:
                words = waiting_for(self._state, "initialize", limits, now)
                return [(f"Waiting for {words}", ""), *self._last_words(now)]
            case Phase.CONNECTED:
                return self._opening(now)
        return []

    def _opening(self, now: float) -> list[tuple[str, str]]:
        if self._session is None and choosing(self._state):
            return [("Choose a session.", "")]
        if self._session is None or not self._session.opened:
            words = waiting_for(self._state, opening(self._state), self._tabs.agent.limits, now)
            return [(f"Waiting for {words}", ""), *self._last_words(now)]
        info = self._state.peer.initialized.agent_info if self._state.peer.initialized else None
        first = TOUR if info is not None and info.name == DEMO else FIRST
        lines = [(first, "")]
        names = _names(self._session.commands)
        if names:
            shown = _fitting(names, max(1, self.content_size.width - len(COMMANDS)))
            lines.append((f"\n{COMMANDS}{shown}", "$text-muted"))
        return [*lines, (f"\n{WIRE}", "$text-muted")]

    def _last_words(self, now: float) -> list[tuple[str, str]]:
        said = self._state.peer.stderr
        if not said or now - self._tabs.agent.since < PATIENCE:
            return []
        return [(f"\n\n{clean_line(said[-1])[:200]}", "$text-muted")]


def _place(peer: Peer) -> list[str]:
    """Where the agent runs, unless that is beside us."""
    if not peer.place:
        return []
    from acp_tui.session.subject import place_words

    return [place_words(peer)]


def _offered(peer: Peer) -> str:
    """What the agent said that it can do, besides what each must."""
    prompt, mcp = peer.capabilities.prompt_capabilities, peer.capabilities.mcp_capabilities
    content = {
        "images": prompt.image,
        "audio": prompt.audio,
        "embedded files": prompt.embedded_context,
    }
    servers = {"http": mcp.http, "sse": mcp.sse}
    offered = {
        "takes ": [name for name, there in content.items() if there],
        "sessions: ": [name for name in KEPT if peer.offers(f"session/{name}")],
        "MCP: ": [name for name, there in servers.items() if there],
    }
    return " · ".join(f"{what}{', '.join(names)}" for what, names in offered.items() if names)


def _names(commands: Sequence[AvailableCommand]) -> list[str]:
    """The first words of the commands, each once: `memory show` is of `memory`."""
    words = (clean_line(command.name).split() for command in commands)
    return [f"/{name}" for name in dict.fromkeys(word[0] for word in words if word)]


def _fitting(names: Sequence[str], width: int) -> str:
    """As many whole names as fit in a row, and how many more there are."""
    for count in range(len(names), 0, -1):
        more = f"  and {len(names) - count} more: type /" if count < len(names) else ""
        line = "  ".join(names[:count]) + more
        if cell_len(line) <= width:
            return line
    return f"{len(names)}: type /"
