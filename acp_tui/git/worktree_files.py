"""Writes the files of a folder as a tree of git, as they are, without a look into other repositories.

In a nested repository, such as a submodule, git uses the settings there: they name programs, and an
agent can write them. So nested repositories are hidden from git, and their changes aren't stored.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path
from typing import NamedTuple

from acp_tui.git.git import Git

_SUBMODULE = b"160000 "


class FolderTree(NamedTuple):
    """A tree of files, the number of ignored files and folders, and the folders that the tree
    lacks.

    It lacks folders, all or in part, that are repositories of their own.
    """

    tree: str
    ignored: int
    lacking: tuple[str, ...]


class WorktreeFiles:
    """The files below `root`; `git` has a private index."""

    def __init__(self, root: Path, git: Git) -> None:
        self._root = Path(os.path.realpath(root))
        self._git = git

    def write_tree(self, parent: str | None) -> FolderTree:
        """Write a tree with all that differs from a commit; its submodules stay as they are in it, unless their
        folders are gone. Raises GitError or OSError.
        """
        if parent is not None:
            self._git.run("read-tree", parent)
        staged = self._staged()
        ignored = self._listed("--others", "--ignored", "--exclude-standard", "--directory")
        inner = set(self._repositories(ignored))
        submodules = {name for name, entry in staged.items() if entry.startswith(_SUBMODULE)}
        there = {name for name in submodules if self._is_folder(name)}
        self._take_out(submodules | inner)
        others = self._listed("--others", "--exclude-standard")
        left_out = there | {one[:-1] for one in others if one.endswith(b"/")}
        self._add_all_but(left_out)
        self._put_back({name: staged[name] for name in there})
        filled = {name for name in left_out if any(self._place(name).iterdir())}
        lacking = tuple(map(os.fsdecode, sorted(inner | filled)))
        return FolderTree(self._git.line("write-tree"), len(ignored), lacking)

    def _staged(self) -> dict[bytes, bytes]:
        """Return the entries of the index: by name, the mode, id and stage."""
        told = (one.partition(b"\t") for one in self._listed("--stage"))
        return {name: entry for entry, _, name in told}

    def _listed(self, *options: str) -> set[bytes]:
        return {one for one in self._git.run("ls-files", "-z", *options).split(b"\0") if one}

    def _repositories(self, ignored: Set[bytes]) -> Iterator[bytes]:
        """Yield the folders with a `.git`, except ignored ones."""
        root = os.fsencode(self._root)
        for folder, folders, files in os.walk(root):
            name = folder[len(root) + 1 :]
            if name and any(one.lower() == b".git" for one in (*folders, *files)):
                yield name
            above = name + b"/" if name else b""
            folders[:] = [
                one
                for one in folders
                if one.lower() != b".git" and above + one + b"/" not in ignored
            ]

    def _is_folder(self, name: bytes) -> bool:
        """Return whether a name is a real folder, not a link."""
        place = self._place(name)
        return place.is_dir() and place.resolve() == place

    def _place(self, name: bytes) -> Path:
        return self._root / os.fsdecode(name)

    def _take_out(self, names: Iterable[bytes]) -> None:
        given = b"".join(name + b"\0" for name in names)
        self._git.run("update-index", "-z", "--force-remove", "--stdin", given=given)

    def _add_all_but(self, names: Iterable[bytes]) -> None:
        given = b":(top)\0" + b"".join(b":(top,exclude,literal)%s\0" % name for name in names)
        options = ("--pathspec-from-file=-", "--pathspec-file-nul")
        git = self._git.with_variables(
            {"GIT_LITERAL_PATHSPECS": "0"}
        )  # each says that it is literal
        git.run("add", "--all", *options, given=given)

    def _put_back(self, entries: Mapping[bytes, bytes]) -> None:
        given = b"".join(b"%s\t%s\0" % (entry, name) for name, entry in entries.items())
        self._git.run("update-index", "-z", "--index-info", given=given)
