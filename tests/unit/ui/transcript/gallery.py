"""Entries of every kind, as an agent may send them."""

from acp_tui.protocol.content import (
    AudioContent,
    ContentItem,
    Diff,
    EmbeddedResource,
    ImageContent,
    ResourceContents,
    ResourceLink,
    TerminalRef,
    TextContent,
)
from acp_tui.protocol.file_events import EditCompared, EditLooked, EditVerdict
from acp_tui.protocol.jsonrpc import Error
from acp_tui.protocol.updates import PlanEntry, ToolCallLocation
from acp_tui.state.blocks import TextRun
from acp_tui.state.entries import (
    CompactionEntry,
    ConsentState,
    EditFacts,
    Entry,
    MessageEntry,
    NoticeEntry,
    PlanSnapshot,
    RawEntry,
    Role,
    TerminalEntry,
    ToolCallEntry,
    TurnEndEntry,
    diff_key,
)
from acp_tui.state.state import Terminal

ROOT = "/home/me/project"

ANSWER = """\
# What I found

The *total* is wrong in `total.py`, see [the docs](https://example.com/docs):

1. it starts at **one**
2. it skips the last line

- [x] read the code
- [ ] fix it

| file | lines |
|:-----|------:|
| total.py | 12 |

```python
def total(numbers):
    return sum(numbers)  # ✓
```

> Quoted words."""


def message(role: Role, text: str, seconds: float = 3.2) -> MessageEntry:
    return MessageEntry(role, 100.0, blocks=[TextRun([text])], ended=100.0 + seconds)


def tool_call(number: int, title: str, kind: str, status: str, **facts: object) -> ToolCallEntry:
    entry = ToolCallEntry(f"call-{number}", 100.0, title)
    values = {"kind": kind, "status": status, "ended": 101.2, **facts}
    for name, value in values.items():
        setattr(entry, name, value)
    return entry


def messages() -> list[Entry]:
    return [
        message(Role.USER, "Why is the total wrong?\nPlease look at total.py."),
        message(Role.THOUGHT, "The person asks about a total."),
        message(Role.AGENT, ANSWER),
        MessageEntry(
            Role.AGENT,
            100.0,
            blocks=[
                ImageContent(data="A" * 4000, mime_type="image/png"),
                AudioContent(data="A" * 400, mime_type="audio/wav"),
                ResourceLink(name="report", uri="https://example.com/report.pdf", size=12345),
                EmbeddedResource(
                    resource=ResourceContents(uri="file:///notes.txt", text="one\ntwo\nthree")
                ),
            ],
            ended=101.0,
        ),
        TurnEndEntry(112.3, 100.0, "end_turn"),
    ]


def tool_calls() -> list[Entry]:
    place = ToolCallLocation(path=f"{ROOT}/total.py", line=3)
    old = "def total(numbers):\n    result = 1\n    for number in numbers:\n        result += number\n"
    diff = Diff(path=f"{ROOT}/total.py", old_text=old, new_text=old.replace("= 1", "= 0"))
    place_of_diff = EditLooked(100.0, "s", "3", diff.path, 0, line=1, new_line=1, whole=True)
    edited = EditFacts(1, {diff_key(diff): place_of_diff})
    failure = ContentItem(content=TextContent(text="No such file: `absent.py`"))
    return [
        tool_call(
            1,
            "Read total.py",
            "read",
            "completed",
            locations=[place],
            raw_input={"path": "total.py", "limit": 100},
            raw_output="def total(numbers):",
        ),
        tool_call(2, "Search for total", "search", "completed", locations=[place] * 3),
        tool_call(
            3,
            "Edit total.py",
            "edit",
            "completed",
            content=[diff],
            consent=ConsentState(decisions=["Allow"]),
            edits=edited,
        ),
        tool_call(4, "Run tests", "execute", "completed", content=[TerminalRef(terminal_id="t1")]),
        tool_call(5, "Read absent.py", "read", "failed", content=[failure]),
        tool_call(6, "Fetch the docs", "fetch", "cancelled"),
        tool_call(7, "Delete total.pyc", "delete", "pending", ended=None),
        tool_call(8, "Think hard", "think", "in_progress", ended=None),
    ]


def edits() -> list[Entry]:
    """Edits whose diffs are not what the files say."""
    path = f"{ROOT}/total.py"
    old = "def total(numbers):\n    result = 1\n    return result\n"
    new, more = old.replace("= 1", "= 0"), old.replace("= 1", "= 0") + "steal()\n"
    part = Diff(path=path, old_text="    result = 1", new_text="    result = 0")
    unknown = Diff(path=f"{ROOT}/else.py", old_text="one", new_text="two")
    lied = EditCompared(
        100.0,
        "s",
        "1",
        path,
        EditVerdict.DIFFERS,
        "it has +1 −0 lines besides what was shown, from line 4 on",
        before=old,
        shown=new,
        after=more,
    )
    place = EditLooked(100.0, "s", "1", path, 0, line=2, new_line=2)
    made = EditLooked(100.0, "s", "2", path, derived=True, old_text=old, text=new)
    warning = EditLooked(100.0, "s", "3", path, 0, remark="else.py isn't there.", warns=True)
    return [
        tool_call(
            1,
            "Edit total.py",
            "edit",
            "completed",
            content=[part],
            edits=EditFacts(2, {diff_key(part): place}, compared=[lied]),
        ),
        tool_call(2, "replace", "edit", "completed", edits=EditFacts(1, observations=[made])),
        tool_call(
            3,
            "Edit else.py",
            "edit",
            "failed",
            content=[unknown],
            edits=EditFacts(1, {diff_key(unknown): warning}, [warning]),
        ),
    ]


def remarks() -> list[Entry]:
    steps = [("Read", "completed"), ("Fix", "in_progress"), ("Test", "pending")]
    plan = [PlanEntry(content=content, status=status) for content, status in steps]  # type: ignore[arg-type]
    return [
        PlanSnapshot(100.0, [[plan[0]], plan], ended=100.0),
        NoticeEntry(100.0, "info", "A new version is out", "Version 2 can do more.", ended=100.0),
        NoticeEntry(100.0, "warning", "Half of the quota is used", ended=100.0),
        NoticeEntry(100.0, "error", "The model is overloaded", ended=100.0),
        CompactionEntry(100.0, "c1", "completed", [TextRun(["All so far."])], ended=101.0),
        TerminalEntry(100.0, "t1", ended=100.0),
        RawEntry(100.0, "session/update dream", {"dream": ["of", "sheep"]}, "unknown kind"),
    ]


def ends() -> list[Entry]:
    return [
        TurnEndEntry(101.0, 100.0, "cancelled"),
        TurnEndEntry(101.0, 100.0, "max_tokens"),
        TurnEndEntry(101.0, 100.0, "refusal"),
        TurnEndEntry(101.0, 100.0, error=Error(-32603, "Internal error", {"details": "quota"})),
        TurnEndEntry(101.0, 100.0, lost="the agent was killed by SIGKILL"),
    ]


def terminal() -> Terminal:
    terminal = Terminal("t1", "s", "pytest", ["-q"], ROOT, 100.0)
    terminal.parts.append(b"\x1b[32m....\x1b[0m\n4 passed in 0.1s\n")
    terminal.stored_bytes = sum(map(len, terminal.parts))
    terminal.exit_code, terminal.ended = 0, 101.5
    return terminal
