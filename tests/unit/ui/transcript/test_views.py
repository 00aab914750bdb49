"""What the single entries say, folded and opened."""

from typing import Any

import pytest

from acp_tui.protocol.content import (
    ContentItem,
    Diff,
    EmbeddedResource,
    ResourceContents,
    ResourceLink,
    TerminalRef,
    TextContent,
)
from acp_tui.protocol.file_events import EditLooked
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import Error
from acp_tui.protocol.requests import PermissionOption
from acp_tui.protocol.updates import PlanEntry, ToolCallLocation
from acp_tui.protocol.wire_events import Requested
from acp_tui.state.blocks import TextRun
from acp_tui.state.entries import (
    CallKey,
    CompactionEntry,
    EditFacts,
    Entry,
    MessageEntry,
    NoticeEntry,
    PlanSnapshot,
    RawEntry,
    Role,
    ToolCallEntry,
    TurnEndEntry,
    diff_key,
)
from acp_tui.state.open_questions import PendingElicitation, Permission
from acp_tui.state.session import Session, Turn
from acp_tui.state.state import State, Terminal
from acp_tui.ui.desktop.notification import is_failure
from acp_tui.ui.transcript.entries.context import Context
from acp_tui.ui.transcript.entries.views import view_of
from acp_tui.ui.transcript.entry_cursor import is_error
from acp_tui.ui.transcript.entry_markdown import entry_markdown
from tests.unit.ui.transcript import gallery

FOREVER = float("inf")
NOW = 107.4


@pytest.fixture
def context() -> Context:
    session = Session("s", cwd=gallery.ROOT)
    return Context(State(sessions={"s": session}), session, lambda: NOW)


@pytest.fixture
def in_turn(context: Context) -> Context:
    request = Requested(Direction.OUT, 100.0, 1, 1, "session/prompt", None)
    context.session.turn = Turn(request, MessageEntry(Role.USER, 100.0))
    return context


def said(entry: Entry, context: Context, toggles: int = 0, width: int = 80) -> list[str]:
    view = view_of(entry, context)
    view.lay_out(width, FOREVER)
    for _ in range(toggles):
        view.toggle()
        while not view.lay_out(width, FOREVER):
            pass
    return [view.plain(y) for y in range(view.height)]


def test_a_thought_that_goes_on_shows_its_time_and_its_last_line(in_turn: Context) -> None:
    thought = MessageEntry(Role.THOUGHT, 100.0, blocks=[TextRun(["first\nthe last ", "line\n"])])
    assert said(thought, in_turn) == ["✻ Thinking… 7s  the last line"]


def test_a_thought_is_one_line_with_its_duration_until_opened(context: Context) -> None:
    thought = gallery.message(Role.THOUGHT, "Let me *see*.")
    assert said(thought, context) == ["✻ Thought for 3.2s"]
    assert said(thought, context, toggles=1) == ["✻ Thought for 3.2s", "  Let me see."]
    assert said(thought, context, toggles=2) == ["✻ Thought for 3.2s"]


def test_what_took_no_time_names_none(context: Context) -> None:
    thought = MessageEntry(Role.THOUGHT, 100.0, blocks=[TextRun(["Aha."])], ended=100.04)
    assert said(thought, context) == ["✻ Thought"]
    call = gallery.tool_call(1, "Read it", "read", "failed")
    call.ended = call.at + 0.02
    assert said(call, context)[0] == "≡ Read it  ✗ failed"


def with_call(context: Context, call: ToolCallEntry) -> CallKey:
    """Put a tool call into the session, where questions find it."""
    context.session.entries.append(call)
    context.session.indexes.tool_calls[call.tool_call_id] = len(context.session.entries) - 1
    return call.key


def test_a_tool_call_that_asks_says_who_is_waited_for(in_turn: Context) -> None:
    call = gallery.tool_call(1, "Delete it", "delete", "pending", ended=None)
    assert "pending 7s" in said(call, in_turn)[0]
    options = [PermissionOption(option_id="y", name="Yes", kind="allow_once")]
    asked = Permission(1, "s", 100.0, options, call=with_call(in_turn, call))
    in_turn.session.permissions.append(asked)
    assert "waiting for you" in said(call, in_turn)[0]


