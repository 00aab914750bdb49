"""Where Tab goes from each part of the conversation, once there is more than prompt and transcript."""

from typing import TYPE_CHECKING

from textual.widget import Widget

from acp_tui.ui.toolkit.hints import Hint

if TYPE_CHECKING:
    from acp_tui.ui.conversation.screen import ConversationScreen

_STEPS = {1: "comes here", 2: "twice comes here"}


def focus_next(screen: "ConversationScreen") -> None:
    """Go from the prompt to what tells of trouble, to the frames beside it, on to the transcript."""
    if not screen.beside and not screen.trouble.display:
        screen.focus_next()
    elif ways := _ring(screen):
        ways[(_at(screen, ways) + 1) % len(ways)].focus()


def ways_to_trouble(screen: "ConversationScreen") -> list[Hint]:
    """Return the key that leads to what tells of trouble, if that is shown; where Tab means something
    else, what helps.
    """
    ways = _ring(screen)
    if screen.trouble not in ways:
        return []
    is_taken = screen.focused is screen.prompt and screen.prompt.keeps_tab
    steps = (ways.index(screen.trouble) - _at(screen, ways)) % len(ways)
    words = "" if is_taken else _STEPS.get(steps, "")
    return [("tab", words)] if words else [("alt+a", "restart")]


def _ring(screen: "ConversationScreen") -> list[Widget]:
    places = [screen.prompt, screen.trouble, *screen.beside, screen.transcript]
    return [one for one in places if one is not None and one.display and one.focusable]


def _at(screen: "ConversationScreen", ways: list[Widget]) -> int:
    return ways.index(screen.focused) if screen.focused in ways else -1
