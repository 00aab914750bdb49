"""Searches the index: the query syntax, matching passages, and recent sessions."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

from acp_tui.index.index import Index
from acp_tui.index.passages import PassageKind, words_of_person

MARKS = ("\x02", "\x03")
"""The marks around a matching word in an excerpt."""
_EXCERPT = 24
"""Words of an excerpt."""
_PART = re.compile(r'(kind:|agent:|in:)?(?:"([^"]*)"?|([^\s"]+))')


class QueryError(ValueError):
    """A query can't be parsed; the message says why."""


@dataclass(frozen=True)
class Query:
    """A parsed search query: a passage matches if it contains all words.

    If `open_ended`, the last word is only a prefix.
    """

    words: tuple[str, ...] = ()
    kinds: tuple[PassageKind, ...] = ()
    agent: str = ""
    folder: str = ""
    since: float = 0.0
    open_ended: bool = field(default=False, kw_only=True)


class Hit(NamedTuple):
    """A matching passage; in its `excerpt`, matching words are between `MARKS`."""

    recording: Path
    kind: PassageKind
    excerpt: str
    text: str
    frame: int
    at: float
    since: float
    """Seconds since the recording began."""
    turn: int
    session_id: str
    agent: str
    version: str
    command: tuple[str, ...]
    cwd: str
    place: str
    costs: dict[str, float]

    @property
    def is_command(self) -> bool:
        """Return whether the agent was started by a command; otherwise it has an address."""
        return not (len(self.command) == 1 and "://" in self.command[0])

    @property
    def moment(self) -> str:
        """Return its place in a replay: a frame, or the millisecond after a local event."""
        return f"#{self.frame}" if self.frame else f"{ceil(self.since * 1000) / 1000:.3f}"

    @property
    def cost(self) -> str:
        """Return the reported cost of all sessions of its recording."""
        return ", ".join(f"{amount:,.2f} {currency}" for currency, amount in self.costs.items())

    @property
    def agent_name(self) -> str:
        """Return the agent's name, or else its program's."""
        return self.agent or Path((*self.command, "")[0]).name


class RecentSession(NamedTuple):
    """A session by its newest recording: its first prompt, and the time of its last message."""

    session_id: str
    prompt: str
    at: float
    agent: str
    command: tuple[str, ...]
    cwd: str
    place: str
    reopens: bool
    """Whether the agent can reopen it, according to its recording."""
    recording: str
    """The path of its newest recording."""
    made_by: str
    """The command that ran it without a person, such as "script"; "" if a person did."""

    @property
    def is_command(self) -> bool:
        """Return whether the agent was started by a command; otherwise it has an address."""
        return not (len(self.command) == 1 and "://" in self.command[0])


def parse_query(text: str, *, since: float = 0.0, unfinished: bool = False) -> Query:
    """Parse a query: words, `"some words"`, `kind:command`, `agent:gemini`, `in:/folder`.

    The last word also finds words that begin like it, unless it is in quotes. If `unfinished`, the
    text is still being typed, and a quotation may be open. Raises QueryError.
    """
    if text.count('"') % 2 and not unfinished:
        raise QueryError('a quotation mark is not closed: "some words" stand side by side')
    words, kinds, named = [], [], {"agent": "", "in": ""}
    open_ended = False
    for part in _PART.finditer(text):
        name, quoted, plain = part.groups(default="")
        value = quoted or plain
        if name == "kind:":
            try:
                kinds.append(PassageKind(value))
            except ValueError:
                raise QueryError(f"kind:{value}: there are {', '.join(PassageKind)}") from None
        elif name:
            named[name[:-1]] = value
        elif value:
            words.append(value)
            open_ended = not (quoted and part[0].endswith('"'))
    folder = str(Path(named["in"]).expanduser().absolute()) if named["in"] else ""
    return Query(tuple(words), tuple(kinds), named["agent"], folder, since, open_ended=open_ended)


