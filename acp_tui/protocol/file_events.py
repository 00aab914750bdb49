"""Facts about files: access, edits compared with the disk, and writes and their undoing."""

from enum import StrEnum
from typing import NamedTuple


class FileOperation(StrEnum):
    """An operation that the client performs for the agent, and that may need the user's permission."""

    READ = "read"
    WRITE = "write"
    RUN = "run"


class AccessAsked(NamedTuple):
    """The agent's request `request` (its frame number) needs the user's permission.

    It goes `outside` the session's folder, the file has `changed` on disk since the agent last saw
    it, or a `rule` says to ask. `path` and `folder` are resolved: the file's real location. A write
    has the old and the new content. For a command, `path` is its text and `folder` its working
    directory.
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
    """The decision on an `AccessAsked`, by the user or because the turn was canceled."""

    at: float
    request: int
    answer: str


class FilesChanged(NamedTuple):
    """The agent asks for permission (frame `request`), but these files have changed.

    They have changed on disk since the agent read them, or differ from the old text that it shows.
    """

    at: float
    request: int
    paths: list[str]


class EditLooked(NamedTuple):
    """The client compared a file with a tool call that will edit it; the `first` fact of a
    comparison replaces all earlier ones.

    `item` is the index of the diff in the call's content, -1 for none. `line` and `new_line` are
    the position of the diff, from 1; 0 if unknown; `whole` if it covers the whole file. `remark` is
    for the user, and may be a warning (`warns`). A diff that the client `derived` from the call's
    input and the file has both texts (no old one for a new file). `use` tells calls with the same
    id apart; without it, as in recordings of older versions, the newest call is meant.
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
    """How a file after an edit compares with the edit that the user was shown."""

    AS_SHOWN = "as-shown"
    DIFFERS = "differs"
    FORMATTED = "formatted"
    """Only trailing blanks of lines differ, or the last newline."""
    UNWRITTEN = "unwritten"
    """The file is unchanged."""
    REJECTED = "rejected"
    """The edit was made although it was rejected."""
    UNCLEAR = "unclear"
    """The file differs, but others were writing at the same time."""


class EditCompared(NamedTuple):
    """The file of a tool call's edit differs from what the user was shown; `difference` says how.

    The user was `asked` about the edit, or only saw it. `exact` if the agent wrote it through the
    client; otherwise the file was read before and after. The texts (None: no such file) are the
    file `before`, with the edit `shown`, and `after`; if they are too long, they are omitted and
    `told` is False. `use` tells calls with the same id apart, as in `EditLooked`.
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
        """The message to the user, which claims no more than is known."""
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
    """A file has changed since the turn began, or was canceled, and nothing allowed explains it.

    `reason` says why not. The file was `made`, `changed` or `deleted`, by anyone; or `written`, if
    the checkpoint doesn't store it. A path that a question names was `created`, `removed`, or
    `moved, linked, or given other permissions`: no checkpoint can detect that for an empty folder,
    or outside its own folder.
    """

    at: float
    session_id: str
    path: str
    deed: str
    reason: str

    @property
    def words(self) -> str:
        """The message to the user, which claims no more than is known."""
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
    """The files in a session's folder were compared after its last turn.

    `changed` is the number of files that anyone changed since the turn began, with their `added`
    and `removed` lines; None if the lines can't be counted.
    """

    at: float
    session_id: str
    changed: int
    added: int | None = None
    removed: int | None = None


class FileWritten(NamedTuple):
    """The client wrote a file for the agent's `request` (a frame number); `path` is its real path.

    `old_text` is None for a file that was `created`; both texts are None if too long to be stored
    here. `changed` if the file had changed on disk since the agent last saw it. `kept` if there is
    a backup, or nothing to back up. `remark` says where the write deviates from the request.
    `by_person` if the user reverted something, without a request from the agent; then `request` is
    negative.
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
    """The user undid the write of frame `request`."""

    at: float
    request: int
    session_id: str


class UndoRefused(NamedTuple):
    """The write of frame `request` was not undone: the file has changed since the agent wrote it."""

    at: float
    request: int
    session_id: str
    reason: str


class BackupDropped(NamedTuple):
    """The write of frame `request` can't be undone anymore: its backup was deleted to free space."""

    at: float
    request: int
    session_id: str
