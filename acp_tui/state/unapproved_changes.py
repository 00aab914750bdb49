"""Finds changes on disk that no allowed tool call of the turn explains."""

import os.path
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from acp_tui.edits.tool_input import files_in_title
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.file_claims import READING, calls_since, changed_paths
from acp_tui.state.input_parts import input_parts
from acp_tui.state.open_questions import QuestionAnswer
from acp_tui.state.session import Session
from acp_tui.state.subject import commands_of
from acp_tui.text import path_of_url

AFTER_CANCEL = "more than a second after session/cancel"
NOTHING_ALLOWED = "nothing was allowed in the turn, and no other tool call names it"
OTHER_ALLOWED = (
    "it changed after something was not allowed, and nothing that was allowed explains it"
)
CLOCK_SLACK = 0.02
"""Seconds by which a file system's clock may be behind."""
ENDING = 1.0
"""Seconds for which processes that a command started may still write after its end."""
_WORD = re.compile(r"[^\s\"'<>|;&()=,\[\]{}]+")
_LONGEST_COMMAND = 10_000
_COMMANDS = ("command", "cmd", "commands", "args")
_OF_PROJECT = frozenset(
    (
        *("..", ".git", ".github", ".gitlab", ".gitea", ".forgejo", ".circleci", ".buildkite"),
        *(".husky", ".githooks", ".devcontainer", ".vscode", ".cargo", ".mvn"),
    )
)
"""Hidden folders of the project, which may affect what is run; agents keep no files there."""
_LOG = re.compile(r"(?i)\.log(?:\.\d+)?$|/logs?/[^/]+$|/\.[^/]*history[^/]*$")
_LEAVES_RUNNING = re.compile(
    r"(?<![&>])&(?![&>\d])|\b(?:nohup|setsid|disown|daemon|watch|serve|dev|start)\b"
)
"""Signs that a command leaves a process running, which may write files at any later time."""
_BESIDE = re.compile(
    r"\..+\.sw[a-p]|\..+\.un~|4913|.+~|#.+#|\.#.+|\.~lock\..+#|.+\.kate-swp|\.goutputstream-\w+"
    r"|\.nfs\w+|\.fuse_hidden\w+|.+___jb_(?:tmp|old)___|\.DS_Store|Thumbs\.db|desktop\.ini|.+\.py[co]"
)
"""Names of files that editors, file systems, desktops and Python create next to others."""


class ChangedPath(NamedTuple):
    """A file that was `made`, `changed` or `deleted`: its path in the session, and its real path.

    The change happened between `earliest` and `latest`, by the client's clock. A file that the
    checkpoint doesn't store was `written`: it is the ignored `entry`, or in that ignored folder;
    `usual` if that was written to before the turn, too. `lines` are the numbers of added and
    removed lines, if they could be counted.
    """

    path: str
    real: str
    deed: str
    earliest: float
    latest: float
    entry: str = ""
    usual: bool = False
    lines: tuple[int, int] | None = None

    @property
    def places(self) -> tuple[str, str]:
        """Both paths."""
        return self.path, self.real


@dataclass(slots=True)
class TurnSpan:
    """The start of a turn: its time, and the index of its first entry.

    `settings_changed` if a mode or an option changed during the turn, so that the agent may ask
    about less. `shared` if another session ran in the folder at the same time. `delegated` if
    subagents worked in it, which may do more than their tool calls report. `user_command` is when
    the user first ran a command since then: later changes may be its work.
    """

    begin: float
    first_entry: int
    settings_changed: bool = False
    shared: bool = False
    delegated: bool = False
    user_command: float = inf

    def may_be_by_user(self, changed: ChangedPath) -> bool:
        """Return whether a command that the user ran may have made a change."""
        return changed.latest >= self.user_command - CLOCK_SLACK


def find_unapproved(
    session: Session,
    span: TurnSpan,
    changed: Iterable[ChangedPath],
    subagents: Iterable[Session] = (),
) -> Iterator[tuple[ChangedPath, str]]:
    """Yield each change that no allowed call explains, with the reason to report it.

    Skips files that the agent wrote by protocol requests: those are judged separately.
    """
    calls = _Calls([session, *subagents], span)
    if not span.settings_changed:
        yield from calls.report(changed, calls.reason)


def find_while_asked(
    session: Session,
    span: TurnSpan,
    changed: Iterable[ChangedPath],
    subagents: Iterable[Session] = (),
) -> Iterator[tuple[ChangedPath, str]]:
    """Yield each change of a file that a pending question names, unless another call explains it."""
    calls = _Calls([session, *subagents], span)
    if not (span.settings_changed or span.shared):
        yield from calls.report(changed, calls.reason_while_asked)


