"""Keeps files as compressed copies in our state folder: where there is no git.

A checkpoint is a signed file that names a tree. Nothing is written into the folder, also not where it
is a repository.
"""

import json
import os
import re
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from acp_tui.checkpoints import bounds
from acp_tui.checkpoints.checkpoint import Checkpoint, Counted, Deed, FileChange, LeftOut, Lines
from acp_tui.checkpoints.leaving_out import left_out
from acp_tui.checkpoints.plain.counts import count_lines
from acp_tui.checkpoints.plain.known import Known
from acp_tui.checkpoints.plain.objects import Objects
from acp_tui.checkpoints.plain.reading import Reading
from acp_tui.checkpoints.plain.trees import LINK, Kept, Trees
from acp_tui.checkpoints.plain.walk import Walk
from acp_tui.checkpoints.seal import Seal
from acp_tui.config.private_files import make_folder, write_new
from acp_tui.config.same_folder import SameFolder
from acp_tui.workspace import gitignore
from acp_tui.workspace.ignored import Chain, is_ignored, rules_above, rules_below

_NAME = re.compile(r"(\d{17})-([0-9a-f]{32})")
"""When a checkpoint was made, in microseconds, and its signature."""
_HOUR = 3600.0
"""Seconds for which contents are spared that nothing seems to need: somebody may be asked just now."""
_GONE = Kept("000000", "", 0)