def find_passages(index: Index, query: Query, most: int = 50) -> list[Hit]:
    """Find passages, the newest first."""
    conditions, values = ["at >= ?"], [query.since]  # type: tuple[list[str], list[Any]]
    match = _fts_query(query)
    if match:
        conditions.append("words match ?")
        values.append(match)
    if query.kinds:
        conditions.append(f"kind in ({', '.join('?' * len(query.kinds))})")
        values += query.kinds
    if query.agent:
        conditions.append("instr(lower(agent || ' ' || command), lower(?)) > 0")
        values.append(query.agent)
    if query.folder:
        conditions.append("(cwd = ? or substr(cwd, 1, length(?) + 1) = ? || '/')")
        values += [query.folder] * 3
    excerpt = (
        f"snippet(words, 0, ?, ?, '…', {_EXCERPT})" if match else "substr(passages.text, 1, 200)"
    )
    source = "words join passages on passages.id = words.rowid" if match else "passages"
    rows = index.database.execute(
        f"select name, kind, {excerpt}, passages.text, frame, at, since, turn, session, agent, version,"  # noqa: S608  no text of others
        f" command, cwd, place, costs from {source} join recordings on recordings.id = passages.recording"
        f" where {' and '.join(conditions)} order by at desc, frame desc limit ?",
        [*(MARKS if match else ()), *values, most],
    )
    return [_read_hit(*row) for row in rows]


def sessions_of_agent(
    index: Index, folder: str, command: Sequence[str], most: int
) -> list[RecentSession]:
    """List the sessions of an agent, by its command, among the `most` recent ones of all agents.

    Those in the folder come first, then those in other folders that the agent can't reopen: they
    can only be read, which works from any folder.
    """
    own = [
        one
        for one in recent_sessions(index, most)
        if [*one.command] == [*command] and not one.place
    ]
    here = [one for one in own if one.cwd == folder]
    return [*here, *(one for one in own if one.cwd != folder and not one.reopens)]


def recent_sessions(index: Index, most: int) -> list[RecentSession]:
    """List the sessions that have a prompt, the latest first.

    An id identifies a session only together with the agent's command, folder and place, and the
    recording in which it began: many agents number their sessions, from one at each start.
    """
    prompts = {
        (recording, session): words_of_person(text)
        for recording, session, text, _ in index.database.execute(
            "select recording, session, text, min(id) from passages where kind = 'prompt'"
            " group by recording, session"
        )
    }
    rows = index.database.execute(
        "select recordings.id, name, session, max(at), agent, command, cwd, place, reopens is not 0,"
        " begun, made_by from passages join recordings on recordings.id = passages.recording"
        " where session != '' group by recordings.id, session order by started, recordings.id"
    )
    last = dict[tuple[str, ...], RecentSession]()
    """The latest session of each id and agent, in the recordings so far."""
    before = list[RecentSession]()
    for row, name, session, at, agent, command, cwd, place, reopens, begun, made_by in rows:
        key = session, command, cwd, place
        earlier = last.get(key)
        if earlier is not None and session in json.loads(begun):
            before.append(earlier)
            earlier = None
        prompt = (earlier.prompt if earlier is not None else "") or prompts.get((row, session), "")
        argv = tuple(json.loads(command))
        last[key] = RecentSession(
            session_id=session,
            prompt=prompt,
            at=at,
            agent=agent,
            command=argv,
            cwd=cwd,
            place=place,
            reopens=bool(reopens),
            recording=name,
            made_by=made_by,
        )
    found = [one for one in (*before, *last.values()) if one.prompt]
    return sorted(found, key=lambda one: one.at, reverse=True)[:most]


def recordings_of_session(
    index: Index, session_id: str, command: Sequence[str], cwd: str, newest: str = ""
) -> list[Path]:
    """Find the recordings with prompts of a session, oldest first, by the agent's command and folder
    on this machine; the last is `newest`, if given.

    The same id in a recording before the session began is another session.
    """
    found: list[Path] = []
    for name, begun in index.database.execute(
        "select name, begun from passages join recordings on recordings.id = passages.recording"
        " where session = ? and command = ? and cwd = ? and place = ''"
        " group by recordings.id order by max(at) desc",
        (session_id, json.dumps(list(command)), cwd),
    ):
        if found or newest in ("", name):
            found.append(Path(name))
            if session_id in json.loads(begun):
                break
    return found[::-1]


def _fts_query(query: Query) -> str:
    """Return the query for FTS5, with words quoted so that their characters mean nothing special."""
    terms = ['"' + word.replace('"', '""').replace("\0", " ") + '"' for word in query.words]
    if query.open_ended:
        terms[-1] += "*"
    return " ".join(terms)


def _read_hit(name: str, kind: str, excerpt: str, text: str, *rest: Any) -> Hit:
    frame, at, since, turn, session_id, agent, version, command, cwd, place, costs = rest
    return Hit(
        *(
            Path(name),
            PassageKind(kind),
            excerpt,
            text,
            frame,
            at,
            since,
            turn,
            session_id,
            agent,
            version,
        ),
        *(tuple(json.loads(command)), cwd, place, json.loads(costs)),
    )
