"""What a permission request shows to judge it by, row by row."""

from typing import Any

import pytest

from acp_tui.protocol.content import ContentItem, Diff, TextContent
from acp_tui.protocol.file_events import EditLooked
from acp_tui.protocol.requests import PermissionOption
from acp_tui.protocol.updates import ToolCallLocation
from acp_tui.state.entries import EditFacts
from acp_tui.state.state import State
from acp_tui.testing.script import OPTIONS
from acp_tui.ui.question.permission.panel import AROUND
from acp_tui.ui.question.permission.question import asker_and_subject, marked_first, question_body
from tests.unit.state.conversation import Conversation
from tests.unit.ui.app import states
from tests.unit.ui.lines.drive import laid_out


def rows_of(state: State, screen: int = 120) -> list[str]:
    """The title of the request that waits, and its rows on a screen of so many columns."""
    [permission] = [one for session in state.sessions.values() for one in session.permissions]
    width = screen - AROUND
    body = laid_out(question_body(state, permission, width), width)
    return [asker_and_subject("Agent", state, permission), *body]


def text_of(state: State, screen: int = 120) -> str:
    return "\n".join(rows_of(state, screen))


def asked(before: dict[str, Any] | None = None, /, **call: Any) -> Conversation:
    """An agent that asks for a tool call, which it may have announced `before`."""
    talk = Conversation.opened()
    talk.prompt()
    if before is not None:
        talk.update("tool_call", toolCallId="t", **before)
    call = {"toolCallId": "t", **call}
    talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    return talk


def test_file_access_shows_where_and_what() -> None:
    state, session = states.working()
    states.ask_access(session, 52)
    shown = text_of(state)
    assert "Write a file outside the working directory?" in shown
    assert "/etc/engine.conf" in shown
    assert states.CWD in shown
    assert "speed = 2" in shown


def test_a_file_inside_that_has_changed_is_asked_about_as_that() -> None:
    state, session = states.working()
    permission = states.ask_access(session, 50)
    assert permission.access is not None
    permission.access = permission.access._replace(outside=False, changed=True)
    shown = text_of(state)
    assert "Overwrite a file that has changed?" in shown
    assert "outside" not in shown


def test_places_outside_the_sessions_folder_are_marked() -> None:
    state, session = states.working()
    inside = f"{states.CWD}/notes/g.txt"
    states.ask(state, session, 50, "Copy", raw_input={"file_path": "/etc/engine.conf"})
    shown = text_of(state, 80)
    assert "⚠ outside the session's folder: /etc/engine.conf" in shown
    assert f"folder: {inside}" not in shown


def test_a_place_outside_says_itself_that_it_was_not_compared() -> None:
    state, session = states.working()
    states.ask(state, session, 50, "Write", raw_input={"file_path": "/etc/engine.conf"})
    entry = session.tool_call("call-50")
    assert entry is not None
    remarks = [
        "/etc/engine.conf was not compared: it is outside the session's folder.",
        "/etc/other was not compared: it is outside the session's folder.",
    ]
    looks = [EditLooked(states.NOW, "s", "t", "", remark=one, warns=True) for one in remarks]
    entry.edits = EditFacts(2, observations=looks)
    shown = text_of(state)
    assert "⚠ outside the session's folder, so not compared: /etc/engine.conf" in shown
    assert "⚠ /etc/other was not compared: it is outside" in shown
    assert "engine.conf was not compared" not in shown


@pytest.mark.parametrize("known", ["/work", "/work/sub"])
def test_a_folder_that_was_known_before_is_no_change(known: str) -> None:
    place: dict[str, Any] = {"rawInput": {"cwd": known}, "locations": [{"path": known}]}
    raw = {"command": "make"}
    before = {"title": "bash", "kind": "execute", **place}
    talk = asked(before, title="make", kind="execute", rawInput=raw, locations=[])
    place["rawInput"] |= raw
    talk.update("tool_call_update", toolCallId="t", **place)
    shown = text_of(talk.state, 80)
    assert f"execute in {known}" in shown
    assert f"· {known}" not in shown
    assert "has changed this" not in shown


def test_a_diff_that_was_announced_is_shown_where_the_question_has_none() -> None:
    diff = {"type": "diff", "path": "/work/tea.txt", "oldText": "green\n", "newText": "black\n"}
    words = {"type": "content", "content": {"type": "text", "text": "Brews tea."}}
    edit = {"title": "Edit", "kind": "edit"}
    shown = text_of(asked(edit | {"content": [diff]}, **edit, content=[words]).state)
    for wanted in ("Brews tea.", "- green", "+ black"):
        assert wanted in shown


