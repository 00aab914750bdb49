"""What the schema says of what is being written."""

import re

from textual.content import Content
from textual.widgets import Static

from acp_tui.text import clean

RAW_HELP = (
    r"Each line is sent as a line of its own, with a newline behind it. \xff is the byte of that "
    "number; all else is sent as it stands here, in UTF-8."
)

_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


class SchemaAbout(Static):
    """The schema's words: below the message, or beside it where there is room."""

    def __init__(self) -> None:
        super().__init__(markup=False, id="about")

    def tell(self, words: str) -> None:
        """Show these, with the lines of each paragraph joined: the schema breaks them where it likes.

        Of links only the words are shown.
        """
        joined = re.sub(r"(?<!\n)\n(?![\n*-])", " ", _LINK.sub(r"\1", words))
        self.update(Content.styled(clean(joined), "$text-muted"))
