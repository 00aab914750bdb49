"""Finds pipes and devices that would block git, which opens whatever is there.

Anyone who can write to a folder can put one there, and git would never return.
"""

import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import AnyStr

from acp_tui.store.same_folder import open_file

_READ_FOLDERS = ("", "info", "objects/info", "objects/pack")
"""Folders of a repository whose files git always reads."""
_READ_FILES = (".gitignore", ".gitattributes")
"""Files of a working tree that git reads; it doesn't follow links to them."""
_MOST_FILES = 10_000
"""Most files of one folder that are checked."""
_SEARCH_TIMEOUT = 1.0
"""Seconds for the search of a working tree."""
_LONGEST_POINTER = 4096


def blocking_file(folder: Path) -> str | None:
    """Return a description of a file that blocks git when it finds a folder's repository or reads
    the folder's rules, or None.
    """
    top, repositories = _repositories(folder)
    found = chain(
        _blocking_in(repositories),
        _blocking_branches(repositories),
        _blocking_rules(folder, _READ_FILES),
    )
    return _described(next(found, None), top)


def find_blocking_file(folder: Path) -> str | None:
    """Return a description of a file that blocks git anywhere in a working tree, or None; the
    search ends after a second.
    """
    top, repositories = _repositories(folder)
    found = chain(_blocking_in(repositories), _blocking_below(top, repositories))
    return _described(next(found, None), top)


def _described(path: Path | None, top: Path) -> str | None:
    if path is None:
        return None
    shown = os.path.relpath(path, top) if path.is_relative_to(top) else str(path)
    kind = "pipe" if path.is_fifo() else "device"
    return f"git would wait forever for {shown!r}, which is a {kind} instead of a file"


def _repositories(folder: Path) -> tuple[Path, tuple[Path, ...]]:
    """Return the top of a folder's working tree, and the folders with its repository's files."""
    for one in (folder, *folder.parents):
        dot_git = one / ".git"
        if dot_git.is_dir():
            return one, (dot_git, *_pointed(dot_git / "commondir", ""))
        if os.path.lexists(dot_git):
            linked = _pointed(dot_git, "gitdir: ")
            return one, (*linked, *(of for to in linked for of in _pointed(to / "commondir", "")))
        if (one / "objects").is_dir() and (one / "refs").is_dir():
            return one, (one,)  # a bare repository
    return folder, ()


def _pointed(file: Path, begin: str) -> tuple[Path, ...]:
    """Return the folder to which a file in the repository points, if it does."""
    try:
        with os.fdopen(open_file(file), "rb") as opened:
            is_file = stat.S_ISREG(os.fstat(opened.fileno()).st_mode)
            text = os.fsdecode(opened.read(_LONGEST_POINTER)) if is_file else ""
    except OSError:
        return ()
    path = text.removeprefix(begin).strip()
    return (file.parent / path,) if path != text and "\0" not in path else ()


def _blocking_in(repositories: tuple[Path, ...]) -> Iterator[Path]:
    for repository in repositories:
        for name in _READ_FOLDERS:
            yield from _blocking_files(repository / name)


def _blocking_branches(repositories: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the file of the checked out branch, if it is a pipe or a device."""
    for repository in repositories:
        for branch in _pointed(repository / "HEAD", "ref: "):
            if branch.is_relative_to(repository):  # git doesn't accept an absolute name as a branch
                name = branch.relative_to(repository)
                yield from (one / name for one in repositories if _blocks(one / name))


def _blocking_files(folder: Path) -> Iterator[Path]:
    """Yield the pipes and devices in a folder, and links to them."""
    try:
        with os.scandir(folder) as entries:
            others = [
                one.path
                for one in islice(entries, _MOST_FILES)
                if not one.is_file(follow_symlinks=False) and not one.is_dir(follow_symlinks=False)
            ]
    except OSError:
        return
    yield from (one for one in map(Path, others) if _blocks(one))


def _blocking_rules(folder: Path, names: tuple[str, ...]) -> Iterator[Path]:
    yield from (folder / one for one in names if _blocks(folder / one, follow_links=False))


def _blocking_below(top: Path, repositories: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the files that block git in a repository's refs, in the working tree, and in
    repositories inside it.
    """
    until = time.monotonic() + _SEARCH_TIMEOUT
    for repository in repositories:
        for folder, _, _ in walk_folders(str(repository / "refs")):
            yield from _blocking_files(Path(folder))
            if time.monotonic() > until:
                return
    for folder, folders, files in walk_folders(str(top)):
        rules = tuple(one for one in _READ_FILES if one in files)
        yield from _blocking_rules(Path(folder), rules)
        if ".git" in folders:
            folders.remove(".git")
            yield from _blocking_in((Path(folder, ".git"),))
        if time.monotonic() > until:
            return


def _blocks(path: Path, *, follow_links: bool = True) -> bool:
    """Return whether opening or reading this may block forever; /dev/null doesn't."""
    try:
        mode = path.stat(follow_symlinks=follow_links).st_mode
    except (OSError, ValueError):
        return False
    if stat.S_ISCHR(mode):
        return os.path.realpath(path) != os.devnull
    return stat.S_ISFIFO(mode) or stat.S_ISBLK(mode)


def walk_folders(top: AnyStr) -> Iterator[tuple[AnyStr, list[AnyStr], list[AnyStr]]]:
    """Yield each folder with the names of its folders and files, like os.walk.

    Before Python 3.12, os.walk is recursive, and fails in deeply nested folders.
    """
    pending = [top]
    while pending:
        folder = pending.pop()
        folders: list[AnyStr] = []
        files: list[AnyStr] = []
        with suppress(OSError), os.scandir(folder) as found:
            for one in found:
                (folders if _is_folder(one) else files).append(one.name)
        yield folder, folders, files  # the caller may remove folders from the list
        paths = [os.path.join(folder, name) for name in reversed(folders)]  # noqa: PTH118
        pending += [path for path in paths if not os.path.islink(path)]  # noqa: PTH114


def _is_folder(one: "os.DirEntry[AnyStr]") -> bool:
    try:
        return one.is_dir()
    except OSError:
        return False