HOOK = {"type": "diff", "path": "/work/.git/hooks/pre-commit", "newText": "rm -rf ~\n"}
LONG = {"type": "diff", "path": "/work/a.txt", "newText": "x\n" * 30}


def left_out(talk: Conversation) -> str:
    """What is shown as announced before, and left out of the request."""
    _, _, announced = text_of(talk.state).partition("Announced before, left out of this request:")
    return announced


def test_a_diff_that_was_announced_of_another_file_is_shown_as_that() -> None:
    edit = {"title": "Edit", "kind": "edit"}
    small = {"type": "diff", "path": "/work/a.txt", "newText": "x\n"}
    announced = left_out(asked(edit | {"content": [HOOK]}, **edit, content=[small]))
    assert ".git/hooks/pre-commit" in announced
    assert "+ rm -rf ~" in announced


def test_the_kind_that_was_announced_is_shown_where_the_question_has_another() -> None:
    place = {"title": "Look", "locations": [{"path": "/work/a.txt"}]}
    shown = text_of(asked({"kind": "delete", **place}, kind="read", **place).state)
    assert "⚠ Announced before as another kind of tool: delete" in shown
    assert "left out of this request" not in shown


def test_a_command_that_was_announced_is_shown_where_the_question_names_another() -> None:
    rm = {"title": "rm -rf ~", "kind": "execute", "rawInput": {"command": "rm -rf ~"}}
    talk = asked(rm, title="ls", kind="execute", rawInput={"command": "ls"})
    assert "$ ls" in text_of(talk.state)
    assert "$ rm -rf ~" in left_out(talk)


@pytest.mark.parametrize(
    ("kind", "before", "then", "place"),
    [
        (
            "edit",
            {"locations": [{"path": "/home/me/.bashrc"}]},
            {"locations": [{"path": "a"}]},
            "/home/me/.bashrc",
        ),
        (
            "fetch",
            {"rawInput": {"url": "https://evil.test/"}},
            {"rawInput": {"url": "https://a"}},
            "https://evil.test/",
        ),
    ],
)
def test_a_place_that_was_announced_is_shown_where_the_question_names_another(
    kind: str, before: dict[str, Any], then: dict[str, Any], place: str
) -> None:
    assert place in left_out(asked({"title": "Work", "kind": kind, **before}, kind=kind, **then))


@pytest.mark.parametrize("locations", [[], ["/work/a.txt", *(f"/work/{n}" for n in range(20))]])
def test_all_files_of_a_change_are_named_above_it(locations: list[str]) -> None:
    talk = asked(
        title="Edit",
        kind="edit",
        content=[LONG, *(LONG | {"path": f"/work/b{n}.txt"} for n in range(9)), HOOK],
        locations=[{"path": one} for one in locations],
    )
    head, _, _ = text_of(talk.state, 80).partition("new file")
    assert ".git/hooks/pre-commit" in head
    assert ("and 20 more: at the end" in head) is bool(locations)


@pytest.mark.parametrize(
    ("fields", "is_said"),
    [
        ({}, True),
        ({"rawInput": {"file_path": "/work/a.txt"}}, True),
        ({"rawInput": {"file_path": "/work/a.txt", "content": "x"}}, False),
        ({"rawInput": {"recipe": ["x"]}}, False),
    ],
)
def test_an_edit_of_which_nothing_is_known_says_so(
    fields: dict[str, object], is_said: bool
) -> None:
    shown = text_of(asked(title="Edit a.txt", kind="edit", **fields).state, 80)
    assert ("⚠ The agent doesn't say what it would write." in shown) is is_said


def test_a_question_that_only_names_its_tool_call_shows_what_is_known_of_it() -> None:
    state, session = states.working()
    permission = states.ask(state, session, 50, "Run make table")
    session.tool_call("call-50").raw_input = {"command": "make table"}  # type: ignore[union-attr]
    assert permission.tool_call is not None
    permission.tool_call = permission.tool_call.model_copy(update={"title": None})
    shown = text_of(state, 80)
    assert "Run make table" in shown
    assert "$ make table" in shown


def test_what_is_run_is_shown_above_the_diff_and_what_else_a_tool_gets_below() -> None:
    """A diff tells what the agent says; what it does may be more."""
    state, session = states.working()
    diff = Diff(path=f"{session.cwd}/tea.txt", old_text="green\n", new_text="black\n")
    raw = {"sugar": 2, "command": "rm -rf tea"}
    states.ask(state, session, 50, "Edit", content=[diff], raw_input=raw)
    shown = text_of(state, 80)
    places = [shown.index(words) for words in ("$ rm -rf tea", "black", '{"sugar": 2}')]
    assert places == sorted(places)


