"""An agent in a race: its turn, followed in the output of `acp-tui run`, and its result."""

from dataclasses import dataclass, field
from typing import Any

from acp_tui.formatting import counted
from acp_tui.race.repository import CommitChanges
from acp_tui.text import clean_line, clean_text

TAIL_LENGTH = 2_000
"""Length of the agent's last messages that are kept, in characters."""
LARGEST_COUNT = 10**15
"""Tokens or cost from which on a number is discarded as a bug of the agent."""


@dataclass(slots=True)
class JudgeResult:
    """The result of the judge's command: its exit code, and how many seconds it took.

    `code` is None if it was stopped, or failed for the reason `why`.
    """

    code: int | None
    seconds: float
    why: str = ""


@dataclass(slots=True)
class RacerTurn:
    """An agent's turn, followed in the output of `acp-tui run`: events on stdout, complaints on
    stderr.
    """

    doing: str = "starting"
    said: str = ""
    calls: int = 0
    failed: int = 0
    """The number of tool calls that have failed so far."""
    tokens: int | None = None
    cost: str = ""
    exit_code: int | None = None
    """The exit code of `acp-tui run`; None while it is running."""
    why: str = ""
    seconds: float | None = None
    complaint: str = ""
    """The last complaint of `acp-tui run` on stderr."""
    _seen: set[str] = field(default_factory=set, repr=False)
    _failed: set[str] = field(default_factory=set, repr=False)

    @property
    def is_open(self) -> bool:
        """Whether the turn's end is unknown: the race is running, or was interrupted."""
        return self.exit_code is None

    @property
    def only_failed(self) -> bool:
        """Whether there were tool calls, and all of them failed."""
        return 0 < self.calls == self.failed

    @property
    def ended(self) -> str:
        """Describe the end of a turn that was not interrupted, with its failed tool calls."""
        if not self.only_failed:
            return "its turn has ended"
        calls = counted(self.calls, "tool call")
        return f"its turn has ended, but {self.failed} of {calls} failed"

    def follow(self, event: dict[str, Any]) -> None:
        """Follow an object that `acp-tui run --format json` printed."""
        match event:
            case {"event": "update", "update": dict(update)}:
                self._follow_update(update)
            case {"event": "session/new"}:
                self.doing = "reading the prompt"
            case {"event": "summary"}:
                self.why = clean_text(str(event.get("why") or ""))
                self.doing = self.why or str(event.get("stopReason") or "")
                if isinstance(usage := event.get("usage"), dict):
                    self._count_tokens(usage.get("totalTokens"))

    def complain(self, line: str) -> None:
        """Store a complaint from stderr; a line without our prefix only continues the previous one."""
        if line.startswith("acp-tui") or not self.complaint:
            self.complaint = line.removeprefix("acp-tui: ").removeprefix("acp-tui run: ")

    def _follow_update(self, update: dict[str, Any]) -> None:
        match update:
            case {"sessionUpdate": "agent_message_chunk", "content": {"text": str(text)}}:
                self.doing = "answering"
                self._append_message(text)
            case {"sessionUpdate": "agent_thought_chunk"}:
                self.doing = "thinking"
            case {"sessionUpdate": "tool_call" | "tool_call_update", "toolCallId": str(call)}:
                if call not in self._seen:
                    self._seen.add(call)
                    self.calls += 1
                    title = clean_text(str(update.get("title") or update.get("kind") or "a tool"))
                    self.doing = title
                    self._append_message(f"\n· {title}\n")
                self._count_failed(call, update.get("status"))
            case {"sessionUpdate": "usage_update"}:
                self._count_tokens(update.get("used"))
                match update.get("cost"):
                    case {"amount": int() | float() as amount, "currency": str(currency)}:
                        if 0 <= amount < LARGEST_COUNT:
                            self.cost = f"{amount:.2f} {clean_line(currency)}"

    def _count_failed(self, call: str, status: Any) -> None:
        """Count a tool call by its status, if the update has one."""
        if status == "failed":
            self._failed.add(call)
        elif isinstance(status, str):
            self._failed.discard(call)
        self.failed = len(self._failed)

    def _count_tokens(self, tokens: Any) -> None:
        """Store a number of tokens, if it is plausible."""
        if isinstance(tokens, int) and 0 <= tokens < LARGEST_COUNT:
            self.tokens = tokens

    def _append_message(self, text: str) -> None:
        self.said = (self.said + clean_text(text))[-TAIL_LENGTH:]


@dataclass(slots=True)
class StoredFiles:
    """The result of an agent's work: the files of its worktree, as a commit."""

    commit: str = ""
    """The commit's id; "" if there is none."""
    changes: CommitChanges | None = None
    ignored: int = 0
    left: str = ""
    """Which files the commit lacks, and the worktree that still has them; or ""."""
    trouble: str = ""
    """Why the files could not be stored, or the worktree could not be removed; or ""."""
    adopted: str = ""


@dataclass(slots=True)
class Racer:
    """An agent in a race, with its turn, its files, and the judge's verdict."""

    label: str
    agent: str
    """Its name or command, as the user typed it."""
    recording: str = ""
    worktree: str = ""
    turn: RacerTurn = field(default_factory=RacerTurn)
    files: StoredFiles = field(default_factory=StoredFiles)
    judged: JudgeResult | None = None

    @property
    def is_done(self) -> bool:
        """Whether the turn ended normally, its files were stored, and the judge, if any, passed it."""
        content = self.judged is None or self.judged.code == 0
        return self.turn.exit_code == 0 and content and bool(self.files.commit)

    @property
    def is_unstored(self) -> bool:
        """Whether the files are only in the worktree: the race is running, or was interrupted."""
        return not self.files.commit and not self.files.trouble