def find_after_cancel(
    session: Session, span: TurnSpan, changed: Iterable[ChangedPath]
) -> Iterator[tuple[ChangedPath, str]]:
    """Yield each change since the cancellation, unless a command still running then may have made it."""
    calls = _Calls([session], span)
    if not (span.shared or span.delegated):
        for one in changed:
            explained = calls.wrote(one) or span.may_be_by_user(one) or calls.may_be_of_command(one)
            if not (explained or _may_be_own(session, one)):
                yield one, AFTER_CANCEL


def is_allowed_since(
    session: Session, begin: float, changed: ChangedPath, subagents: Iterable[Session] = ()
) -> bool:
    """Return whether anything allowed at or after `begin` explains a change."""
    return _Calls([session, *subagents], TurnSpan(begin, 0)).is_allowed(changed)


class _Reach(NamedTuple):
    """The files that a call may change: `places` and everything below them, or `anything`."""

    places: frozenset[str]
    anything: bool = False

    def names(self, changed: ChangedPath) -> bool:
        """Return whether a place is the changed file, or a folder that contains it."""
        return any(
            one == place or one.startswith(f"{place}/")
            for place in self.places
            for one in changed.places
        )


class _Calls:
    """A turn's tool calls, in its session and in subagents, grouped by their answers."""

    def __init__(self, sessions: Sequence[Session], span: TurnSpan) -> None:
        self._session = sessions[0]
        self._cwd = os.path.normpath(self._session.cwd)
        self._span = span
        self._reaches: dict[int, _Reach] = {}
        """The cache of `_reach`, by the call's identity: inputs may be long, and changes many."""
        every = [one for session in sessions for one in session.answers]
        answers = [one for one in every if one.at >= span.begin]
        questions = [one for session in sessions for one in session.permissions]
        pending = [one.described_call for one in questions if one.described_call is not None]
        self._writes = [one for session in sessions for one in session.writes]
        calls = [
            one for one in sessions[0].entries[span.first_entry :] if isinstance(one, ToolCallEntry)
        ]
        for child in sessions[1:]:
            calls += calls_since(child, span.begin)
        self._newest = {_key(one): one for one in calls}
        last = {_subject(one): one for one in answers}.values()
        self._denied = [one for one in answers if not one.allowed]
        self._allowed = [one for one in answers if one.allowed and not _only_reads(one.call)]
        asked = {_key(one.call) for one in answers if one.call is not None}
        asked |= {_key(one) for one in pending}
        self._unasked = [one for one in calls if _key(one) not in asked and not _only_reads(one)]
        self._pending = [("", one, "has no answer yet") for one in pending]
        self._stopped = [
            *((one.path, one.call, "was not allowed") for one in last if not one.allowed),
            *self._pending,
        ]

    def may_be_of_command(self, changed: ChangedPath) -> bool:
        """Return whether a call that was allowed, or not asked about, and that may change any file was
        running when this one changed.
        """
        allowed = [one.call for one in self._allowed if one.call is not None]
        commands = [one for one in (*allowed, *self._unasked) if self._reach(one).anything]
        return any(self._may_be_of(one, changed) for one in commands)

    def report(
        self, changed: Iterable[ChangedPath], reason_of: Callable[[ChangedPath], str]
    ) -> Iterator[tuple[ChangedPath, str]]:
        """Yield each change with a reason, except those that the agent made by protocol requests, or
        that the user may have made.
        """
        for one in changed:
            explained = self.wrote(one) or self._span.may_be_by_user(one)
            reason = "" if explained else reason_of(one)
            if reason:
                yield one, reason

    def wrote(self, changed: ChangedPath) -> bool:
        """Return whether the agent wrote the file by requests in the turn, or the user reverted it."""
        writes = (one for one in self._writes if one.at >= self._span.begin)
        return any(os.path.normpath(one.path) in changed.places for one in writes)

    def reason(self, changed: ChangedPath) -> str:
        """Return the reason to report a change; "" if an allowed call explains it."""
        if self.is_allowed(changed):
            return ""
        if reason := self._named_by(self._stopped, changed):
            return reason
        if self._span.shared or self._span.delegated:
            return ""
        if any(self._may_be_of(one, changed) for one in self._unasked):
            return ""
        early = [one for one in self._allowed if changed.latest < one.at - CLOCK_SLACK]
        how = "was allowed only after that"
        if reason := self._named_by([(one.path, one.call, how) for one in early], changed):
            return reason
        if not self._stopped or _may_be_own(self._session, changed):
            return ""
        if not self._allowed:
            return NOTHING_ALLOWED
        is_later = any(one.at <= changed.earliest for one in self._denied)
        return OTHER_ALLOWED if is_later else ""

    def reason_while_asked(self, changed: ChangedPath) -> str:
        """Return the reason to report a change that an open question names; "" if another call
        explains it.
        """
        if self.is_allowed(changed) or any(self._may_be_of(one, changed) for one in self._unasked):
            return ""
        return self._named_by(self._pending, changed)

    def is_allowed(self, changed: ChangedPath) -> bool:
        """Return whether anything that was allowed explains a change."""
        return any(self._explains(one, changed) for one in self._allowed)

    def _named_by(
        self, stopped: Iterable[tuple[str, ToolCallEntry | None, str]], changed: ChangedPath
    ) -> str:
        """Return which write or call names the file, and how it was answered; "" if none does."""
        for path, call, how in stopped:
            reach = _Reach(self._places([path])) if call is None else self._reach(call)
            if reach.names(changed):
                what = "its write" if call is None else repr(call.title or call.tool_call_id)
                return f"{what} {how}" if call is None else f"{what} names it and {how}"
        return ""

    def _explains(self, answer: QuestionAnswer, changed: ChangedPath) -> bool:
        """Return whether an answer allowed a change: it is later, with no rejection in between."""
        if changed.latest < answer.at - CLOCK_SLACK:
            return False
        subject = _subject(answer)
        denials = (one.at for one in self._denied if _subject(one) == subject)
        if any(answer.at < at <= changed.earliest for at in denials):
            return False
        if answer.call is None:
            return _Reach(self._places([answer.path])).names(changed)
        return self._may_be_of(answer.call, changed)

    def _may_be_of(self, call: ToolCallEntry, changed: ChangedPath) -> bool:
        """Return whether a call may have made a change: it names the file, or may change any file
        and was still running at the time.
        """
        reach = self._reach(call)
        if not reach.anything:
            return reach.names(changed)
        now = self._newest.get(_key(call), call)
        if not now.finished or now.ended is None or changed.earliest <= now.ended + ENDING:
            return True
        return any(map(_LEAVES_RUNNING.search, commands_of(call)))

    def _reach(self, call: ToolCallEntry) -> _Reach:
        """Return the files that a call may change.

        Any file, if it runs a command, or names only the folder to work in.
        """
        found = self._reaches.get(id(call))
        if found is None:
            paths = changed_paths(call)
            runs = call.kind == "execute" or bool(commands_of(call))
            is_wide = not paths or any(self._has_folder(self._place_of(one)) for one in paths)
            found = _Reach(self._places(self._names(call)), runs or is_wide)
            self._reaches[id(call)] = found
        return found

    def _names(self, call: ToolCallEntry) -> Iterator[str]:
        """Yield the paths that a call named in its permission request, and those that it names now."""
        for one in (call, self._newest.get(_key(call), call)):
            yield from names_of(one)

    def _places(self, names: Iterable[str]) -> frozenset[str]:
        """Return the absolute paths, without the session's folder and its parents."""
        places = map(self._place_of, filter(None, names))
        return frozenset(one for one in places if not self._has_folder(one))

    def _has_folder(self, place: str) -> bool:
        """Return whether a path is the session's folder, or one of its parents."""
        return place == self._cwd or self._cwd.startswith(f"{place.rstrip('/')}/")

    def _place_of(self, name: str) -> str:
        return os.path.normpath(os.path.join(self._cwd, path_of_url(name)))  # noqa: PTH118


