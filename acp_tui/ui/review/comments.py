"""Comments on changed lines: written, gone through, and put into the prompt."""

from typing import TYPE_CHECKING

from acp_tui.edits.comments import Comment, Comments, as_prompt
from acp_tui.ui.ask import ask_line
from acp_tui.ui.keys import key_name
from acp_tui.ui.lines.visible import visible
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_tui.host.agent import Agent
    from acp_tui.ui.review.port import ReviewPort
    from acp_tui.ui.tabs.tab import Tab

QUOTED = 12
"""How many of the lines the question for a comment shows."""


class ReviewComments:
    """Keeps comments until a person sends them: those of each session of each agent."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._kept: dict[tuple[Agent, str], Comments] = {}

    def of(self, tab: "Tab", session_id: str) -> Comments:
        """Return the comments on a session."""
        return self._kept.setdefault((tab.agent, session_id), Comments())

    def ask(self, comments: Comments, about: Comment, then: "Callable[[], object]") -> None:
        """Ask for what is to be said about lines; no words remove what was said."""

        def written(words: str | None) -> None:
            if words is not None:
                comments.put(about._replace(words=words.strip()))
                then()

        quoted = [f"{one.sign}{visible(one.text)}" for one in about.lines[:QUOTED]]
        if len(about.lines) > QUOTED:
            quoted.append(f"… {len(about.lines) - QUOTED} more")
        question = "Comment on these lines" if len(about.lines) > 1 else "Comment on this line"
        before = comments.about(about).words
        ask_line(self._window, question, [visible(about.place), *quoted], before, written)

    def open(self, screen: "ReviewPort") -> None:
        """Show all comments on one page."""
        from acp_tui.ui.review.comments_page import CommentsPage

        comments = self.of(screen.tab, screen.session_id)
        if comments:
            self._window.push(CommentsPage(comments, self, screen))
        else:
            self._say_none(screen)

    def write(self, screen: "ReviewPort") -> None:
        """Write all comments into the prompt: a person sends them, or not."""
        comments = self.of(screen.tab, screen.session_id)
        if not comments:
            self._say_none(screen)
            return
        told = as_prompt(comments.take_all())
        screen.dismiss()
        self._window.tabs.show(screen.tab)
        self._window.refresh_view()
        self._window.prompt.begin_with(told, "Enter sends your comments; change them as you like")

    def _say_none(self, screen: "ReviewPort") -> None:
        screen.tell(f"there is no comment yet; {key_name('c', 'changed-files')} makes one")
