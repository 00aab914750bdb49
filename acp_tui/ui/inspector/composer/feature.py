"""Messages composed by hand: reviewed in a dialog, and only then sent."""

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from acp_tui.host.agent import Agent
from acp_tui.state.commands import SendByHand
from acp_tui.state.session import Session
from acp_tui.ui.feature import AgentClosed, Feature
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.debug.drafts import MessageDraft
    from acp_tui.ui.external.feature import ExternalFeature
    from acp_tui.ui.inspector.composer.screen import ComposerScreen
    from acp_tui.ui.inspector.feature import InspectorFeature

SHOWN_CHARACTERS = 1000
"""Most characters of a line that are shown before it is sent."""


class ComposerFeature(Feature):
    """Opens the composer, and keeps the drafts for each agent until the agent is closed."""

    name = "composer"
    handlers: ClassVar = {AgentClosed: "forget"}

    def __init__(
        self, window: Window, inspector: "InspectorFeature", external: "ExternalFeature"
    ) -> None:
        self._window = window
        self._inspector = inspector
        self.external = external
        self._histories: defaultdict[Agent, list[MessageDraft]] = defaultdict(list)

    def open(self) -> None:
        """Compose a new message."""
        from acp_tui.debug.drafts import MessageDraft

        agent = self._window.tabs.agent
        if not self._refuse_if_closed():
            self._open_composer(agent, MessageDraft(id=self.fresh_id(agent)))

    def resend(self) -> None:
        """Edit the frame under the cursor to send it again, or to answer the agent's request."""
        from acp_tui.debug.drafts import LARGEST_EDITED_FRAME, draft_of

        agent, frame = self._window.tabs.agent, self._inspector.frame
        if self._refuse_if_closed():
            return
        if frame is None:
            self._inspector.show_note("this did not go over the wire; c composes a message")
        elif len(frame.raw) > LARGEST_EDITED_FRAME:
            words = f"{len(frame.raw):,} bytes are too many to edit here; acp-tui send takes a file"
            self._inspector.show_note(words)
        else:
            self._open_composer(agent, draft_of(frame, self.fresh_id(agent)))

    def _refuse_if_closed(self) -> bool:
        """Show why nothing can be sent to this agent; return whether that is so."""
        refusal = self._window.tabs.refusal
        if refusal:
            self._inspector.show_note(refusal)
        return bool(refusal)

    def fresh_id(self, agent: Agent) -> str:
        """Return an id that no message by hand to this agent has used."""
        from acp_tui.debug.drafts import fresh_id

        return fresh_id(agent.state.peer.hand_ids)

    def session(self, agent: Agent) -> Session | None:
        """Return the session that is shown, if it belongs to the agent."""
        shown = self._window.tabs.shown
        return shown.session if shown.agent is agent else None

    def _open_composer(self, agent: Agent, draft: "MessageDraft") -> None:
        from acp_tui.ui.inspector.composer.screen import ComposerScreen

        self._window.push(ComposerScreen(draft, agent, self._histories[agent], self))

    def check(self, composer: "ComposerScreen", agent: Agent, lines: list[bytes]) -> None:
        """Show the lines to be sent and the remarks about them; the dialog's answer sends them."""
        from acp_tui.debug.drafts import find_draft_notes
        from acp_tui.ui.toolkit.choice_rows import AnswerChoice
        from acp_tui.ui.toolkit.dialogs.question_dialogs import ConfirmDialog

        source = self._inspector.logs.source(agent)
        found = list(
            dict.fromkeys(one for line in lines for one in find_draft_notes(line, source.log))
        )
        held = any(one.needs_confirmation for one in found)
        facts = [f"{'✗' if one.needs_confirmation else 'i'} {one.words}" for one in found]
        facts += map(_format_line, lines)
        many = f"these {len(lines)} lines" if len(lines) > 1 else "this"
        dialog = ConfirmDialog(
            f"Send {many} to {agent.name or agent.state.peer.name}?",
            facts,
            "Send it anyway" if held else "Send it",
            self._window.clock,
            AnswerChoice("Edit further", "✎"),
        )
        dialog.escape = "edit further"
        self._window.push(dialog, partial(self._decided, composer, agent, lines))

    def _decided(
        self, composer: "ComposerScreen", agent: Agent, lines: list[bytes], sends: bool | None
    ) -> None:
        if not sends:
            return
        agent.do(SendByHand(b"\n".join(lines)))
        composer.dismiss()
        self._inspector.follow_newest()

    def forget(self, event: AgentClosed) -> None:
        """Discard the drafts for a closed agent."""
        self._histories.pop(event.agent, None)


def _format_line(line: bytes) -> str:
    """Return the line, indented if that stands for the same bytes, cropped to its beginning if it
    is long.
    """
    from acp_tui.debug.drafts import DraftError, encode_edited, format_for_editing

    text = format_for_editing(line)
    try:
        is_same = encode_edited(text) == line
    except DraftError:
        is_same = False
    if not is_same:
        text = line.decode("utf-8", "backslashreplace")
    return (
        text
        if len(text) <= SHOWN_CHARACTERS
        else f"{text[:SHOWN_CHARACTERS]}… ({len(line):,} bytes in all)"
    )