def test_a_tool_call_whose_form_waits_says_so_too(in_turn: Context) -> None:
    call = gallery.tool_call(1, "Which tea?", "other", "pending", ended=None)
    elsewhere = PendingElicitation(
        1, 100.0, "Which?", "another session", waiting_call=with_call(in_turn, call)
    )
    in_turn.state.elicitations.append(elsewhere)
    assert "pending 7s" in said(call, in_turn)[0]
    asked = PendingElicitation(
        2, 100.0, "Which?", in_turn.session.session_id, waiting_call=call.key
    )
    in_turn.state.elicitations.append(asked)
    assert "waiting for you" in said(call, in_turn)[0]


def test_a_failed_tool_call_is_open_and_says_failed(context: Context) -> None:
    why = ContentItem(content=TextContent(text="No such file"))
    call = gallery.tool_call(1, "Read it", "read", "failed", content=[why])
    assert said(call, context) == ["≡ Read it  ✗ failed 1.2s", "  No such file"]
    assert said(call, context, toggles=1) == ["≡ Read it  ✗ failed 1.2s"]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\nb\nc", ["a", "b", "c"]),
        ("**a**\nb [c\nd](http://x.org)\n\n- e\n  f", ["a", "b c", "d", "", "• e", "f"]),
        ("a `b\nc` d", ["a b c d"]),
    ],
)
def test_lines_that_a_tool_says_stay_lines(text: str, lines: list[str], context: Context) -> None:
    content = [ContentItem(content=TextContent(text=text))]
    call = gallery.tool_call(1, "Look", "read", "failed", content=content)
    shown = [line.strip() for line in said(call, context, width=1300)[1:]]
    assert shown == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "It failed:\n  boom\n\tTrace\n\n  end",
            ["It failed:", "  boom", "    Trace", "", "  end"],
        ),
        ("  `x`\n   make \\\n     all", ["  x", "   make \\", "     all"]),
        ("a:\n\n    if b:\n        c", ["a:", "", "     if b:", "         c"]),
        ("- a\n    b\n  c", ["• a", "    b", "  c"]),
        ("[E1]: gone", ["[E1]: gone"]),
    ],
)
def test_lines_that_a_tool_says_keep_their_indentation(
    text: str, lines: list[str], context: Context
) -> None:
    content = [ContentItem(content=TextContent(text=text))]
    call = gallery.tool_call(1, "Look", "read", "failed", content=content)
    assert [line[2:].rstrip() for line in said(call, context)[1:]] == lines


@pytest.mark.parametrize(
    ("title", "line", "shown"),
    [
        ("notes/a.md", None, "≡ notes/a.md  ✓ 1.2s"),
        (f"{gallery.ROOT}/notes/a.md", None, f"≡ {gallery.ROOT}/notes/a.md  ✓ 1.2s"),
        ("notes/a.md", 8, "≡ notes/a.md  ✓ 1.2s  line 8"),
        ("a.md", None, "≡ a.md  ✓ 1.2s  notes/a.md"),
        ("other/notes/a.md", None, "≡ other/notes/a.md  ✓ 1.2s  notes/a.md"),
    ],
)
def test_a_path_that_is_the_title_is_told_once(
    title: str, line: int | None, shown: str, context: Context
) -> None:
    place = ToolCallLocation(path=f"{gallery.ROOT}/notes/a.md", line=line)
    call = gallery.tool_call(1, title, "read", "completed", locations=[place])
    assert said(call, context) == [shown]


def test_raw_input_is_told_in_words_until_all_is_asked_for(context: Context) -> None:
    call = gallery.tool_call(1, "Do it", "other", "completed", raw_input={"a": 1, "b": [2]})
    assert said(call, context, toggles=1)[1:] == ["  a: 1", "  ▸ raw input"]
    assert '      "a": 1,' in said(call, context, toggles=2)


