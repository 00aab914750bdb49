"""What is kept of a folder, and what going back to it does: plain values."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from acp_tui.git.left_out import LeftOut


class CheckpointKind(Enum):
    """Why the files were kept."""

    TURN = "turn"
    RETURN = "return"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class Reason:
    """What the files were kept before: a turn's prompt, a return to an earlier turn, or undoing one.

    `entries` is how many entries the session's transcript had.
    """

    kind: CheckpointKind
    words: str
    session_id: str = ""
    entries: int = 0


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A folder's files at one time, in seconds since 1970; `late` if the turn had begun by then."""

    ref: str
    tree: str
    at: float
    reason: Reason
    late: bool = False
    left_out: LeftOut = field(default_factory=LeftOut)

    def facts(self) -> dict[str, Any]:
        """Return all but the ref and the tree, as JSON can say it."""
        return {
            "at": self.at,
            "kind": self.reason.kind.value,
            "words": self.reason.words,
            "session": self.reason.session_id,
            "entries": self.reason.entries,
            "late": self.late,
            "left_out": self.left_out.names,
            "rules": self.left_out.rules,
        }

    @classmethod
    def of(cls, ref: str, tree: str, facts: dict[str, Any]) -> "Checkpoint":
        """Make it from its facts. Raises KeyError, ValueError or TypeError."""
        names = tuple((str(name), str(why)) for name, why in facts["left_out"])
        rules = tuple((str(path), str(text)) for path, text in facts.get("rules", ()))
        reason = Reason(
            CheckpointKind(facts["kind"]),
            str(facts["words"]),
            str(facts["session"]),
            int(facts["entries"]),
        )
        return cls(
            ref, tree, float(facts["at"]), reason, bool(facts["late"]), LeftOut(names, rules)
        )


class FileDeed(Enum):
    """What becomes of a file."""

    MADE = "A"
    CHANGED = "M"
    DELETED = "D"


class Counted(Enum):
    """How the lines of a change were counted; those of what is no text, damaged, or not in time, are
    None.
    """

    EXACTLY = "exactly"
    NO_TEXT = "not a text"
    NOT_IN_TIME = "not counted"
    DAMAGED = "damaged: something else lies in its place"


Lines = tuple[int | None, int | None, Counted]
"""How many are added and removed, and how that was counted."""


@dataclass(frozen=True, slots=True)
class TreeChange:
    """A file that differs between two trees, and how many lines come and go.

    `mode` and `id` are what it is afterwards, as git says them, `old_mode` and `old_id` what it was.
    """

    path: bytes
    deed: FileDeed
    mode: str
    id: str
    added: int | None = None
    removed: int | None = None
    counted: Counted = Counted.EXACTLY
    old_mode: str = ""
    old_id: str = ""

    @property
    def shown(self) -> str:
        """The path as text."""
        return self.path.decode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class RewindPlan:
    """What going back would do to the files as they are in the tree `now`. What is `spared` is there
    now and isn't deleted, for it may have been there then: it was not kept. What is `gone` was there
    then and can't be brought back, for the same reason. What is `unkept` was kept then and isn't now: it
    stays as it is, for nothing could undo its return.
    """

    target: Checkpoint
    now: str
    changes: tuple[TreeChange, ...]
    spared: tuple[TreeChange, ...]
    left_out: LeftOut
    gone: tuple[tuple[str, str], ...] = ()
    unkept: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RewindOutcome:
    """What going back did, and what it left alone, with why; `before` takes it back."""

    before: Checkpoint
    done: int
    skipped: tuple[tuple[str, str], ...] = ()
