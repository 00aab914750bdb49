"""Breakpoints and faults of an agent, and the actions on held frames."""

from functools import partial
from typing import TYPE_CHECKING

from acp_tui.host.agent import Agent
from acp_tui.protocol.frames import Frame
from acp_tui.state.commands import AnswerFrame, DelayFrame, ReleaseFrame, SetBreakpoint, SetFault
from acp_tui.ui.ask import ask_for_line
from acp_tui.ui.feature import Feature
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.external.feature import ExternalFeature

SHOWN_CHARACTERS = 3000
"""Most characters of a held frame that are shown."""


class HoldingFeature(Feature):
    """Sends the user's breakpoints, faults and decisions on held frames to the agent's client."""

    name = "holding"

    def __init__(self, window: Window, external: "ExternalFeature") -> None:
        self._window = window
        self._external = external

    @property
    def now(self) -> float:
        """The current time on the state's clock."""
        return self._window.clock()

    def open(self) -> None:
        """Show held frames, breakpoints and faults."""
        from acp_tui.ui.inspector.holding.screen import HoldingScreen

        self._window.push(HoldingScreen(self._window.tabs.agent, self))

    def add(self, agent: Agent, kind: str, text: str = "", problem: str = "") -> None:
        """Ask for a breakpoint or a fault; if it is invalid, ask again with the `problem`."""
        facts = [FAULT_FACT if kind == "fault" else BREAKPOINT_FACT]
        if problem:
            facts.append(f"✗ {problem}")

        def written(text: str | None) -> None:
            if text is None or not text.strip():
                return
            problem = _problem(kind, text.strip())
            if problem is not None:
                self.add(agent, kind, text, problem)
            else:
                agent.do(SetFault(text.strip()) if kind == "fault" else SetBreakpoint(text.strip()))

        ask_for_line(self._window, f"A new {kind}", facts, text, written)

    # Held frames

    def twice(self, agent: Agent, number: int) -> None:
        """Pass on a held frame twice."""
        agent.do(ReleaseFrame(number, times=2))

    def delay(self, agent: Agent, number: int) -> None:
        """Ask for the number of seconds after which a held frame is passed on."""
        self.cancel_delay(agent, number)

        def written(text: str | None) -> None:
            try:
                seconds = float(text or "x")
                if not 0 <= seconds <= LONGEST_DELAY:
                    raise ValueError
            except ValueError:
                if text is not None:
                    words = f"give a number of seconds, at most {LONGEST_DELAY:,}"
                    self._window.notify(words, severity="error")
                return
            if self._is_held(agent, number, "it can't be delayed"):
                agent.do(DelayFrame(number, seconds))

        question = f"Pass #{number} on in how many seconds?"
        ask_for_line(self._window, question, (), "", written)

    def cancel_delay(self, agent: Agent, number: int) -> None:
        """Cancel the delay of a held frame, as the user acts on it now."""
        held = agent.state.holding.frames.get(number)
        if held is not None and held.due is not None:
            agent.do(DelayFrame(number, None))

    def edit(self, agent: Agent, number: int) -> None:
        """Edit a held frame on the screen, then pass it on."""
        from acp_tui.debug.drafts import format_for_editing
        from acp_tui.ui.inspector.holding.screen import EditScreen

        frame = self._editable_frame(agent, number)
        if frame is not None:
            screen = EditScreen(f"Edit #{number}, and pass it on", format_for_editing(frame.raw))
            self._window.push(screen, partial(self._send_edited, agent, number))

    def edit_outside(self, agent: Agent, number: int) -> None:
        """Edit a held frame in `$EDITOR`, then pass it on; an unchanged one stays held."""
        from acp_tui.debug.drafts import format_for_editing

        frame = self._editable_frame(agent, number)
        if frame is not None:
            text = format_for_editing(frame.raw)
            self._external.edit_text(
                text, ".json", partial(self._show_written, agent, number, text)
            )

    def _show_written(self, agent: Agent, number: int, before: str, text: str) -> None:
        """Show the text from the editor again: nothing is passed on that the user hasn't seen here."""
        from acp_tui.ui.inspector.holding.screen import EditScreen

        if text.strip() == before.strip():
            self._window.show_note(f"nothing was changed: #{number} is still held")
            return
        screen = EditScreen(f"Edit #{number}, and pass it on", text.rstrip("\n"))
        self._window.push(screen, partial(self._send_edited, agent, number))

    def _send_edited(self, agent: Agent, number: int, raw: bytes | None) -> None:
        if raw is not None and self._is_held(agent, number):
            agent.do(ReleaseFrame(number, raw))

    def _is_held(
        self, agent: Agent, number: int, undone: str = "what you wrote is not sent"
    ) -> bool:
        """Return whether a frame is still held. If not, warn the user; `undone` describes what has
        no effect.
        """
        if number in agent.state.holding.frames:
            return True
        words = f"#{number} is no longer held: {undone}"
        self._window.notify(words, severity="warning")
        return False

    def answer(self, agent: Agent, number: int) -> None:
        """Let the user answer a held request, which then never reaches its receiver."""
        from acp_tui.debug.drafts import example_response
        from acp_tui.ui.inspector.holding.screen import EditScreen

        frame = self._editable_frame(agent, number)
        if frame is None:
            return
        text = example_response(frame.raw)
        if text is None:
            self._window.refuse("only a request can be answered")
            return

        def written(raw: bytes | None) -> None:
            if raw is not None and self._is_held(agent, number):
                agent.do(AnswerFrame(number, raw))

        self._window.push(EditScreen(f"Answer #{number} yourself", text), written)

    def excerpt(self, agent: Agent, number: int) -> str:
        """Return the beginning of a held frame, indented."""
        from acp_tui.debug.drafts import format_for_editing

        frame = _find_frame(agent, number)
        return (
            ""
            if frame is None
            else format_for_editing(frame.raw[: 4 * SHOWN_CHARACTERS])[:SHOWN_CHARACTERS]
        )

    def is_request(self, agent: Agent, number: int) -> bool:
        """Return whether a held frame is a request that is short enough to be answered here."""
        from acp_tui.debug.drafts import LARGEST_EDITED_FRAME, example_response

        frame = _find_frame(agent, number)
        return (
            frame is not None
            and len(frame.raw) <= LARGEST_EDITED_FRAME
            and example_response(frame.raw) is not None
        )

    def _editable_frame(self, agent: Agent, number: int) -> Frame | None:
        from acp_tui.debug.drafts import LARGEST_EDITED_FRAME

        self.cancel_delay(agent, number)
        frame = _find_frame(agent, number)
        if frame is not None and len(frame.raw) > LARGEST_EDITED_FRAME:
            self._window.refuse(f"{len(frame.raw):,} bytes are too many to edit here")
            return None
        return frame


LONGEST_DELAY = 86_400
"""Longest delay in seconds, one day: a frame delayed for longer would seem lost."""
BREAKPOINT_FACT = "Messages that match are held, as in dir:out method:session/prompt"
FAULT_FACT = (
    "[in:|out:]NAME[=VALUE][:FILTER], as drop=10% or delay=1s-3s or wrong-id:method:session/new"
)


def _find_frame(agent: Agent, number: int) -> Frame | None:
    """Find a frame by its number, newest first."""
    records = agent.records
    for at in range(len(records) - 1, -1, -1):
        record = records[at]
        if isinstance(record, Frame) and record.number == number:
            return record
    return None


def _problem(kind: str, text: str) -> str | None:
    """Return why the text is no valid breakpoint or fault; None if it is valid."""
    from acp_tui.debug.faults import FaultError, read_fault
    from acp_tui.debug.filters.language import FilterError
    from acp_tui.debug.filters.predicates import compile_filter

    try:
        if kind == "fault":
            read_fault(text)
        else:
            compile_filter(text)
    except FaultError as error:
        return str(error).strip()
    except FilterError as error:
        return error.message
    return None
