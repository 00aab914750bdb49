"""A turn's tool calls as the consent rules see them: what they name, the answers, and refusals."""

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize

from acp_tui.debug.exchanges import Reading
from acp_tui.protocol.findings import JsonPath
from acp_tui.protocol.json_parts import object_at, objects_at, text_at
from acp_tui.state.entries import FINISHED
from acp_tui.state.file_claims import READING
from acp_tui.text import path_of_url

_REFUSAL = re.compile(
    r"reject|den(y|ied|ial)|declin|refus|cancel|abort|interrupt|disallow|skipp|blocked|dismiss|veto"
    r"|forb[ia]d|discard|unchanged|no-?op\b|would rather|(said|answered|chose) (no\b|not )|stopped by"
    r"|not? (allow|approv|permi|execut|run\b|perform|applied|want|proceed|grant|done|made|written)"
    r"|n['’]t (allow|approv|want|execut|run\b|perform|proceed|grant)|permission"
    r"|no (change|edit)s? (was|were|made)|nothing (was|has been|done|changed)"
    r'|\\?"(approved|allowed|accepted|confirmed|granted|success|changed|written)\\?": ?false'
    r'|\\?"(error|isError)\\?": ?(?!null|false|\\?"\\?"|\{\}|\[\])\S',
    re.IGNORECASE,
)
"""Words by which an agent reports that a completed call did nothing."""
_REFUSAL_ELSEWHERE = re.compile(
    r"abgelehnt|verweiger|abgebrochen|nicht (erlaubt|genehmigt|ausgef|gestattet|zugestimmt)"
    r"|annul|interdi[tc]|n['’]a pas (été )?(autoris|accept|approuv|exécut)|pas (autoris|exécut)"
    r"|rechaz|deneg|no (se )?(permiti|autoriz|aprob|acept|ejecut)|rejeit|recus|negad|rifiut|negat[oa]"
    r"|non (è stat[oa] )?(autorizz|approv|consent|eseguit)|não (foi )?(permit|autoriz|aprov|execut)"
    r"|afgewezen|geweigerd|geannuleerd|niet (toegestaan|goedgekeurd|uitgevoerd)|avvis|avböj|nekad"
    r"|odrzuc|odmów|anulow|reddedil|reddett|iptal|отклон|отказ|отмен|запре[тщ]|не (разреш|выполн)"
    r"|відхил|відмов|скасов|拒|否决|否決|取消|不允许|不允許|未(批准|执行|執行|获|獲|经|經|授)|没有(批准|执行|允许)"
    r"|却下|キャンセル|中止|中断|許可され(ません|なか)|거부|거절|취소|허용되지|승인되지",
    re.IGNORECASE,
)
"""The same in other languages that agents answer in."""
_SUCCESS = re.compile(
    r'\\?"(exit_?(code|status)|returncode)\\?": ?0\b|\\?"success\\?": ?true', re.IGNORECASE
)
"""Output that a refused call never has."""
_PATH_NAME = re.compile(r"path|file", re.IGNORECASE)
_SHELL = re.compile(r"^(\S*/)?(ba|da|z|k|fi)?sh( --?[\w-]+)* -\w*c ")
_PROGRAMS = re.compile(r"^(/usr(/local)?|/opt/homebrew)?/s?bin/")
_ABSOLUTE = re.compile(r"/|[A-Za-z]:/")
_COMMANDS = ("command", "cmd", "commands", "script")
_READ_ONLY = re.compile(
    r"(?:git (?:status|diff|log|show|rev-parse|ls-files|blame|describe|grep)"
    r"|ls|pwd|cat|head|tail|wc|grep|which|stat|du|df|tree|uname|whoami)(?!.* --?[oO])(?: .*)?"
)
"""Commands that change no file, without an option that may name an output."""
_SHELL_SIGNS = re.compile(r"[|&;<>`$\n]")


_SHORT = 3
"""Longest ASCII name of an option that isn't searched for in a text: `No` begins many sentences."""


def reports_refusal(update: dict[str, Any], option: str, names: Iterable[str] = ()) -> bool:
    """Return whether an update's text says that nothing was done.

    Words in the `names` that the call had before don't count: a file may be called `cancel.py`.
    """
    texts = {name: update.get(name) for name in ("title", "rawOutput", "_meta")}
    texts["content"] = [one for one in objects_at(update, "content") if one.get("type") != "diff"]
    words = json.dumps(texts, ensure_ascii=False, default=str)
    for name in sorted(filter(None, names), key=len, reverse=True):
        written = re.escape(json.dumps(name, ensure_ascii=False)[1:-1])
        words = re.sub(rf"(?<!\w){written}(?!\w)", "", words)
    says = _REFUSAL.search(words) or _REFUSAL_ELSEWHERE.search(words)
    return says is not None or _quotes_option(words, option)


def has_output(update: dict[str, Any]) -> bool:
    """Return whether an update has a text or an output that isn't itself a claim of success."""
    output = update.get("rawOutput")
    written = json.dumps(output, ensure_ascii=False, default=str)
    if _SUCCESS.search(written):
        return False
    contents = (object_at(one, "content") for one in objects_at(update, "content"))
    texts = [text_at(one, "text") for one in contents]
    outputs = output.values() if isinstance(output, dict) else [output]
    return any((*texts, *outputs))


