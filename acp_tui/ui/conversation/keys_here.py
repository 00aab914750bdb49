"""Which keys the last row of the conversation names: those of what has the focus."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from acp_tui.ui.conversation import footer
from acp_tui.ui.tabs.conditions import TROUBLED
from acp_tui.ui.toolkit.hints import Hint, footer_of

if TYPE_CHECKING:
    from acp_tui.ui.conversation.screen import ConversationScreen


def keys_here(screen: "ConversationScreen") -> Sequence[Hint]:
    """Return the keys that count now in the conversation."""
    if not screen.is_active:
        return ()
    peer, session, now = screen.state.peer, screen.session, screen.clock()
    if screen.only_keys:
        return _keys_of_focus(screen)
    ways_on = footer.ways_on(peer, session, now, named=screen.trouble.has_focus)
    return [*ways_on, *_keys_of_focus(screen)]


def _keys_of_focus(screen: "ConversationScreen") -> Sequence[Hint]:
    if own := footer_of(screen.focused):
        return own
    pane, transcript = screen.pane, screen.transcript
    if transcript is not None and screen.focused is transcript:
        return footer.transcript_keys(
            screen.only_keys,
            None if _is_troubled(screen) else screen.session,
            screen.size.width,
            enter=transcript.enter,
            selecting=transcript.is_selecting,
            found=pane.found if pane is not None and pane.is_searching else None,
            asked=screen.prompt.asked is not None,
        )
    if pane is not None and pane.writes_search:
        return footer.search_keys(pane.found)
    return _written_keys(screen)


def _is_troubled(screen: "ConversationScreen") -> bool:
    return screen.state.peer.phase in TROUBLED and not screen.only_keys


def _written_keys(screen: "ConversationScreen") -> Sequence[Hint]:
    """Return the keys that count in the prompt, and in what stands over it."""
    if screen.parts.queue_has_focus:
        return footer.queue_keys(can_send=not _is_troubled(screen))
    if screen.only_keys:
        return footer.replay_keys(screen.only_keys)
    prompt = screen.prompt
    if screen.focused is prompt and prompt.completion.choosing:
        return footer.CHOOSING_KEYS
    if _is_troubled(screen):
        return footer.trouble_keys(runs=screen.focused is prompt and prompt.runs)
    if screen.question is not None:
        return footer.question_keys(screen.question.keys())
    return footer.prompt_keys(
        screen.state.peer,
        screen.session,
        screen.size.width,
        queued=screen.parts.is_queued,
        runs=prompt.runs,
        said=screen.pane is not None and screen.pane.display,
        suggests=prompt.suggests,
    )
