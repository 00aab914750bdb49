"""Resend a prompt, and compare its last two turns."""

from typing import TYPE_CHECKING

from anyio import to_thread

from acp_tui.host.agent import Agent
from acp_tui.state.entries import is_prompt
from acp_tui.state.session import Session
from acp_tui.text import clean_line, clean_text
from acp_tui.ui.feature import Feature
from acp_tui.ui.keys import key_name
from acp_tui.ui.prompt.sending import why_not_sent
from acp_tui.ui.toolkit.shortened import crop_text
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.prompt.feature import PromptFeature

NOT_FROM_HERE = "this was not sent from here: read it, and Enter sends it"
NOTE_SECONDS = 8.0
"""Seconds that the note about the next step stays on screen."""


class RerunsFeature(Feature):
    """Resends a prompt and compares both turns, for a user who changed the agent in between."""

    name = "reruns"

    def __init__(self, window: Window, prompts: "PromptFeature") -> None:
        self._window = window
        self._tabs = window.tabs
        self._prompts = prompts

    def send(self) -> None:
        """Resend the last prompt that was sent from here, if the agent is idle.

        A prompt that is only in the transcript may have been written by the agent: it is put into
        the prompt for the user to send.
        """
        tab, session = self._tabs.shown, self._tabs.shown.session
        shown_prompt = "" if tab.sent or session is None else _last_prompt(session)
        why_not = why_not_sent(tab.agent.state, session)
        if why_not is None and session is not None and session.turn is not None:
            why_not = "a turn is running; Esc cancels it"
        if why_not is None and self._tabs.questions_in(tab):
            why_not = "a question waits for you"
        if why_not is None and not (tab.sent or shown_prompt):
            why_not = "no prompt was sent in this session"
        if why_not is not None:
            self._window.refuse(f"not sent again: {why_not}")
            return
        if shown_prompt:
            self._offer_prompt(shown_prompt)
            return
        self._prompts.resend(tab.sent)
        self._window.show_note(
            "sent again; after the turn, Tab and = show what differs", NOTE_SECONDS
        )

    def _offer_prompt(self, shown_prompt: str) -> None:
        from acp_tui.workspace.mentions import escape_mentions

        if self._window.prompt.text:
            self._window.refuse("not sent again: the prompt isn't empty")
        else:
            self._prompts.prepend_text(escape_mentions(clean_text(shown_prompt)), NOT_FROM_HERE)

    def compare(self) -> None:
        """Compare the last turn with the previous one that had the same prompt."""
        agent, session = self._tabs.agent, self._tabs.shown.session
        if session is None or session.turn is not None:
            self._window.refuse("there is nothing to compare before the turn has ended")
            return
        self._window.spawn(self._compare_turns(agent, session.session_id))

    async def _compare_turns(self, agent: Agent, session_id: str) -> None:
        from acp_tui.debug.compare.comparison import compare_recordings, find_rerun, read_turn
        from acp_tui.ui.differences import DifferencesScreen, take_steps

        front = self._window.screens[-1]
        found = await take_steps(find_rerun(agent.records, session_id))
        if found is None:
            self._window.show_note(
                f"this prompt was sent only once here; {key_name('alt+r')} sends it again"
            )
            return
        before, after = [await take_steps(read_turn(agent.records, one)) for one in found]
        differences = await to_thread.run_sync(
            compare_recordings, [before], [after], abandon_on_cancel=True
        )
        title = f"Since the run before: {crop_text(clean_line(after.words), 40)}"
        self._window.push(DifferencesScreen(differences, title), over=front)


def _last_prompt(session: Session) -> str:
    """Return the text of the newest prompt in the transcript; "" if there is none."""
    prompts = (entry.text for entry in reversed(session.entries) if is_prompt(entry))
    return next(prompts, "")