def test_a_diff_folds_what_the_tool_got_and_gave(context: Context) -> None:
    diff = Diff(path="/a.txt", old_text="old\n", new_text="new\n")
    raw = {"file_path": "/a.txt", "old_string": "old", "new_string": "new"}
    call = gallery.tool_call(1, "Edit", "edit", "completed", content=[diff], raw_input=raw)
    assert said(call, context)[-1].split()[-2:] == ["+", "new"]
    assert len(said(call, context, toggles=1)) == 1  # there is nothing more: it folds
    call.raw_output = {"ok": True}
    assert said(call, context)[-1] == "  ▸ raw output"
    every = said(call, context, toggles=1)
    assert '      "ok": true' in every
    assert not any("old_string" in row for row in every)
    call.raw_input = {**raw, "mode": "0777"}
    assert said(call, context)[-1] == "  ▸ raw input and output"
    assert '      "mode": "0777"' in "\n".join(said(call, context, toggles=1))
    call.status, call.raw_output = "failed", {"error": "read-only", "took": 3}
    assert said(call, context)[-2:] == ["  read-only", "  ▸ raw input and output"]


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("No such file", ["No such file"]),
        ({"stdout": "", "exitCode": 3}, ["exitCode: 3"]),
        ({"content": [{"deep": 1}]}, []),
        ([{"type": "text", "text": "No such file"}, {"type": "image"}], ["No such file"]),
        (
            "\n".join(map(str, range(40))),
            [*map(str, range(20)), "… 20 more lines (Enter shows all)"],
        ),
    ],
)
def test_what_only_the_output_tells_is_told_in_words(
    output: Any, words: list[str], context: Context
) -> None:
    raw = {"path": "/a.txt", "limit": 5}
    call = gallery.tool_call(1, "Read /a.txt", "read", "failed", raw_input=raw, raw_output=output)
    told = ["limit: 5", *words, "▸ raw input and output"]
    assert [line.strip() for line in said(call, context)[1:]] == told
    call.content = [ContentItem(content=TextContent(text="It is gone"))]
    shown = [line.strip() for line in said(call, context)[1:]]
    assert shown == ["It is gone", "▸ raw input and output"]


def test_a_changed_file_is_named_by_its_diff_alone(context: Context) -> None:
    diff = Diff(path="/a.txt", old_text="old\n", new_text="new\n")
    call = gallery.tool_call(1, "Edit", "edit", "completed", content=[diff])
    call.locations = [ToolCallLocation(path=one, line=8) for one in ("/a.txt", "/b.txt")]
    places = [line for line in said(call, context) if line.startswith("  /")]
    assert places[0] == "  /b.txt:8"
    assert places[1].startswith("  /a.txt  +1")


def test_a_command_its_folder_and_its_success_are_told_once(context: Context) -> None:
    made = Terminal("1", "s", "make", ["tea"], gallery.ROOT, 100.0)
    made.ended, made.exit_code = 101.0, 0
    context.state.terminals["1"] = made
    call = gallery.tool_call(1, "Brew", "execute", "completed")
    call.content, call.raw_input = [TerminalRef(terminal_id="1")], {"command": "make tea"}
    head, *below = said(call, context)
    assert head.startswith("$ Brew  ✓")
    assert below == ["  $ make tea"]
    assert said(call, context, toggles=1)[1:3] == ["  $ make tea", f"    in {gallery.ROOT}"]
    call.title = "make tea"
    assert len(said(call, context)) == 1
    assert said(call, context, width=30)[1:] == ["  $ make tea"]
    made.exit_code = 2
    assert said(call, context)[1:] == ["  ✗ exit 2 1.0s"]
    call.title = "Never make tea"
    assert said(call, context)[1] == "  $ make tea"


def test_the_time_of_a_tool_is_told_without_the_wait_for_an_answer(context: Context) -> None:
    call = gallery.tool_call(1, "Edit", "edit", "completed")
    call.consent.waiting.seconds = 1.0
    assert said(call, context)[0].endswith("✓ 0.2s · waited 1.0s for you")
    call.consent.waiting.seconds = 0.5
    assert said(call, context)[0].endswith("✓ 0.7s")
    call.consent.waiting.seconds = call.ended - call.at  # type: ignore[operator]
    assert said(call, context)[0].endswith("✓ waited 1.2s for you")