class PlainVault:
    """Those of one folder."""

    def __init__(self, folder: Path, place: Path) -> None:
        """Raises CheckpointError or OSError."""
        self.top = SameFolder(folder)
        self.remarks: list[str] = []
        self._own = os.path.relpath(place.parent, folder)
        self._folder = place / "plain"
        self._turns = self._folder / "turns"
        self._swept = self._folder / "swept"
        self._seal = Seal.of(place.parent)
        self._objects = Objects(self._folder / "objects")
        self._trees = Trees(self._objects)

    def make(self) -> None:
        """Make what isn't there yet, and see what is. Raises OSError."""
        make_folder(self._turns)
        self._objects.look()

    def keep(self) -> tuple[str, LeftOut]:
        """Take in what has changed; return the tree of all, and what isn't in it.

        Raises TooMuchError or OSError.
        """
        began = time.time_ns()
        walk = Walk(self.top, self._own)
        walk.look()
        known = Known(self._folder / "looks", self._seal)
        reading = Reading(self.top, self._objects, known, began)
        reading.read(walk.files)
        known.save(reading.looks)
        tree = self._trees.write(reading.files)
        rules = {path: text for path, text in walk.rules.items() if path not in reading.files}
        return tree, left_out([*walk.left_out, *reading.left_out], rules)

    def changes(self, before: str, after: str, until: float) -> tuple[FileChange, ...]:
        """Return what differs between two trees. Raises CheckpointError."""
        if before == after:
            return ()
        return tuple(self._change(*one, until) for one in self._trees.differing(before, after))

    def _change(self, path: bytes, old: Kept | None, new: Kept | None, until: float) -> FileChange:
        deed = Deed.MADE if old is None else Deed.DELETED if new is None else Deed.CHANGED
        was, now = old or _GONE, new or _GONE
        lines: Lines = (0, 0, Counted.EXACTLY)
        if was.id != now.id and time.monotonic() > until:
            lines = None, None, Counted.NOT_IN_TIME
        elif was.id != now.id:
            lines = count_lines(
                *(self._objects.read(one.id) if one.id else b"" for one in (was, now))
            )
        return FileChange(path, deed, now.mode, now.id, *lines, was.mode, was.id)

    def find(self, tree: str, paths: Iterable[bytes]) -> dict[bytes, str]:
        """Return the ids of those files that a tree has. Raises CheckpointError."""
        folders = self._trees.folders(tree)
        found = {}
        for path in paths:
            folder, _, name = os.fsdecode(path).rpartition("/")
            files = self._trees.files(folders[folder]) if folder in folders else {}
            if name in files:
                found[path] = files[name].id
        return found

    def ignored(self, target: Checkpoint, paths: Sequence[bytes]) -> set[bytes]:
        """Return what the rules of that time ignore. Raises CheckpointError."""
        rules = _RulesThen(self._trees, self._objects, target, rules_above(self.top.path))
        return {path for path in paths if rules.ignore(os.fsdecode(path))}

    def check(self, ids: Sequence[str]) -> None:
        """See to it that these contents are there, and as they were. Raises CheckpointError."""
        for id_ in ids:
            self._objects.read(id_)

    @contextmanager
    def contents(self) -> Iterator[Objects]:
        """Read contents by their ids."""
        yield self._objects

    def add(self, unnamed: Checkpoint) -> Checkpoint:
        """Write a checkpoint. Raises OSError."""
        at = f"{int(unnamed.at * 1e6):017}"
        told = json.dumps({"tree": unnamed.tree, **unnamed.facts()})
        name = f"{at}-{self._seal.sign(self._folder.parent.name, at, told)}"
        write_new(self._turns / name, told.encode())
        return replace(unnamed, ref=name)

    def _names(self) -> list[str]:
        """Return the names of all, the oldest first. Raises OSError."""
        return sorted(one.name for one in self._turns.iterdir() if _NAME.fullmatch(one.name))

    def list(self) -> list[Checkpoint]:
        """Return all that we signed. Raises OSError."""
        found = []
        for name in self._names():
            at, signature = name.split("-")
            told = (self._turns / name).read_text("utf-8", "replace")
            if self._seal.is_ours(signature, self._folder.parent.name, at, told):
                facts = json.loads(told)
                found.append(Checkpoint.of(name, facts["tree"], facts))
        return found

    def prune(self, keep: Collection[str] = ()) -> None:
        """Delete what is too old or too much; after that, what none of the others needs.

        Raises OSError.
        """
        oldest = f"{max(0, int((time.time() - bounds.DAYS * 86400) * 1e6)):017}"
        names = self._names()
        old = {name for name in names if name < oldest} | set(names[: -bounds.KEPT])
        full = self._objects.room() > bounds.ROOM
        if full:
            old |= set(names[: len(names) // 2])
        old -= set(keep)
        for name in old:
            (self._turns / name).unlink(missing_ok=True)
        if full or (old and self._is_to_sweep()):
            wanted = self._trees.reachable(one.tree for one in self.list())
            self._objects.delete_all_but(wanted, older=0 if full else _HOUR)
            self._swept.touch(mode=0o600)

    def _is_to_sweep(self) -> bool:
        """Whether nothing was swept for an hour: it takes a look at all checkpoints."""
        try:
            return self._swept.stat().st_mtime < time.time() - _HOUR
        except FileNotFoundError:
            return True


class _RulesThen:
    """The rules at a checkpoint, in each folder: those in its tree, and those that weren't kept."""

    def __init__(self, trees: Trees, objects: Objects, target: Checkpoint, above: Chain) -> None:
        self._trees = trees
        self._objects = objects
        self._folders = trees.folders(target.tree)
        self._not_kept = dict(target.left_out.rules)
        self._chains = {"": self._with_own(above, "")}

    def ignore(self, path: str) -> bool:
        """Whether a file is ignored, by itself or with a folder that it lies in."""
        names = path.split("/")
        chain, prefix = self._chains[""], ""
        for name in names[:-1]:
            if is_ignored(prefix + name, chain, folder=True):
                return True
            prefix += f"{name}/"
            if prefix not in self._chains:
                self._chains[prefix] = self._with_own(chain, prefix)
            chain = self._chains[prefix]
        return is_ignored(path, chain, folder=False)

    def _with_own(self, chain: Chain, prefix: str) -> Chain:
        text = self._not_kept.get(f"{prefix}.gitignore") or self._kept(prefix)
        return rules_below(chain, gitignore.parse(text), prefix)

    def _kept(self, prefix: str) -> str:
        """Return the text that the tree has; none if there is none."""
        list_of_files = self._folders.get(prefix.removesuffix("/"))
        files = self._trees.files(list_of_files) if list_of_files is not None else {}
        kept = files.get(".gitignore")
        if kept is None or kept.mode == LINK:
            return ""
        return gitignore.decoded(self._objects.read(kept.id))