def _quotes_option(words: str, option: str) -> bool:
    """Return whether a text quotes an option's name: an ASCII one as whole words, others anywhere."""
    if not option.isascii():
        return option in words
    return len(option) > _SHORT and re.search(rf"\b{re.escape(option)}\b", words) is not None


def paths_in(update: dict[str, Any]) -> Iterator[str]:
    """Yield the paths that a tool call names: in diffs, locations and its input."""
    for one in (*objects_at(update, "content"), *objects_at(update, "locations")):
        yield text_at(one, "path")
        for change in objects_at(one, "changes"):
            yield text_at(change, "path")
            yield text_at(change, "oldPath")
    for name, value in object_at(update, "rawInput").items():
        if isinstance(name, str) and _PATH_NAME.search(name):
            yield from texts_in(value)


def edits_in(update: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the path and the new text of each diff."""
    for one in objects_at(update, "content"):
        path, text = text_at(one, "path"), text_at(one, "newText")
        if path and text:
            yield plain_path(path), text


def commands_in(update: dict[str, Any]) -> Iterator[str]:
    """Yield the commands that a tool call names in its input."""
    raw = object_at(update, "rawInput")
    for name in _COMMANDS:
        words = list(texts_in(raw.get(name)))
        if words:
            yield " ".join([*words, *texts_in(raw.get("args"))])


def terminals_in(update: dict[str, Any]) -> Iterator[str]:
    """Yield the ids of the terminals that a tool call shows."""
    for one in objects_at(update, "content"):
        if terminal := text_at(one, "terminalId"):
            yield terminal


def texts_in(value: Any) -> Iterator[str]:
    """Yield a string, or the strings in a list."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (one for one in value if isinstance(one, str))


def plain_command(command: str) -> str:
    """Return a command without quotes, extra spaces, its program's folder, and its shell."""
    words = " ".join(re.sub("[\"']", " ", command).split())
    return _PROGRAMS.sub("", _SHELL.sub("", words)).rstrip("; ")


def is_read_only_command(command: str) -> bool:
    """Return whether a command certainly only reads: one known program, whose output goes nowhere."""
    return (
        not _SHELL_SIGNS.search(command)
        and _READ_ONLY.fullmatch(plain_command(command)) is not None
    )


def program_of(command: str) -> list[str]:
    """Return the program of a plain command, and git's subcommand."""
    words = command.split()
    return words[: 1 + (words[:1] == ["git"])]


def plain_path(path: str) -> str:
    """Return a path normalized to one spelling per file, without looking at the disk."""
    if not path:
        return ""
    plain = posixpath.normpath(path_of_url(path).replace("\\", "/"))
    return normalize("NFC", f"/{plain.lstrip('/')}" if plain.startswith("/") else plain)


def is_same_path(path: str, other: str, folder: str) -> bool:
    """Return whether two paths name the same file; a relative one is in the session's `folder`.

    Without a folder, a relative path matches any path that ends with it.
    """
    if _ABSOLUTE.match(path) and _ABSOLUTE.match(other):
        return path == other
    if folder:
        first, second = (
            one if _ABSOLUTE.match(one) else f"{folder}/{one}" for one in (path, other)
        )
        return first == second
    return path == other or path.endswith(f"/{other}") or other.endswith(f"/{path}")


@dataclass
class CallConsent:
    """A tool call, the files and commands that it names, and the answer to its permission request."""

    id: str
    kind: str = ""
    titles: set[str] = field(default_factory=set)
    paths: set[str] = field(default_factory=set)
    commands: set[str] = field(default_factory=set)
    edits: set[tuple[str, str]] = field(default_factory=set)
    """The paths and new texts of its diffs."""
    terminals: set[str] = field(default_factory=set)
    """The ids of the terminals that it shows."""
    status: str = ""
    announced_late: bool = False
    """Whether it was announced more than a second after session/cancel, and has not begun."""
    asked: set[int] = field(default_factory=set)
    """The indexes of its permission requests that have no answer yet."""
    early: list[tuple[Reading, str, JsonPath]] = field(default_factory=list)
    """Work done while its permission was pending: the record, how, and the path in its message."""
    allowed: bool = False
    denied: str = ""
    """How its last permission request was denied; empty if it was allowed, or has no answer."""
    rejected: bool = False
    """Whether it was denied with an option that rejects."""
    for_good: bool = False
    """Whether it was denied with an option that rejects always."""
    option: str = ""
    """The name of the option that was chosen."""
    answered_at: float = 0.0
    reported: bool = False

    @property
    def may_run(self) -> bool:
        """Whether the call was allowed, or needs no permission."""
        return not (self.denied or self.asked)

    @property
    def only_reads(self) -> bool:
        """Whether the call is of a kind that changes no file."""
        return self.kind in READING

    @property
    def named_commands(self) -> set[str]:
        """The commands that it names; those in its titles if it runs something and names nothing."""
        if self.commands or self.kind != "execute":
            return self.commands
        return {plain_command(one.strip("` ")) for one in self.titles} - {""}

    @property
    def names_something(self) -> bool:
        """Whether the call names a file or a command."""
        return bool(self.paths - {""} or self.named_commands)

    @property
    def names_all(self) -> bool:
        """Whether the call has ended and named its files or commands: other work isn't its own."""
        is_named = self.only_reads or bool(self.paths or self.commands)
        return self.status in FINISHED and is_named

    @property
    def names(self) -> set[str]:
        """Its titles and the names of its files."""
        return self.titles | self.paths | set(map(posixpath.basename, self.paths))

    @property
    def answer_words(self) -> str:
        """How a call that may not run was answered, as the end of a message."""
        return f"{self.id!r} was {self.denied}" if self.denied else f"{self.id!r} has no answer yet"

    def learn(self, update: dict[str, Any]) -> None:
        """Add the files, commands and terminals that an update names."""
        self.kind = text_at(update, "kind") or self.kind
        self.titles.add(text_at(update, "title"))
        self.paths |= set(map(plain_path, paths_in(update)))
        self.commands |= {plain_command(one) for one in commands_in(update)} - {""}
        self.edits |= set(edits_in(update))
        self.terminals |= set(terminals_in(update))
        self.status = text_at(update, "status") or self.status


@dataclass
class UnnamedWork:
    """A write or a command that no tool call of the turn has named yet.

    `guess` explains why a call that was not allowed may have done it; empty if another call was
    running. `terminal` is the id of the command's terminal, once there is one.
    """

    reading: Reading
    done: str
    where: JsonPath
    names: Callable[[CallConsent], bool]
    guess: str
    terminal: str = ""

    def is_of(self, call: CallConsent) -> bool:
        """Return whether a call that may run names this work, or shows its terminal."""
        return call.may_run and (self.names(call) or self.terminal in call.terminals)


@dataclass
class TurnConsent:
    """The tool calls and permissions of a session since its last prompt."""

    calls: dict[str, CallConsent] = field(default_factory=dict)
    unnamed: list[UnnamedWork] = field(default_factory=list)
    cancelled_at: float | None = None
    ended: bool = False
    """Whether the turn has ended after session/cancel."""
    followed: bool = False
    """Whether another prompt was sent between session/cancel and the end."""
    questioned: bool = False
    """Whether any permission was requested. If not, nothing is compared: updates may flood in."""
    settings_changed: bool = False
    """Whether the client has set a mode or an option since: the agent may need fewer permissions."""
    began_at: float = 0.0
    written: dict[str, int] = field(default_factory=dict)
    """The hash of the last text that was written to each file."""
    talked_at: float | None = None
    """The time of the first text that came too late after session/cancel."""
    talk_reported: bool = False
    unfinished: dict[str, CallConsent] = field(default_factory=dict)
    """The denied calls of earlier turns that haven't ended: an update may continue one."""
    forbidden: list[CallConsent] = field(default_factory=list)
    """The calls rejected for good in earlier turns, or denied before the session was reopened."""

    def next_turn(self, began_at: float) -> "TurnConsent":
        """Return the next turn, with denied calls that haven't ended and those rejected for good."""
        every = self.unfinished | self.calls
        denied = {id: one for id, one in every.items() if one.denied and one.status not in FINISHED}
        known = (*self.forbidden, *self.calls.values())
        for_good = [one for one in known if one.for_good and one.denied]
        return TurnConsent(began_at=began_at, unfinished=denied, forbidden=for_good)

    def reopened(self) -> "TurnConsent":
        """Return the turn after a reopening, with denied calls only: updates may be history."""
        denied = [one for one in self.calls.values() if one.denied]
        return TurnConsent(began_at=self.began_at, forbidden=[*self.forbidden, *denied])

    def change_settings(self) -> None:
        """Record that the client sets a mode or an option."""
        self.settings_changed = True
        self.forbidden.clear()

    def updated_call(self, update: dict[str, Any]) -> CallConsent:
        """Return the tool call of an update; it may continue a denied call of an earlier turn.

        An update that creates a call, or gives it another title, reuses the id for something else.
        """
        id, title = text_at(update, "toolCallId"), text_at(update, "title")
        earlier = self.unfinished.pop(id, None)
        continues_call = text_at(update, "sessionUpdate") != "tool_call"
        if earlier is not None and continues_call and title in ("", *earlier.titles):
            self.calls.setdefault(id, earlier)
            self.questioned = True
        return self.call(id)

    def allowed_vaguely_since(self, at: float) -> bool:
        """Return whether a call that names nothing was allowed later: it may be about anything."""
        return any(
            one.allowed and one.answered_at > at and not (one.only_reads or one.names_something)
            for one in self.calls.values()
        )

    def call(self, id: str) -> CallConsent:
        """Return the tool call with this id; add it if it is new."""
        return self.calls.setdefault(id, CallConsent(id))

    def call_without_id(self, reading: Reading) -> CallConsent:
        """Add a call for a permission request without a tool call id, which version 2 allows."""
        title = text_at(reading.params, "title")
        return self.calls.setdefault(f"question {reading.index}", CallConsent(title))
