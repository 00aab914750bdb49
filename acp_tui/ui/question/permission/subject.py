"""What a question is about, as it is read above the answers."""

from textual.message import Message

from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.question.permission.body import QuestionBody

BAR = "▌"


class Subject(LinesView):
    """Scrolls by keys of the prompt, and knows how much of it is out of view."""

    class LaidOut(Message):
        """All of it is laid out."""

    def __init__(self) -> None:
        super().__init__()
        self.judged = QuestionBody(())

    def sign_at(self, line: int) -> str:
        """Return the bar that only the rows of a command have: a text of the agent's can look like one."""
        return BAR if self.judged.is_command(line) else ""

    def judge(self, body: QuestionBody) -> None:
        """Show what there is to judge by."""
        self.judged = body
        self.show(body)

    def fit(self, rows: int) -> None:
        """Show as much of a change as so many rows can."""
        if self.judged.fit(rows):
            self.show_again()

    @property
    def _seen(self) -> int:
        """How many of the rows are in view, or above that."""
        return self.scroll_offset.y + self.scrollable_content_region.height

    def is_unread(self, *, to_end: bool) -> bool:
        """Return whether something is below the rows in view that nobody may allow unseen."""
        return self.judged.unread(self._seen, to_end=to_end)

    def laid_out(self) -> None:
        """Report that it is known now what is below."""
        self.post_message(self.LaidOut())

    def out_of_view(self) -> str:
        """Return what is below the rows in view, in words; nothing if all is above."""
        return self.judged.out_of_view(self._seen)

    def read_on(self, step: int, *, pages: bool) -> bool:
        """Scroll; return False if there is nothing more in that direction."""
        rest = self.virtual_size.height - self._seen
        more = rest if step > 0 else self.scroll_offset.y
        if more > 0:
            rows = max(1, self.size.height - 1) if pages else 1
            self.scroll_relative(y=step * rows, animate=False, force=True)
        return more > 0