def names_of(call: ToolCallEntry) -> Iterator[str]:
    """Yield the paths of files that a call may change.

    Each word of its command may be a path; the folder that it runs in doesn't count. The title
    counts if the call names no paths.
    """
    folder = input_parts(call.kind, call.raw_input).folder
    paths = changed_paths(call)
    yield from (path for path in paths if path != folder)
    if not (paths or _only_reads(call)):
        yield from files_in_title(call.title)
    if isinstance(call.raw_input, dict):
        for text in _texts(call.raw_input.get(key) for key in _COMMANDS):
            yield from _WORD.findall(text[:_LONGEST_COMMAND])


def _subject(answer: QuestionAnswer) -> object:
    return answer.path if answer.call is None else _key(answer.call)


def _key(call: ToolCallEntry) -> object:
    """Return a key for a call that is unique across sessions."""
    return call.key, call.at


def _only_reads(call: ToolCallEntry | None) -> bool:
    return call is not None and call.kind in READING


def _texts(values: Iterable[object]) -> Iterator[str]:
    """Yield strings, and the strings in lists."""
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from (one for one in value if isinstance(one, str))


def _may_be_own(session: Session, changed: ChangedPath) -> bool:
    """Return whether a change may be the agent's own bookkeeping, or another program's.

    Such files are in a hidden folder that isn't part of the project, or in a folder that was also
    written to before the turn; or they are a log or a history that only grew, or an editor's swap
    or backup file.
    """
    place = os.path.relpath(changed.path, session.cwd)
    *folders, name = place.split("/")
    is_hidden = any(one.startswith(".") and one not in _OF_PROJECT for one in folders)
    has_grown = changed.deed != "deleted" and changed.lines is not None and not changed.lines[1]
    is_log = _LOG.search(f"/{place}") is not None and has_grown
    return changed.usual or is_hidden or is_log or _BESIDE.fullmatch(name) is not None
