"""What can be mentioned with an @, and fits what is typed: files and addresses."""

import re
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import PurePath
from typing import NamedTuple

from acp_tui.rewind.against_head import changed_since_head
from acp_tui.workspace.files import FileIndex, scan_files
from acp_tui.workspace.mentions import find_mentions, mention_of

MOST_SENT = 200
"""Prompts in which is looked for what was mentioned before."""
_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_STRANGE = re.compile(r'["\x00-\x1f\x7f-\x9f\u2028\u2029]')
"""What no mention can hold, or no prompt: a name is written as it is, or not at all."""
ADDRESSES = ("http://", "https://")


class MentionChoice(NamedTuple):
    """What can be mentioned: as it is written, what stands in the row, and what that is."""

    written: str
    shown: str
    note: str = ""


class Matches(NamedTuple):
    """The likeliest choices, how many files fit, and how many more do whose names no mention can hold."""

    choices: list[MentionChoice]
    total: int
    left_out: int = 0


class Mentionable:
    """The files below a folder as they are now. All of it is to be used off the event loop."""

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
        """Return the best matches, the likeliest first, and the number of all matches."""
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
        left_out = self._unmentionable.count + len(paths) - len(choices)
        return Matches(choices, self._files.count, left_out)

    def _note(self, path: str) -> str:
        if path in self._notes:
            return self._notes[path]
        return "image" if PurePath(path).suffix.lower() in _IMAGES else ""


def _format_mention(path: str) -> str | None:
    """Return the mention of a path in the folder. A name with a leading ~ gets `./`, or it would mean the home
    folder.
    """
    return mention_of(f"./{path}" if path.startswith("~") else path)