def test_the_headline_has_the_command_that_the_title_lacks(context: Context) -> None:
    raw = {"command": "git status"}
    call = gallery.tool_call(1, "Do the scripted step", "execute", "completed", raw_input=raw)
    assert said(call, context)[0].startswith("$ Do the scripted step: git status  ✓")
    call.title = "Run git status"
    assert said(call, context)[0].startswith("$ Run git status  ✓")


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("file:///work/%C3%BCber/a%20b.py", "↗ /work/über/a b.py"),
        ("file:///work/a.py#L3", "↗ a b.py /work/a.py#L3"),
        ("file://localhost/work/a.py", "↗ a b.py /work/a.py"),
        ("file:///work/%1b%5d0;x%07/a.py", "↗ a b.py /work/␛]0;x␇/a.py"),
        ("file:///work/%ff", "↗ a b.py file:///work/%ff"),
        ("file://host/work/a.py", "↗ a b.py file://host/work/a.py"),
        ("https://a.b/%C3%BC", "↗ a b.py https://a.b/%C3%BC"),
        ("http://[", "↗ a b.py http://["),
    ],
)
def test_a_link_to_a_file_is_told_as_its_path(uri: str, shown: str, context: Context) -> None:
    link = ResourceLink(name="a b.py", uri=uri)
    assert said(MessageEntry(Role.USER, 100.0, blocks=[link], ended=100.0), context) == [shown]


def test_a_terminal_in_a_tool_call_shows_its_end_until_all_is_asked_for(context: Context) -> None:
    terminal = gallery.terminal()
    terminal.parts.clear()
    terminal.parts.append("".join(f"out {n}\n" for n in range(40)).encode())
    terminal.stored_bytes = len(terminal.output)
    context.state.terminals["t1"] = terminal
    item = TerminalRef(terminal_id="t1")
    call = gallery.tool_call(1, "Run", "execute", "completed", content=[item])
    folded, full = said(call, context), said(call, context, toggles=1)
    assert "  out 39" in folded
    assert "  out 3" not in folded
    assert "  out 3" in full


def test_a_terminal_that_is_not_known_is_said_to_be_so(context: Context) -> None:
    call = gallery.tool_call(
        1, "Run", "execute", "completed", content=[TerminalRef(terminal_id="x9")]
    )
    assert "x9" in said(call, context)[1]


def test_of_a_text_without_end_the_beginning_is_shown(
    monkeypatch: pytest.MonkeyPatch, context: Context
) -> None:
    monkeypatch.setattr("acp_tui.ui.transcript.entries.content.MOST_SHOWN", 10)
    run = TextRun(["one two three"])
    entry = MessageEntry(Role.AGENT, 100.0, blocks=[run])
    assert said(entry, context) == ["one two th", "", "… 3 more characters are not shown"]
    view = view_of(entry, context)
    view.lay_out(80, FOREVER)
    run.append(" four")
    view.changed()
    while not view.lay_out(80, FOREVER):
        pass
    assert [view.plain(y) for y in range(view.height)] == [
        "one two th",
        "",
        "… 8 more characters are not shown",
    ]
    assert entry_markdown(entry, context.state) == "one two three four"


def test_a_plan_is_one_line_with_its_progress_and_keeps_its_history(context: Context) -> None:
    plan = gallery.remarks()[0]
    assert isinstance(plan, PlanSnapshot)
    assert said(plan, context) == ["≣ Plan 1/3  ▶ Fix"]
    assert said(plan, context, toggles=1) == [
        "≣ Plan 1/3",
        "  ☑ Read",
        "  ▶ Fix",
        "  ☐ Test",
        "  ▸ 1 earlier version",
    ]
    assert said(plan, context, toggles=2)[-1] == "  version 1: 1/1"


def test_a_plan_shows_code_without_its_marks(context: Context) -> None:
    step = PlanEntry(content="Make ``a`b`` and `tea.py` kind, `x", status="in_progress")
    plan = PlanSnapshot(100.0, [[step]])
    assert said(plan, context) == ["≣ Plan 0/1  ▶ Make ``a`b`` and tea.py kind, `x"]
    assert said(plan, context, toggles=1)[1] == "  ▶ Make ``a`b`` and tea.py kind, `x"


