"""Lists a folder's files for completion, and searches them by a few letters.

`scan_files` and `FileIndex.search` block: call them off the event loop.
"""

import heapq
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from acp_tui.git import gitignore
from acp_tui.git.gitignore import IgnoreFile

MOST_FILES = 200_000
"""Most files that are listed."""
LISTING_TIMEOUT = 20.0
"""Seconds after which listing stops."""
_VERSION_CONTROL = {".git", ".hg", ".svn", ".jj"}


@dataclass(frozen=True, slots=True)
class IgnoreScope:
    """Ignore rules, and how a path of ours is written in their folder: without the first `cut`
    characters, and after `above`.
    """

    rules: IgnoreFile
    cut: int = 0
    above: str = ""


Chain = tuple[IgnoreScope, ...]
"""The rules that apply in a folder, the nearest first."""


def is_ignored(path: str, chain: Chain, *, folder: bool) -> bool:
    """Return whether git ignores a file or folder whose parent isn't ignored."""
    for scope in chain:
        verdict = scope.rules.decide(scope.above + path[scope.cut :], folder=folder)
        if verdict is not None:
            return verdict
    return False


def rules_below(chain: Chain, rules: IgnoreFile | None, prefix: str) -> Chain:
    """Return the rules for a folder that may have its own; `prefix` is its path with a slash at the
    end.
    """
    return chain if rules is None else (IgnoreScope(rules, cut=len(prefix)), *chain)


def rules_above(root: Path) -> Chain:
    """Return the repository's rules that apply to a folder from above: its parents' `.gitignore`
    files, and `info/exclude`.
    """
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    files = [(top, top / ".git" / "info" / "exclude")]
    files += [
        (one, one / ".gitignore") for one in reversed(root.parents) if one.is_relative_to(top)
    ]
    scopes = []
    for folder, file in files:
        rules = gitignore.read_gitignore(file)
        if rules is not None:
            inside = root.relative_to(folder).as_posix()
            scopes.append(IgnoreScope(rules, above="" if inside == "." else f"{inside}/"))
    return tuple(reversed(scopes))


def scan_files(
    root: str, stop: Callable[[], bool] = lambda: False, most: int = MOST_FILES
) -> list[str]:
    """Return the files below a folder that git doesn't ignore, relative to it, the nearest first.

    Links to folders are not followed; whatever can't be read is omitted. Ends early when `stop`
    returns True.
    """
    until = time.monotonic() + LISTING_TIMEOUT
    above = rules_above(Path(root))
    found: list[str] = []
    folders: list[tuple[str, Chain]] = [("", above)]
    for prefix, chain in folders:  # grows while it is walked: nearer folders come first
        if len(found) >= most:
            break
        try:
            entries = list(os.scandir(f"{root}/{prefix}"))
        except OSError:
            continue
        if any(entry.name == ".gitignore" for entry in entries):
            rules = gitignore.read_gitignore(Path(root, prefix, ".gitignore"))
            chain = rules_below(chain, rules, prefix)  # noqa: PLW2901
        for entry in entries:
            if stop() or time.monotonic() > until:
                return found[:most]
            _add_entry(entry, prefix, chain, found, folders)
    return found[:most]


def _add_entry(
    entry: os.DirEntry[str],
    prefix: str,
    chain: Chain,
    found: list[str],
    folders: list[tuple[str, Chain]],
) -> None:
    try:
        folder = entry.is_dir(follow_symlinks=False)
    except OSError:
        return
    if folder and entry.name in _VERSION_CONTROL:
        return
    path = prefix + entry.name
    if is_ignored(path, chain, folder=folder):
        return
    if folder:
        folders.append((path + "/", chain))
    else:
        found.append(path)


class FileIndex:
    """Paths that are searched by a few of their letters."""

    def __init__(self, paths: list[str]) -> None:
        self.paths = paths
        self._last = ("", paths)

    def search(
        self, query: str, limit: int = 50, first: Mapping[str, int] | None = None
    ) -> list[str]:
        """Return the paths that contain these letters in this order, the likeliest first; ignores
        case. Among equally likely paths, and if there are no letters, those in `first` come first,
        by their numbers.
        """
        letters, before_others = query.lower(), first or {}
        last = len(before_others)
        if not letters:
            self._last = ("", self.paths)
            known = sorted(before_others, key=before_others.__getitem__)
            return [*known, *(one for one in self.paths if one not in before_others)][:limit]
        before, candidates = self._last
        if not before or not letters.startswith(before):
            candidates = self.paths
        holds = re.compile("[^\n]*?".join(map(re.escape, letters)), re.IGNORECASE).search
        matching = [path for path in candidates if holds(path)]
        self._last = (letters, matching)

        def rank(path: str) -> tuple[int, int, int, str]:
            nearness, length, name = _rank(path, letters)
            return nearness, before_others.get(path, last), length, name

        return heapq.nsmallest(limit, matching, key=rank)

    @property
    def count(self) -> int:
        """The number of matches of the last search."""
        return len(self._last[1])


def _rank(path: str, letters: str) -> tuple[int, int, str]:
    """Return how far a path is from the letters: the match in its name counts most, then its
    length.
    """
    whole = path.lower()
    name = whole.rpartition("/")[2]
    if name.partition(".")[0] == letters or name == letters or whole == letters:
        nearness = 0
    elif name.startswith(letters):
        nearness = 1
    elif letters in name:
        nearness = 2
    elif letters in whole:
        nearness = 3
    else:
        nearness = 4 if _in_order(letters, name) else 5
    return nearness, len(path), path


def _in_order(letters: str, name: str) -> bool:
    rest = iter(name)
    return all(letter in rest for letter in letters)
