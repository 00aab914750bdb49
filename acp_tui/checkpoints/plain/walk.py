"""Lists the files of a folder that no rules ignore: through no link, and not for too long."""

import errno
import os
import stat
import time

from acp_tui.checkpoints import bounds
from acp_tui.checkpoints.below import open_file, opened_below
from acp_tui.checkpoints.errors import TooMuchError
from acp_tui.checkpoints.leaving_out import OWN_REPOSITORY, UNREADABLE, why_not
from acp_tui.checkpoints.reading_rules import read_rules
from acp_tui.config.same_folder import SameFolder
from acp_tui.formatting import counted, size
from acp_tui.workspace import gitignore
from acp_tui.workspace.ignored import Chain, is_ignored, rules_above, rules_below

_RULES = ".gitignore"
_LEADS = "gitdir: "
"""What a file `.git` begins with that leads to a repository."""
_LONGEST = 5000
"""Bytes of it that are read: more than a path has."""


class Walk:
    """What there is, and what isn't kept; paths are text as Python's file system functions give it."""

    def __init__(self, top: SameFolder, own: str) -> None:
        """What is our `own`, relative to the top, is nobody's work."""
        self._top = top
        self._own = own
        self._bytes = 0
        self._until = 0.0
        self.files = dict[str, os.stat_result]()
        self.rules = dict[str, str]()
        self.left_out = list[tuple[str, str]]()

    def look(self) -> None:
        """List all. Raises TooMuchError, or OSError if the top itself can't be read."""
        self._until = time.monotonic() + bounds.PATIENCE
        folders: list[tuple[str, Chain]] = [("", rules_above(self._top.path))]
        for prefix, chain in folders:  # grows while it is walked
            self._look_at_clock()
            try:
                folders += self._enter(prefix, chain)
            except OSError as error:
                if not prefix:
                    raise
                self._cant_enter(prefix, error)

    def _look_at_clock(self) -> None:
        """Raises TooMuchError."""
        if time.monotonic() > self._until:
            raise TooMuchError(
                f"too much: it took longer than {bounds.PATIENCE:.0f} s to list its files"
            )

    def _cant_enter(self, prefix: str, error: OSError) -> None:
        """Name a folder that can't be read; it may be gone by now, or a link."""
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            self.left_out.append((prefix, UNREADABLE))

    def _enter(self, prefix: str, chain: Chain) -> list[tuple[str, Chain]]:
        """Take the files of a folder; return the folders in it. Raises TooMuchError or OSError."""
        names = os.fsencode(prefix).split(b"/")[:-1]
        with opened_below(self._top, names, make=False) as folder:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda one: one.name)
            if prefix and any(one.name == ".git" for one in entries) and _is_repository(folder):
                self.left_out.append((prefix, OWN_REPOSITORY))
                return []
            if any(one.name == _RULES for one in entries):
                chain = self._with_rules(chain, folder, prefix)
            return [
                (f"{prefix}{entry.name}/", chain)
                for entry in entries
                if self._take(entry, prefix, chain)
            ]

    def _with_rules(self, chain: Chain, folder: int, prefix: str) -> Chain:
        """Add the rules of a folder. Raises TooMuchError."""
        path = f"{prefix}{_RULES}"
        text = read_rules(_RULES, folder, path)
        if text is None:
            return chain
        self.rules[path] = text
        return rules_below(chain, gitignore.parse(text), prefix)

    def _take(self, entry: os.DirEntry[str], prefix: str, chain: Chain) -> bool:
        """Take a file, if it is one to be kept; whether it is a folder. Raises TooMuchError."""
        self._look_at_clock()
        path = prefix + entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name.lower() == ".git" or path == self._own:
            return False
        if is_ignored(path, chain, folder=is_folder):
            return False
        if is_folder:
            return True
        try:
            facts = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return False
        except OSError:
            self.left_out.append((path, UNREADABLE))
            return False
        if stat.S_ISREG(facts.st_mode) or stat.S_ISLNK(facts.st_mode):
            self._take_file(path, facts)
        return False

    def _take_file(self, path: str, facts: os.stat_result) -> None:
        why = why_not(facts)
        if why is not None:
            self.left_out.append((path, why))
            return
        self.files[path] = facts
        self._bytes += facts.st_size
        if len(self.files) > bounds.NEW_FILES or self._bytes > bounds.NEW_BYTES:
            most = f"{counted(bounds.NEW_FILES, 'file')} ({size(bounds.NEW_BYTES)})"
            raise TooMuchError(f"too much: more than {most} that no .gitignore leaves out")


def _is_repository(folder: int) -> bool:
    """Whether what is called `.git` is what it says, or leads there: as git sees it."""
    try:
        return _has_head(".git", folder) or _has_head(_led_to(folder), folder)
    except (OSError, ValueError):  # also for a name with a NUL
        return False


def _has_head(path: str, folder: int) -> bool:
    try:
        os.stat(f"{path}/HEAD", dir_fd=folder, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _led_to(folder: int) -> str:
    """Return where a file `.git` says that the repository is. Raises OSError, or ValueError for none."""
    with os.fdopen(open_file(".git", folder), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("no file")
        told = os.fsdecode(file.read(_LONGEST)).rstrip("\r\n")
    if not told.startswith(_LEADS):
        raise ValueError("it leads nowhere")
    return told.removeprefix(_LEADS)