def test_what_an_agent_calls_things_does_not_pass_for_a_row_of_ours(context: Context) -> None:
    call = gallery.tool_call(1, "✓ Run tests", "read", "failed")
    assert said(call, context)[0] == "≡ “✓ Run tests”  ✗ failed 1.2s"
    call = gallery.tool_call(2, "Run tests  ✓ 0.2s", "read", "failed")
    assert said(call, context)[0] == "≡ “Run tests  ✓ 0.2s”  ✗ failed 1.2s"
    step = PlanEntry(content="▸ 1 earlier version", status="in_progress")
    plan = PlanSnapshot(100.0, [[step]])
    assert said(plan, context) == ["≣ Plan 0/1  ▶ “▸ 1 earlier version”"]
    assert said(plan, context, toggles=1)[1] == "  ▶ “▸ 1 earlier version”"


def test_a_plan_that_was_cleared_says_so(context: Context) -> None:
    step = PlanEntry(content="Boil water")
    plan = PlanSnapshot(100.0, [[step], [], [step], []])
    assert said(plan, context) == ["≣ Plan cleared"]
    assert said(plan, context, toggles=1) == ["≣ Plan cleared", "  ▸ 3 earlier versions"]
    assert said(plan, context, toggles=2) == [
        "≣ Plan cleared",
        "  version 1: 0/1",
        "  version 2: cleared",
        "  version 3: 0/1",
    ]
    assert entry_markdown(plan, context.state) == "(cleared)"


def test_an_error_is_shown_with_code_message_and_data(context: Context) -> None:
    error = Error(-32603, "Internal error", {"details": "no quota left"})
    shown = "\n".join(said(TurnEndEntry(101.0, 100.0, error=error), context))
    assert "-32603" in shown
    assert "Internal error" in shown
    assert "no quota left" in shown


def test_a_turn_that_failed_as_meta_says_does_not_look_done(context: Context) -> None:
    end = TurnEndEntry(101.0, 100.0, "end_turn", failure="No quota")
    (rule,) = said(end, context)
    assert "failed after 1.0s" in rule
    assert entry_markdown(end, context.state) == "The turn failed: No quota"
    assert is_failure(end)


def test_what_explains_an_error_is_told_once_and_without_escapes(context: Context) -> None:
    error = Error(-32603, "Internal error", {"details": 'no "quota"\nleft'})
    assert said(TurnEndEntry(101.0, 100.0, error=error), context)[1:] == [
        "✗ Error -32603: Internal error",
        'no "quota"',
        "left",
    ]
    assert entry_markdown(TurnEndEntry(101.0, 100.0, error=error), context.state) == (
        'Error -32603: Internal error\n\n```\nno "quota"\nleft\n```'
    )
    said_already = Error(-32603, "no quota", "no quota")
    assert said(TurnEndEntry(101.0, 100.0, error=said_already), context)[1:] == [
        "✗ Error -32603: no quota"
    ]
    more = Error(-32603, "no quota", {"left": 0})
    assert '  "left": 0' in said(TurnEndEntry(101.0, 100.0, error=more), context)


def test_a_refusal_says_what_was_dropped(context: Context) -> None:
    shown = " ".join(" ".join(said(TurnEndEntry(101.0, 100.0, "refusal"), context)).split())
    assert "This prompt and everything after it were dropped" in shown


def test_a_compaction_without_a_summary_says_so_when_opened(context: Context) -> None:
    entry = CompactionEntry(100.0, "c", "failed", error="no tokens", ended=101.0)
    head = ["⇲ Compacting the context failed", "  no tokens"]
    assert said(entry, context) == head
    assert said(entry, context, toggles=1) == [*head, "  there is no summary"]


def test_a_compaction_shows_its_summary_when_opened(context: Context) -> None:
    entry = CompactionEntry(100.0, "c", "completed", [TextRun(["We *did* it."])], ended=101.0)
    assert said(entry, context) == ["⇲ Context compacted"]
    assert said(entry, context, toggles=1)[-1] == "  We did it."


