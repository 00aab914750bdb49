"""The panel shown while the agent can't be used: what happened, its last output, and the keys that
help.
"""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from acp_tui.config.known_agents import how_to_speak_acp
from acp_tui.formatting import counted
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.state.peer import Peer, Phase
from acp_tui.text import clean_line, judged_text
from acp_tui.ui.conversation import bindings
from acp_tui.ui.keys import format_hints, key_name
from acp_tui.ui.tabs.conditions import TROUBLED, exit_words
from acp_tui.ui.toolkit.hints import Hint
from acp_tui.ui.toolkit.timers import Ticker
from acp_tui.ui.toolkit.type_ahead import Guard, TypedAhead

if TYPE_CHECKING:
    from acp_tui.ui.sessions.agents import AgentsFeature
    from acp_tui.ui.sessions.feature import SessionsFeature

LAST_ROWS = 6
"""Most rows of the agent's last lines on stderr; a line that doesn't fit is left out."""
LONGEST = 2000
"""Most characters of one of its lines that are read."""
MOST_WHY = 4
"""Most rows of the details; the inspector shows all of them."""
QUICK = 5.0
"""Seconds within which an agent that exits has ended at once."""


class TroublePanel(Widget, can_focus=True):
    """Describes the trouble above the prompt; the transcript stays readable."""

    BINDINGS = bindings.TROUBLE  # type: ignore[assignment]

    class ReadingWanted(Message):
        """The user wants to read on."""

    def __init__(
        self, clock: Callable[[], float], sessions: "SessionsFeature", agents: "AgentsFeature"
    ) -> None:
        super().__init__()
        self._sessions = sessions
        self._agents = agents
        self._clock = clock
        self._guard = Guard(clock)
        self._ticker = Ticker(self, 0.5, self.refresh)
        """Counts down the seconds until the agent is restarted."""
        self._peer = Peer()
        self._readable = False
        self._alone = True
        self._ways: Sequence[Hint] = ()
        self.is_read_only = False
        """Whether no key does anything about it, as in a replay."""
        self.display = False

    def show(self, peer: Peer, *, readable: bool, alone: bool) -> bool:
        """Show the trouble, if there is any; return whether it is new.

        `readable` is whether there is a transcript to return to, `alone` whether there is no other
        agent.
        """
        ended = self.is_read_only and peer.process.exit is not None and peer.process.exit.asked
        trouble = peer.phase in TROUBLED and not ended
        new = trouble and not self.display
        if new:
            self.guard_keys()
        self._peer = peer
        self._readable = readable
        self._alone = alone
        self.display = trouble
        self._ticker.run_while(trouble and peer.restart.planned is not None)
        self.refresh(layout=trouble)
        return new

    def lead(self, ways: Sequence[Hint]) -> None:
        """Set the hints shown while the focus is elsewhere; none while no key leads here."""
        if ways != self._ways:
            self._ways = ways
            self.refresh()

    def guard_keys(self) -> None:
        """Guard the keys for a moment after the panel has come into view."""
        self._guard.hold_until_shown(self)

    def on_key(self, event: events.Key) -> None:
        """Ignore keys that were typed for something else."""
        self._guard.reject_key(self, event)

    def on_paste(self, event: events.Paste) -> None:
        """Pass pasted text to the prompt: here it answers nothing."""
        event.stop()
        self.post_message(TypedAhead(event))

    def on_focus(self) -> None:
        """Show that keys work now."""
        self.refresh(layout=True)

    def on_blur(self) -> None:
        """Show that keys no longer work."""
        self.refresh(layout=True)

    def action_restart(self) -> None:
        """Restart the agent."""
        self._agents.restart()

    def action_stop(self) -> None:
        """Cancel the planned restart."""
        if self._peer.restart.planned is not None:
            self._agents.stop_restarting()

    def action_new(self) -> None:
        """Open a new session, if the agent is running."""
        if self._peer.phase is Phase.NO_SESSION:
            self._sessions.new_of_shown()

    def action_choose(self) -> None:
        """Show the agent's sessions, if it can list them."""
        if self._peer.phase is Phase.NO_SESSION and self._peer.offers("session/list"):
            self._sessions.open_picker()

    def action_close(self) -> None:
        """Close the agent. Never quits the program: the key may begin a text."""
        if not self._alone:
            self._agents.close_shown()

    def action_read(self) -> None:
        """Return to the transcript."""
        self.post_message(self.ReadingWanted())

    def render(self) -> Content:
        rows = [
            self._draw_trouble(),
            *self._why(),
            *self._last_words(),
            *self._likely_cause(),
            *self._restart_words(),
        ]
        return Content("\n").join(rows if self.is_read_only else [*rows, self._keys()])

    def _draw_trouble(self) -> Content:
        trouble = self._trouble()
        name = clean_line(self._peer.name)
        if not trouble:
            words = f"{name} {exit_words(self._peer)}{', at once' if self._ended_at_once else ''}"
        elif name in trouble[0]:
            words = trouble[0]
        else:
            words = f"{name}: {trouble[0]}"
        return Content.styled(f"✗ {words}", "bold $error")

    def _why(self) -> list[Content]:
        """Return the details of the trouble; an exit after it was only its consequence."""
        width = max(1, self.content_size.width)
        rest = self._trouble()[1:]
        why = [row for line in rest for row in _wrapped(line[:LONGEST], width)]
        if len(why) > MOST_WHY or any(len(line) > LONGEST for line in rest):
            why = [*why[: MOST_WHY - 1], f"… {key_name('f12')} shows all"]
        if rest and self._peer.process.exit is not None:
            why.append(f"it {exit_words(self._peer)}")
        return [Content(row) for row in why]

    def _trouble(self) -> list[str]:
        return [clean_line(line) for line in judged_text(self._peer.trouble or "").splitlines()]

    def _last_words(self) -> list[Content]:
        peer = self._peer
        lines = [clean_line(line) for line in peer.output.stderr if line.strip()]
        if (
            not lines
            and isinstance(peer.process.exit, ProcessExited)
            and not peer.process.exit.asked
        ):
            words = "It wrote nothing to stderr"
            if peer.initialized is None and peer.trouble is None:
                words += ", and answered nothing"
            return [Content(f"{words}.")]
        shown = " ".join(" ".join(self._trouble()).split())
        new = [line for line in lines if " ".join(line.split()) not in shown]
        last = _last(new, max(1, self.content_size.width - 2))
        return [Content.styled(f"│ {row}", "$text-muted") for row in last]

    def _likely_cause(self) -> list[Content]:
        """Return the likely cause if the command doesn't seem to be an agent."""
        peer = self._peer
        known = how_to_speak_acp(peer.argv) if peer.initialized is None else ""
        if known:
            return [Content.styled(known, "$text-warning")]
        if peer.trouble is not None or peer.output.stderr or not self._ended_at_once:
            return []
        option = "" if any("acp" in word.lower() for word in peer.argv) else ", such as --acp"
        words = f"An ACP agent stays running: maybe this command needs an option{option}."
        return [Content.styled(words, "$text-muted")]

    @property
    def _ended_at_once(self) -> bool:
        """Whether it exited by itself right after its start, before it answered `initialize`."""
        peer, ended = self._peer, self._peer.process.exit
        if not isinstance(ended, ProcessExited) or ended.asked or ended.signal or peer.initialized:
            return False
        return peer.process.started is not None and ended.at - peer.process.started < QUICK

    def _restart_words(self) -> list[Content]:
        """Return when the agent is restarted automatically, or why it isn't."""
        planned = self._peer.restart.planned
        if planned is not None:
            seconds = math.ceil(max(0.0, planned.at + planned.seconds - self._clock()))
            action = "connecting again" if self._peer.url else "restarting"
            words = f"{action} in {seconds} s, after {counted(planned.failures, 'failure')}"
            return [Content.styled(words, "bold $warning")]
        if self._peer.restart.stopped is not None:
            action = "not connected again" if self._peer.url else "not restarted"
            return [
                Content.styled(f"{action}: {clean_line(self._peer.restart.stopped)}", "$warning")
            ]
        return []

    def _keys(self) -> Content:
        return format_hints(self._offered() if self.has_focus and self._ways else self._ways)

    def _offered(self) -> list[tuple[str, str]]:
        peer = self._peer
        planned = peer.restart.planned is not None
        keys = []
        if peer.phase is Phase.NO_SESSION:
            keys.append(("n", "new session"))
            if peer.offers("session/list"):
                keys.append(("o", "others"))
        again = "connect" if peer.url else "restart"
        keys.append(("r", f"{again} now" if planned else again))
        if planned:
            keys.append(("x", "don't"))
        if not self._alone:
            keys.append(("q", "close"))
        return [*keys, ("enter", "read on" if self._readable else "to the prompt")]


def _last(lines: Sequence[str], width: int) -> list[str]:
    """Return the rows of the last lines: as many whole lines as fit, but at least one."""
    rows_shown: list[str] = []
    for line in reversed(lines):
        rows = _wrapped(line[:LONGEST], width)
        if rows_shown and len(rows_shown) + len(rows) > LAST_ROWS:
            break
        rows_shown = [*rows, *rows_shown]
    return rows_shown if len(rows_shown) <= LAST_ROWS else [*rows_shown[: LAST_ROWS - 1], "…"]


def _wrapped(line: str, width: int) -> list[str]:
    from acp_tui.ui.lines.text_lines import (
        wrapped_rows,
    )  # a start that goes well doesn't need it

    return [line[start:end] for start, end in wrapped_rows(line, width)]
