"""Candidates for a mention with @: the files and addresses that match what is typed."""

import re
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import PurePath
from typing import NamedTuple

from acp_tui.rewind.against_head import changed_since_head
from acp_tui.workspace.files import FileIndex, scan_files
from acp_tui.workspace.mentions import find_mentions, mention_of

MOST_SENT = 200
"""Most sent prompts that are searched for earlier mentions."""
_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_STRANGE = re.compile(r'["\x00-\x1f\x7f-\x9f\u2028\u2029]')
"""Characters that a mention or prompt can't contain; names are written unchanged or not at all."""
ADDRESSES = ("http://", "https://")


class MentionChoice(NamedTuple):
    """A candidate for a mention: the text to insert, the text to show, and a note."""

    written: str
    shown: str
    note: str = ""


class Matches(NamedTuple):
    """The best choices, and the numbers of matching files with and without a mentionable name."""

    choices: list[MentionChoice]
    total: int
    unmentionable: int = 0


class Mentionable:
    """The files in a folder, as of now. Create and use it off the event loop: it reads the disk."""

    def __init__(self, root: str, sent: Sequence[str], stop: Callable[[], bool]) -> None:
        self._root = root
        self._stop = stop
        paths = scan_files(root, stop)
        self._files = FileIndex([one for one in paths if _STRANGE.search(one) is None])
        self._unmentionable = FileIndex([one for one in paths if _STRANGE.search(one)])
        there = set(self._files.paths)
        newest = chain.from_iterable(map(find_mentions, sent[:MOST_SENT]))
        mentioned = dict.fromkeys(one.path for one in newest if one.path in there)
        changed = {path: word for path, word in changed_since_head(root).items() if path in there}
        self._first = {path: at for at, path in enumerate(dict.fromkeys([*mentioned, *changed]))}
        self._notes = dict.fromkeys(mentioned, "mentioned before") | changed

    def search(self, query: str) -> Matches:
        """Return the best matches, likeliest first, and the number of all matches."""
        if query.startswith(ADDRESSES):
            return Matches(
                [MentionChoice(f"@{query}", query, "an address: the agent may read it")], 1
            )
        paths = self._files.search(query, first=self._first)
        found = ((_format_mention(path), path) for path in paths)
        choices = [
            MentionChoice(written, path, self._note(path)) for written, path in found if written
        ]
        self._unmentionable.search(query)
        unmentionable = self._unmentionable.count + len(paths) - len(choices)
        return Matches(choices, self._files.count, unmentionable)

    def _note(self, path: str) -> str:
        if path in self._notes:
            return self._notes[path]
        return "image" if PurePath(path).suffix.lower() in _IMAGES else ""


def _format_mention(path: str) -> str | None:
    """Return the mention of a path in the folder; None if it can't be mentioned.

    A leading ~ is preceded by `./`, as it would otherwise mean the home folder.
    """
    return mention_of(f"./{path}" if path.startswith("~") else path)
