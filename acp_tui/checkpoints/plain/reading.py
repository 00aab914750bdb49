"""Reads the files that have changed since the last look, and keeps their contents."""

import os
import stat
from collections.abc import Mapping
from itertools import groupby

from acp_tui.checkpoints import bounds
from acp_tui.checkpoints.below import open_file, opened_below
from acp_tui.checkpoints.leaving_out import UNREADABLE, why_not
from acp_tui.checkpoints.plain.known import Known, Look, look_of
from acp_tui.checkpoints.plain.objects import Objects
from acp_tui.checkpoints.plain.trees import FILE, LINK, PROGRAM, Kept
from acp_tui.config.same_folder import SameFolder


class Reading:
    """What the files are, and what they looked like when it `began`."""

    def __init__(self, top: SameFolder, objects: Objects, known: Known, began: int) -> None:
        self._top = top
        self._objects = objects
        self._known = known
        self._began = began
        self.files = dict[str, Kept]()
        self.looks = dict[str, Look]()
        self.left_out = list[tuple[str, str]]()

    def read(self, listed: Mapping[str, os.stat_result]) -> None:
        """Read what isn't known; what is gone by now is left out. Raises OSError."""
        changed = list[str]()
        for path, facts in listed.items():
            id_ = self._known.id_of(path, facts)
            if id_ is not None and self._objects.has(id_):
                self._note(path, facts, id_)
            else:
                changed.append(path)
        for folder, paths in groupby(changed, lambda path: path.rpartition("/")[0]):
            self._read_in(folder, list(paths))

    def _read_in(self, folder: str, paths: list[str]) -> None:
        names = os.fsencode(folder).split(b"/") if folder else []
        try:
            with opened_below(self._top, names, make=False) as descriptor:
                for path in paths:
                    self._read(path, descriptor)
        except (FileNotFoundError, NotADirectoryError):
            pass  # gone by now, with all that was in it

    def _read(self, path: str, folder: int) -> None:
        """Keep one file or link."""
        name = path.rpartition("/")[2]
        try:
            facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISLNK(facts.st_mode):
                content = os.fsencode(os.readlink(name, dir_fd=folder))
            elif stat.S_ISREG(facts.st_mode):
                facts, content = _read_file(name, folder)
            else:
                return
        except FileNotFoundError:
            return
        except OSError:
            self.left_out.append((path, UNREADABLE))
            return
        if len(content) > bounds.BIG:
            self.left_out.append((path, why_not(facts) or "it is growing"))
            return
        self._note(path, facts, self._objects.put(content))

    def _note(self, path: str, facts: os.stat_result, id_: str) -> None:
        self.files[path] = Kept(_mode(facts), id_, facts.st_size)
        look = look_of(facts, id_)
        if not look.is_racy(self._began):
            self.looks[path] = look


def _read_file(name: str, folder: int) -> tuple[os.stat_result, bytes]:
    """Return a file's content, and what it looked like before that. Raises OSError."""
    descriptor = open_file(name, folder)
    with os.fdopen(descriptor, "rb") as file:
        return os.fstat(descriptor), file.read(bounds.BIG + 1)


def _mode(facts: os.stat_result) -> str:
    if stat.S_ISLNK(facts.st_mode):
        return LINK
    return PROGRAM if facts.st_mode & 0o100 else FILE
