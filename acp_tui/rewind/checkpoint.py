"""Checkpoints, left-out files, and the plan and outcome of a rewind, as plain values."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Files that aren't stored, other than ignored ones: each name with the reason; folders end
    with `/`.

    `rules` are `.gitignore` files that aren't stored, each path with its text: a rewind needs them
    to know which files were ignored.
    """

    names: tuple[tuple[str, str], ...] = ()
    rules: tuple[tuple[str, str], ...] = ()

    def has(self, name: str) -> bool:
        """Return whether a file is left out, by itself or in a folder."""
        return bool(self.why(name))

    def why(self, name: str) -> str:
        """Return the reason why a file is left out, by itself or in a folder; "" if it isn't."""
        found = (
            why
            for one, why in self.names
            if name == one or (one.endswith("/") and name.startswith(one))
        )
        return next(found, "")

    def beyond(self, other: "LeftOut") -> tuple[tuple[str, str], ...]:
        """Return the names that `other` doesn't leave out, by themselves or in a folder."""
        others = {name for name, _ in other.names}
        return tuple(one for one in self.names if others.isdisjoint(with_folders(one[0])))


def with_folders(name: str) -> Iterator[str]:
    """Yield a name, then the folders that contain it, which end with `/`."""
    yield name
    at = name.find("/")
    while at >= 0:
        yield name[: at + 1]
        at = name.find("/", at + 1)


class CheckpointKind(Enum):
    """What a checkpoint precedes: a turn, a rewind (`return`), or the undo of a rewind."""

    TURN = "turn"
    RETURN = "return"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a checkpoint was made: before a turn's prompt, a rewind, or the undo of a rewind.

    `entries` is the number of entries in the session's transcript. `run` identifies the agent's
    run, since another run may use the same session id; it is "" in checkpoints of earlier versions.
    """

    kind: CheckpointKind
    words: str
    session_id: str = ""
    entries: int = 0
    run: str = ""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A folder's files at a time, in seconds since 1970; `late` if the turn had already begun."""

    ref: str
    tree: str
    at: float
    reason: Reason
    late: bool = False
    left_out: LeftOut = field(default_factory=LeftOut)

    def facts(self) -> dict[str, Any]:
        """Return everything but the ref and the tree as JSON."""
        return {
            "at": self.at,
            "kind": self.reason.kind.value,
            "words": self.reason.words,
            "session": self.reason.session_id,
            "run": self.reason.run,
            "entries": self.reason.entries,
            "late": self.late,
            "left_out": self.left_out.names,
            "rules": self.left_out.rules,
        }

    @classmethod
    def of(cls, ref: str, tree: str, facts: dict[str, Any]) -> "Checkpoint":
        """Return a checkpoint from its facts. Raises KeyError, ValueError or TypeError."""
        names = tuple((str(name), str(why)) for name, why in facts["left_out"])
        rules = tuple((str(path), str(text)) for path, text in facts.get("rules", ()))
        reason = Reason(
            CheckpointKind(facts["kind"]),
            str(facts["words"]),
            str(facts["session"]),
            int(facts["entries"]),
            str(facts.get("run", "")),
        )
        return cls(
            ref, tree, float(facts["at"]), reason, bool(facts["late"]), LeftOut(names, rules)
        )


@dataclass(frozen=True, slots=True)
class CheckpointOwner:
    """A session in one run of its agent. If it was begun in an earlier run, `reopened` is when it
    was reopened in this run, in seconds since 1970.
    """

    session_id: str
    run: str
    reopened: float | None = None

    def owns(self, checkpoint: Checkpoint) -> bool:
        """Return whether a checkpoint was made for this session: in this run, or before it was
        reopened.

        Agents that number their sessions use the same ids in each run, and several runs may use a
        folder at once.
        """
        reason = checkpoint.reason
        if reason.session_id != self.session_id:
            return False
        if reason.run in ("", self.run):
            return True
        return self.reopened is not None and checkpoint.at < self.reopened


class ChangeType(Enum):
    """What happens to a file."""

    CREATED = "A"
    CHANGED = "M"
    DELETED = "D"


class LineCount(Enum):
    """How the lines of a change were counted; unless counted exactly, the counts are None."""

    EXACTLY = "exactly"
    NO_TEXT = "not a text"
    NOT_IN_TIME = "not counted"
    DAMAGED = "damaged: something else lies in its place"


Lines = tuple[int | None, int | None, LineCount]
"""Added and removed lines, and how they were counted."""


@dataclass(frozen=True, slots=True)
class TreeChange:
    """A file that differs between two trees, with its added and removed lines.

    `mode` and `id` are git's for the new version, `old_mode` and `old_id` for the old one.
    """

    path: bytes
    change_type: ChangeType
    mode: str
    id: str
    added: int | None = None
    removed: int | None = None
    counted: LineCount = LineCount.EXACTLY
    old_mode: str = ""
    old_id: str = ""

    @property
    def shown(self) -> str:
        """The path as text, with surrogates for bytes that aren't UTF-8."""
        return self.path.decode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class RewindPlan:
    """The plan of a rewind: what it would do to the files, which are now in the tree `now`.

    Files `preserved` exist now and aren't deleted, since they may have existed then without being
    stored. Files `lost` existed then and can't be restored, since they weren't stored. Files
    `unstored` were stored then and aren't now: they stay unchanged, since overwriting them couldn't
    be undone.
    """

    target: Checkpoint
    now: str
    changes: tuple[TreeChange, ...]
    preserved: tuple[TreeChange, ...]
    left_out: LeftOut
    lost: tuple[tuple[str, str], ...] = ()
    unstored: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RewindOutcome:
    """The result of a rewind: the number of files changed, and the skipped ones with the reasons.
    `before` is the checkpoint that undoes it.
    """

    before: Checkpoint
    done: int
    skipped: tuple[tuple[str, str], ...] = ()