def test_a_moved_file_is_one_file_seen_from_the_sessions_folder() -> None:
    state, session = states.working()
    text = "".join(f"line {number}\n" for number in range(12))
    old = Diff(path=f"{session.cwd}/old.txt", old_text=text, new_text="")
    states.ask(
        state,
        session,
        50,
        "Move notes",
        content=[old, Diff(path=f"{session.cwd}/new.txt", new_text=text)],
    )
    assert any(row.startswith(" old.txt → new.txt  renamed") for row in rows_of(state))
    assert "deleted" not in text_of(state)


def test_a_title_that_is_only_the_act_and_a_long_path_takes_no_rows_of_its_own() -> None:
    path = "/work/" + "a_long_name_of_a_folder/" * 4 + "tea.py"
    diff = {"type": "diff", "path": path, "oldText": "coffee", "newText": "tea"}
    at = [{"path": path}]
    rows = rows_of(asked(title=f"Edit {path}", kind="edit", content=[diff], locations=at).state, 80)
    assert "Edit" not in "\n".join(rows)
    assert "whole title" not in "\n".join(rows)
    assert any("+ tea" in row for row in rows)
    assert len(rows) < 12


def test_a_diff_that_is_not_true_is_told_of_above_it_with_the_one_that_is() -> None:
    state, _ = states.asking_untruly()
    rows = [row.strip() for row in rows_of(state, 100)]
    warning = rows.index("⚠ notes/g.txt doesn't have the text that the diff removes.")
    untrue = rows.index("- line zwölf")
    label = rows.index("acp-tui made this diff, from what the agent sent and the file:")
    assert warning < untrue < label < rows.index("12 + rm -rf")


def editing(title: str, path: str, line: int | None, *before: ContentItem) -> State:
    state, session = states.working()
    diff = Diff(path=path, old_text="one\n", new_text="two\n" * 30)
    permission = states.ask(state, session, 50, title, content=[*before, diff])
    assert permission.tool_call is not None
    where = {"locations": [ToolCallLocation(path=path, line=line)]}
    permission.tool_call = permission.tool_call.model_copy(update=where)
    return state


@pytest.mark.parametrize(
    ("title", "name", "line"),
    [
        ("Edit notes.py", "notes.py", 10**60),
        ("編集編集編集編集編集編集 some_notes.py", "some_notes.py", None),
        ("Edit notes.py", "n.py  +0 −0", None),
    ],
)
def test_a_file_whose_name_others_could_hide_or_blur_has_a_row_of_its_own(
    title: str, name: str, line: int | None
) -> None:
    path = f"{states.CWD}/{name}"
    rows = rows_of(editing(title, path, line), 60)[:12]
    assert path.replace(" ", "") in "".join(rows).replace(" ", "")


@pytest.mark.parametrize("title", [f"{states.CWD}/notes.py", "notes.py"])
def test_a_title_that_only_names_the_file_is_not_repeated_above_its_diff(title: str) -> None:
    shown = text_of(editing(title, f"{states.CWD}/notes.py", None), 80)
    assert shown.count("notes.py") == 1
    assert "edit · notes.py" in shown


def test_nothing_of_the_agent_stands_above_what_is_asked_for() -> None:
    words = ContentItem(content=TextContent(text="Only looks.\n" * 30))
    shown = text_of(editing("Edit notes.py", f"{states.CWD}/notes.py", None, words), 80)
    assert shown.index("Edit notes.py") < shown.index("Only looks.")


def test_a_place_that_the_title_names_whole_has_no_row_of_its_own() -> None:
    for title, rows in (("Write /etc/engine.conf", 2), ("Write the engine's settings", 2)):
        state, session = states.working()
        permission = states.ask(state, session, 50, title)
        assert permission.tool_call is not None
        where = {"locations": [ToolCallLocation(path="/etc/engine.conf")]}
        permission.tool_call = permission.tool_call.model_copy(update=where)
        shown = text_of(state)
        assert "outside the session's folder" in shown
        assert shown.count("/etc/engine.conf") == rows


@pytest.mark.parametrize(
    ("kinds", "marked"),
    [
        (["allow_always", "reject_once", "allow_once"], 2),
        (["allow_always", "reject_always", "reject_once"], 2),
        (["allow_always", "reject_always", ""], None),
    ],
)
def test_what_is_marked_first_is_never_an_always(kinds: list[str], marked: int | None) -> None:
    options = [PermissionOption(option_id=kind, name=kind, kind=kind) for kind in kinds]
    assert marked_first(options) == marked