def test_an_embedded_text_is_shown_when_asked_for(context: Context) -> None:
    message = gallery.messages()[3]
    assert "  two" not in said(message, context)
    assert "  two" in said(message, context, toggles=1)


@pytest.mark.parametrize("width", [1, 3, 18])
@pytest.mark.parametrize("kind", ["messages", "tool_calls", "remarks", "ends"])
def test_narrow_screens_break_nothing(kind: str, width: int, context: Context) -> None:
    for entry in getattr(gallery, kind)():
        assert said(entry, context, toggles=2, width=width) is not None


def test_hostile_titles_stay_on_one_line_without_escapes(context: Context) -> None:
    call = gallery.tool_call(1, "a\x1b]0;evil\x07b\nc\x1b[2J\u202ed", "read", "completed")
    lines = said(call, context)
    assert len(lines) == 1
    assert "\x1b" not in lines[0]
    assert "\u202e" not in lines[0]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (gallery.message(Role.USER, "as *typed*"), "as *typed*"),
        (gallery.remarks()[0], "- [x] Read\n- [ ] Fix\n- [ ] Test"),
        (RawEntry(1.0, "dream", {"a": 1}), 'dream\n\n```json\n{\n  "a": 1\n}\n```'),
        (TurnEndEntry(1.0, 0.0, error=Error(-1, "bad")), "Error -1: bad"),
    ],
)
def test_an_entry_is_copied_as_markdown(entry: Entry, expected: str) -> None:
    assert entry_markdown(entry, State()) == expected


def test_a_copied_fence_can_not_be_closed_by_its_text() -> None:
    entry = RawEntry(1.0, "x", "```")
    assert '````json\n"```"\n````' in entry_markdown(entry, State())


def test_end_of_a_turn_tells_the_work_and_the_wait_apart() -> None:
    context = Context(State(), Session("s"), lambda: 0.0)
    assert said(TurnEndEntry(72.0, 0.0, "end_turn", waited=60.0), context) == [
        "── 12s · waited 1m 00s for you ──"
    ]


def test_embedded_text_opens_in_messages_and_tool_calls(context: Context) -> None:
    resource = ResourceContents(uri="file:///b.txt", text="embedded text\nline 2")
    block = EmbeddedResource(resource=resource)
    message = MessageEntry(Role.AGENT, 100.0, blocks=[block], ended=101.0)
    assert said(message, context) == ["▸ ▤ /b.txt (text, 2 lines)"]
    assert said(message, context, toggles=1)[1:] == ["  embedded text", "  line 2"]
    call = ToolCallEntry("t", 100.0, "Read", content=[ContentItem(content=block)])
    call.status = "completed"
    assert "    embedded text" in said(call, context, toggles=2)


def test_command_of_a_terminal_is_not_told_twice(context: Context) -> None:
    context.state.terminals["1"] = Terminal("1", "s", "make", ["tea"], None, 100.0)
    call = ToolCallEntry("t", 100.0, "Make", content=[TerminalRef(terminal_id="1")])
    call.raw_input = {"command": "make tea"}
    assert "input" not in " ".join(said(call, context))
    assert '"command": "make tea"' in "\n".join(said(call, context, toggles=1))


def moved(old: str, new: str) -> ToolCallEntry:
    call = ToolCallEntry("m", 100.0, "Move it", kind="move", status="completed", ended=101.0)
    call.content = [
        Diff(path="/tea/gone.py", old_text=old, new_text=""),
        ContentItem(content=TextContent(text="between")),
        Diff(path="/tea/came.py", old_text=None, new_text=new),
    ]
    return call


def test_lines_of_a_binary_file_are_not_counted(context: Context) -> None:
    call = ToolCallEntry("c", 100.0, "Draw", kind="edit", status="completed")
    call.content = [Diff(path="/a.png", old_text="\0a", new_text="\0b")]
    assert said(call, context, toggles=1)[0].split() == ["✎", "Draw", "✓"]
    call.content.append(Diff(path="/a.txt", old_text="a\n", new_text="b\n"))
    assert "+1 −1" in said(call, context, toggles=1)[0]


