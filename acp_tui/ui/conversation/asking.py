"""A question in the conversation: the prompt leads it its keys, and both are read as one with the talk."""

from typing import TYPE_CHECKING

from textual import events

from acp_tui.host.session_names import subagent_name
from acp_tui.ui.toolkit.notes import Note

if TYPE_CHECKING:
    from acp_tui.ui.conversation.screen import ConversationScreen


class Asking:
    """What the conversation does about the question that is asked in the tab that is shown."""

    def __init__(self, screen: "ConversationScreen") -> None:
        self._screen = screen

    def show(self) -> None:
        """Show what is asked here, and who waits elsewhere."""
        screen, before = self._screen, self._screen.question
        had_focus = before is not None and before.has_focus_within  # what is hidden has none
        screen.body.show_question(screen.prompt.text)
        question = screen.question
        if had_focus and before is not question:
            screen.prompt.focus()
        if question is not None and question is not before:
            screen.notes.forget()
        screen.set_class(question is not None, "-asks")
        screen.parts.show_elsewhere()
        if screen.only_keys:
            return
        screen.prompt.asked = question
        if question is not None:
            # Words that reject go to the session of the tab: a subagent has none of its own.
            asker = question.asked.session_id
            question.can_send = not subagent_name(screen.state, asker or "") and (
                screen.session is None or screen.session.subagent is None
            )

    def place_notes(self) -> None:
        """Put notes where they hide no part of the question, if they stand over the screen: over the
        last row of the conversation.
        """
        screen, question = self._screen, self._screen.question
        floats = question is not None and screen.has_class("-low")
        region = question.region if question is not None and floats else None
        if region:
            screen.notes.float_at(max(region.y - 1, screen.body.region.y), region.width)
        elif not floats:
            screen.notes.settle()

    def explain(self, words: str) -> None:
        """Show why a key answered nothing."""
        screen, asked = self._screen, self._screen.question

        def holds() -> bool:
            return screen.question is asked and not (asked and asked.has_warned)

        screen.notes.say(Note(words, holds=holds))

    def scroll(self, step: int, *, pages: bool) -> None:
        """Scroll on from the end of the question into the conversation, and the other way."""
        transcript, question = self._screen.transcript, self._screen.question
        at_end = transcript is None or transcript.scroll_y >= transcript.max_scroll_y
        ours = question is not None and (step < 0 or at_end)
        if ours and question is not None and question.scroll_subject(step, pages=pages):
            return
        if transcript is not None:
            (transcript.action_pages if pages else transcript.action_lines)(step)

    def press_in_transcript(self, key: events.Key) -> None:
        """Apply a number that was pressed in the transcript: it answers there, too."""
        question, prompt = self._screen.prompt.asked, self._screen.prompt
        if question is None:
            return
        if not key.key.isdecimal():
            question.type_elsewhere(key)
            return
        if prompt.text.strip():
            return
        pressed = question.press(key)
        if not pressed.done:
            prompt.take(f"{pressed.text}{key.key}", key)
        key.stop()
