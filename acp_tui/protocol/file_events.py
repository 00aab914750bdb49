"""Facts about files: who may read and write them, how edits fit them, and what was written and undone."""

from enum import StrEnum
from typing import NamedTuple


class FileOperation(StrEnum):
    """An operation of the client for the agent that may need the user's permission."""

    READ = "read"
    WRITE = "write"
    RUN = "run"


class AccessAsked(NamedTuple):
    """The agent's request `request` (its frame number) needs a person's leave.

    It goes `outside` the session's folder, the file has `changed` on disk since the agent knew it,
    or a `rule` wants it to be asked about. `path` and `folder` are resolved: where the file really
    is. A write brings both contents. Of a command they are its words and where it would run.
    """

    at: float
    request: int
    session_id: str
    operation: FileOperation
    path: str
    folder: str
    content: str | None = None
    old_content: str | None = None
    outside: bool = True
    changed: bool = False
    rule: str = ""


class AccessAnswered(NamedTuple):
    """A person (or the turn's cancellation) decided on an `AccessAsked`."""

    at: float
    request: int
    answer: str


class FilesChanged(NamedTuple):
    """The agent asks for permission (frame `request`) about files that it knows otherwise.

    They have changed on disk since it read them, or are not what it shows as their old text.
    """

    at: float
    request: int
    paths: list[str]


class EditLooked(NamedTuple):
    """The client looked at a file that a tool call is to edit; the `first` of several facts takes
    the place of what was found before.

    `item` is the diff of the call's content that this is about, -1 for none. `line` and `new_line`
    are where it stands, from 1; 0 where that isn't known; `whole` if it is about all of the file.
    `remark` is what a person should know; some `warns`. A diff that the client `derived` from the
    call's input and the file has both texts (no old one for a new file). `use` tells calls of one id
    apart; without it, as older versions recorded this, the newest is meant.
    """

    at: float
    session_id: str
    tool_call_id: str
    path: str
    item: int = -1
    first: bool = False
    line: int = 0
    new_line: int = 0
    whole: bool = False
    remark: str = ""
    warns: bool = False
    derived: bool = False
    old_text: str | None = None
    text: str = ""
    use: int | None = None


class EditVerdict(StrEnum):
    """How a file after an edit compares with the edit that was shown."""

    AS_SHOWN = "as-shown"
    DIFFERS = "differs"
    FORMATTED = "formatted"
    """Only blanks at the ends of lines differ, or the last newline."""
    UNWRITTEN = "unwritten"
    """The file is unchanged."""
    REJECTED = "rejected"
    """It was done, though it was rejected."""
    UNCLEAR = "unclear"
    """It differs, but others were at work, too."""


class EditCompared(NamedTuple):
    """A file that a tool call edited differs from what the user was shown; `difference` says how.

    The user was `asked` about it, or only saw it. `exact` if the agent wrote it through the client;
    otherwise the file was read before and after. The texts (None: there is no file) are what it was
    `before`, what the edit `shown` would make of it, and what it is `after`; if they are too long, they
    are left out and `told` is False. `use` tells calls with the same id apart, as in `EditLooked`.
    """

    at: float
    session_id: str
    tool_call_id: str
    path: str
    verdict: EditVerdict
    difference: str
    asked: bool = True
    exact: bool = False
    told: bool = True
    before: str | None = None
    shown: str | None = None
    after: str | None = None
    use: int | None = None

    @property
    def words(self) -> str:
        """The message about it: no more than is known."""
        which = "the diff that was allowed" if self.asked else "the diff"
        said = f"is not what {which} shows: {self.difference}"
        if self.verdict is EditVerdict.UNWRITTEN:
            said = f"is what it was before: what {which} shows was not written"
        elif self.verdict is EditVerdict.REJECTED:
            said = "is what the diff shows that was not allowed"
        return f"{self.path} {said}. {self._rests_on}"

    @property
    def _rests_on(self) -> str:
        if self.exact:
            return "acp-tui knows this from what the agent had it write."
        looks = "acp-tui knows this from looking at the file before and after"
        if self.verdict is EditVerdict.UNCLEAR:
            return f"{looks}; others were working at the same time, so it is not clear who did it."
        return f"{looks}; whether somebody else wrote it in between isn't known."


CREATED = "created"
REMOVED = "removed"
RELABELED = "moved, linked, or given other permissions"
_OF_PLACES = (CREATED, REMOVED, RELABELED)


class UnapprovedChange(NamedTuple):
    """A file has changed since before the turn or its cancellation, and nothing that was allowed
    explains it.

    `reason` says why not. The file was `made`, `changed` or `deleted`, by anyone; or `written`, if the
    checkpoint doesn't store it. A place that a question names was `created`, `removed`,
    or `moved, linked, or given other permissions`: no checkpoint knows that of an empty folder, or outside its own.
    """

    at: float
    session_id: str
    path: str
    deed: str
    reason: str

    @property
    def words(self) -> str:
        """The message about it: no more than is known."""
        basis = "comparing the folder with what it was before"
        if self.deed == "written":
            basis = "the time of its last change on the disk"
        elif self.deed in _OF_PLACES:
            basis = "looking there when it was asked about, and afterward"
        return (
            f"{self.path} was {self.deed}: {self.reason}. acp-tui knows this from {basis}; whether somebody "
            "else changed it in between isn't known."
        )


class TurnCompared(NamedTuple):
    """A session's folder was compared after its last turn.

    `changed` is the number of files that anyone changed since the turn began, with their `added` and `removed`
    lines; None if the lines can't be counted.
    """

    at: float
    session_id: str
    changed: int
    added: int | None = None
    removed: int | None = None


class FileWritten(NamedTuple):
    """The agent's write `request` (its frame number) was done; `path` is where the file really is.

    `old_text` is None for a file that was `created`; both texts are None where they are too long
    to be kept here. It had `changed` on disk since the agent knew it. `kept`: there is a backup,
    or nothing to back up. `remark` tells what was done otherwise than asked for. `by_person`: it was
    no request of the agent's, but a person took something back; then `request` is below 0.
    """

    at: float
    request: int
    session_id: str
    path: str
    created: bool
    old_text: str | None
    text: str | None
    changed: bool = False
    kept: bool = True
    remark: str | None = None
    by_person: bool = False


class WriteUndone(NamedTuple):
    """The user reverted the write of frame `request`."""

    at: float
    request: int
    session_id: str


class UndoRefused(NamedTuple):
    """The write of frame `request` was not undone: the file is not as the agent left it."""

    at: float
    request: int
    session_id: str
    reason: str


class BackupDropped(NamedTuple):
    """The write of frame `request` can't be undone anymore: others needed the room."""

    at: float
    request: int
    session_id: str