def test_a_change_of_line_ends_is_named_and_not_counted(context: Context) -> None:
    call = ToolCallEntry("c", 100.0, "Edit", kind="edit", status="completed")
    call.content = [Diff(path="/a.txt", old_text="a\nb\n", new_text="a\r\nb\r\n")]
    for toggles in range(3):  # folded, in part or whole
        shown = "\n".join(said(call, context, toggles))
        assert "line ends: LF to CRLF" in shown
        assert "+0" not in shown


def test_a_renamed_file_is_one_file(context: Context) -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    call = moved(text, text)
    assert said(call, context)[1:] == ["  between", "  /tea/gone.py → came.py  renamed"]
    assert "`/tea/gone.py` → `/tea/came.py`: renamed" in entry_markdown(call, context.state)
    folded = said(call, context, toggles=1)
    assert "+0 −0" in folded[0]


def test_of_a_renamed_file_only_what_changed_is_shown(context: Context) -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    lines = said(moved(text, text.replace("line 15\n", "line fifteen\n")), context)
    assert lines[2] == "  /tea/gone.py → came.py  renamed  +1 −1"
    assert len(lines) < 14
    assert [line.split()[-1] for line in lines if " + " in line] == ["fifteen"]


def test_files_that_have_little_in_common_are_two(context: Context) -> None:
    lines = "\n".join(said(moved("one\ntwo\n", "three\nfour\nfive\n"), context))
    assert "/tea/gone.py  deleted" in lines
    assert "/tea/came.py  new file" in lines


def test_a_tool_call_says_by_which_rule_it_was_allowed(context: Context) -> None:
    call = gallery.tool_call(1, "Run ls", "execute", "completed")
    call.consent.rulings = ["Allowed by your rule: command ls * (settings.toml)"]
    assert said(call, context)[0].endswith("allowed by your rule")
    assert any(call.consent.rulings[0] in line for line in said(call, context, toggles=1))
    assert call.consent.rulings[0] in entry_markdown(call, context.state)


def test_a_diff_has_the_line_numbers_that_it_has_in_the_file(context: Context) -> None:
    entry, _, other = gallery.edits()
    assert "2   -     result = 1" in "\n".join(said(entry, context))
    assert "  2 +     result = 0" in "\n".join(said(entry, context))
    lines = [line.strip() for line in said(other, context)]
    assert ("- one" in lines, "+ two" in lines) == (True, True)


def test_line_numbers_come_as_soon_as_they_are_known(context: Context) -> None:
    entry, _, _ = gallery.edits()
    assert isinstance(entry, ToolCallEntry)
    facts, entry.edits = entry.edits, None
    view = view_of(entry, context)
    view.lay_out(80, FOREVER)
    assert "- " in view.plain(2)
    assert "2" not in view.plain(2)
    entry.edits = facts
    view.changed()
    view.lay_out(80, FOREVER)
    assert view.plain(2).split() == ["2", "-", "result", "=", "1"]


def test_a_part_of_a_file_neither_makes_nor_deletes_it(context: Context) -> None:
    for old, new in (("", "more\n"), ("less\n", "")):
        diff = Diff(path=f"{gallery.ROOT}/a", old_text=old, new_text=new)
        place = EditLooked(100.0, "s", "1", diff.path, 0, line=7, new_line=7)
        facts = EditFacts(1, {diff_key(diff): place})
        entry = gallery.tool_call(1, "Edit", "edit", "completed", content=[diff], edits=facts)
        shown = "\n".join(said(entry, context))
        assert ("new file" in shown, "deleted" in shown, "empty" in shown) == (False,) * 3


def test_a_file_that_was_not_compared_is_called_no_new_one(context: Context) -> None:
    diff = Diff(path="/etc/hosts", new_text="more\n")
    remark = "/etc/hosts was not compared: it is outside the session's folder."
    look = EditLooked(100.0, "s", "1", diff.path, first=True, remark=remark, warns=True)
    for looks in ([], [look]):
        facts = EditFacts(1, observations=looks)
        entry = gallery.tool_call(1, "Edit", "edit", "completed", content=[diff], edits=facts)
        assert ("new file" in "\n".join(said(entry, context))) is not bool(looks)


