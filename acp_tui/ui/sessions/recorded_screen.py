"""A conversation from our recording, where the agent can't open its session again."""

from collections.abc import Callable, Iterator, Sequence

from textual import events
from textual.content import Content

from acp_tui.formatting import counted
from acp_tui.index.passages import PassageKind
from acp_tui.text import clean, clean_line
from acp_tui.ui.retelling import MOST
from acp_tui.ui.sessions import bindings
from acp_tui.ui.toolkit.page import Page
from acp_tui.ui.toolkit.type_ahead import Guard

_SIGNS = {PassageKind.PROMPT: ("❯ ", "bold $foreground"), PassageKind.TOOL: ("• ", "$text-muted")}


CANNOT_OPEN = "{} can't open this session again; in a new one it knows nothing of it."
SHOWED_NOTHING = "{} showed nothing of this session."


class RecordedScreen(Page):
    """What was said, and a key that begins a new session with it in the prompt. Nothing is sent here."""

    BINDINGS = bindings.RECORDED
    PLACE = "recorded"
    KEYS = (("enter", "into the prompt of a new session"),)

    def __init__(
        self,
        agent: str,
        said: Sequence[tuple[PassageKind, str]],
        clock: Callable[[], float],
        tell: Callable[[], None],
        why: str = CANNOT_OPEN,
    ) -> None:
        super().__init__("From a recording", _lines(why.format(clean_line(agent)), said))
        self._guard = Guard(clock)
        self._tell = tell

    @property
    def takes_keys(self) -> bool:
        """Whether this was seen for long enough."""
        return self._guard.armed

    def on_screen_resume(self) -> None:
        """Let keys count a moment after this has come into view: it may come up by itself."""
        self._guard.hold_until_shown(self)

    def on_key(self, event: events.Key) -> None:
        """Take no answer from what is typed for something else."""
        if self._guard.early(event):
            event.stop()
            event.prevent_default()

    def action_tell(self) -> None:
        """Begin a new session that can be told of this one."""
        self.dismiss()
        self._tell()


def _lines(why: str, said: Sequence[tuple[PassageKind, str]]) -> Iterator[Content]:
    yield Content.styled(f"{why} From the recording:", "$warning")
    left = sum(len(text) for _, text in said) - MOST
    if left > 0:
        words = f"[…] the first {counted(left, 'character')} are left out"
        yield Content.styled(words, "$text-muted")
    before = None
    for kind, text in said:
        if left >= len(text):
            left -= len(text)
            continue
        shown, left = text[max(0, left) :], 0
        sign, style = _SIGNS.get(kind, ("", "$foreground"))
        if not kind is before is PassageKind.TOOL:
            yield Content("")
        yield Content.styled(f"{sign}{clean(shown).strip()}", style)
        before = kind
