"""Which keys the last row of the conversation names: those of what has the focus."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from acp_tui.ui.conversation import footer
from acp_tui.ui.conversation.trouble import TROUBLED
from acp_tui.ui.hints import Hint, footer_of

if TYPE_CHECKING:
    from acp_tui.ui.conversation.screen import ConversationScreen


def keys_here(screen: "ConversationScreen") -> Sequence[Hint]:
    """Return the keys that count now in the conversation."""
    if not screen.is_active:
        return ()
    if own := footer_of(screen.focused):
        return own
    only, pane, phase = screen.only_keys, screen.pane, screen.state.peer.phase
    if phase in TROUBLED and not only:
        return footer.trouble_keys(phase, named=screen.trouble.has_focus)
    transcript = screen.transcript
    if transcript is not None and screen.focused is transcript:
        return footer.transcript_keys(
            only,
            screen.session,
            screen.size.width,
            enter=transcript.enter,
            selecting=transcript.is_selecting,
            searching=pane is not None and pane.is_searching,
            asked=screen.prompt.asked is not None,
        )
    if pane is not None and pane.writes_search:
        return footer.SEARCH_KEYS
    return _written_keys(screen)


def _written_keys(screen: "ConversationScreen") -> Sequence[Hint]:
    """Return the keys that count in the prompt, and in what stands over it."""
    if screen.parts.queue_has_focus:
        return footer.QUEUE_KEYS
    if screen.only_keys:
        return footer.replay_keys(screen.only_keys)
    prompt = screen.prompt
    if screen.focused is prompt and prompt.completion.choosing:
        return footer.CHOOSING_KEYS
    if screen.question is not None:
        return footer.question_keys(screen.question.keys())
    return footer.prompt_keys(
        screen.state.peer,
        screen.session,
        screen.clock(),
        screen.size.width,
        queued=screen.parts.is_queued,
        runs=prompt.runs,
    )