def test_a_file_that_is_not_as_shown_is_told_of_with_both_diffs(context: Context) -> None:
    entry, made, other = gallery.edits()
    shown = "\n".join(said(entry, context))
    assert "⚠ /home/me/project/total.py is not what the diff that was allowed shows" in shown
    assert shown.count("- ") == 3
    assert "4 + steal()" in shown
    folded = said(entry, context, toggles=1)
    assert len(folded) == 1
    assert folded[0].endswith("⚠ not as shown")
    assert "acp-tui made this diff, from what the agent sent and the file:" in "\n".join(
        said(made, context)
    )
    assert "⚠ else.py isn't there." in "\n".join(said(other, context))


@pytest.mark.parametrize(
    ("severity", "word"),
    [
        ("error", "agent's error: "),
        ("info", "the agent says: "),
        ("acp-tui", "agent's notice: "),
    ],
)
def test_how_bad_a_notice_is_is_told_in_known_words(
    severity: str, word: str, context: Context
) -> None:
    notice = NoticeEntry(100.0, severity, "Type your password", ended=100.0)
    assert said(notice, context)[0][2:] == f"{word}Type your password"


def test_a_huge_notice_of_the_agent_is_short_until_all_of_it_is_wanted(context: Context) -> None:
    huge = NoticeEntry(100.0, "info", "word " * 100_000, "line\n" * 1_000, ended=100.0)
    rows = said(huge, context)
    assert len(rows) == 26
    assert "more lines (Enter shows all)" in rows[4]
    assert "more lines (Enter shows all)" in rows[-1]
    assert len(said(huge, context, toggles=1)) > 2_000


def test_a_huge_error_of_a_compaction_is_short_until_all_of_it_is_wanted(context: Context) -> None:
    failed = CompactionEntry(100.0, "c", "failed", error="word " * 100_000, ended=100.0)
    assert len(said(failed, context)) == 22
    assert len(said(failed, context, toggles=2)) > 2_000


def test_a_huge_error_of_a_turn_is_short_until_all_of_it_is_wanted(context: Context) -> None:
    failed = TurnEndEntry(72.0, 0.0, error=Error(-32603, "word " * 100_000))
    assert len(said(failed, context)) == 22
    assert len(said(failed, context, toggles=2)) > 2_000
    assert len(said(failed, context, toggles=3)) == 22


def test_a_notice_of_the_client_is_whole(context: Context) -> None:
    notice = NoticeEntry(100.0, "error", "Not sent", "line\n" * 100, ours=True, ended=100.0)
    assert len(said(notice, context)) >= 100


def test_the_end_of_a_turn_says_that_it_was_canceled_or_silent(context: Context) -> None:
    canceled = TurnEndEntry(72.0, 0.0, "end_turn", canceled=True)
    assert said(canceled, context) == ["── canceled; the agent answered end_turn · 1m 12s ──"]
    assert entry_markdown(canceled, context.state) == "canceled; the agent answered end_turn"
    refused = TurnEndEntry(72.0, 0.0, error=Error(-32603, "no such method"), canceled=True)
    assert said(refused, context)[0] == "── canceled · failed after 1m 12s ──"
    words = "canceled; the agent answered with an error\n\nError -32603: no such method"
    assert entry_markdown(refused, context.state) == words
    failed = TurnEndEntry(72.0, 0.0, "cancelled", canceled=True, failure="quota")
    assert entry_markdown(failed, context.state) == "canceled; The turn failed: quota"
    silent = TurnEndEntry(72.0, 0.0, "end_turn", silent=True)
    words = "The agent ended the turn without saying anything."
    assert said(silent, context)[1:] == [f"⚠ {words}"]
    assert entry_markdown(silent, context.state) == words


@pytest.mark.parametrize("end", [{"failure": "No credit"}, {"lost": "gone"}])
def test_the_key_for_errors_finds_each_turn_that_failed(end: dict[str, str]) -> None:
    assert is_error(TurnEndEntry(72.0, 0.0, "end_turn", **end))
