"""Where a person judges by a text, none of it hides: escape sequences are shown, not dropped."""

import re
from collections.abc import Callable
from itertools import cycle
from math import inf
from typing import Any

import anyio
import pytest

from acp_tui.headless.permission import describe_request
from acp_tui.protocol.events import TrustAsked
from acp_tui.protocol.file_events import AccessAsked, FileOperation
from acp_tui.protocol.requests import PermissionOption
from acp_tui.state.commands import AnswerPermission
from acp_tui.state.open_questions import Permission
from acp_tui.state.state import State
from acp_tui.text import clean_line, clean_text, reveal_escapes
from acp_tui.ui.question.permission.question import answer_choices, question_body
from tests.security.attacks import FORBIDDEN
from tests.unit.state.conversation import Conversation
from tests.unit.ui.app.running import running

HIDDEN = ["\x1b]0;%s\x07", "\x1bP%s\x1b\\", "\x9d%s\x9c", "\x1b_%s\x1b\\", "\x1b]8;;%s"]


def permission(talk: Conversation, hide: Callable[[str], str]) -> None:
    talk.prompt()
    call = {
        "toolCallId": "t",
        "title": f"ls {hide('T1TLE')}",
        "kind": "execute",
        "locations": [{"path": f"/work/{hide('PL4CE')}"}],
        "content": [
            {"type": "content", "content": {"type": "text", "text": f"a {hide('T3XT')}"}},
            {"type": "diff", "path": f"/work/{hide('P4TH')}", "newText": f"b {hide('N3W')}"},
        ],
        "rawInput": {"command": f"ls {hide('C0MMAND')}"},
    }
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    talk.update("tool_call", **call)
    talk.asks("session/request_permission", toolCall=call, options=options)


def access(talk: Conversation, hide: Callable[[str], str]) -> None:
    talk.prompt()
    talk.asks("terminal/create", command="ls")
    line, folder, rule = f"ls {hide('L1NE')}", f"/work/{hide('F0LDER')}", f"ask {hide('RUL3')}"
    number = talk.number
    talk.happened(AccessAsked(9.0, number, "s", FileOperation.RUN, line, folder, rule=rule))


def trust(talk: Conversation, hide: Callable[[str], str]) -> None:
    talk.happened(TrustAsked(9.0, "/work/.mcp.json", f'{{"command": "{hide("S3RVER")}"}}'))


SHOWN = {
    permission: ["T1TLE", "PL4CE", "T3XT", "P4TH", "N3W", "C0MMAND"],
    access: ["L1NE", "F0LDER", "RUL3"],
    trust: ["S3RVER"],
}


@pytest.mark.parametrize("scene", SHOWN, ids=lambda scene: scene.__name__)
def test_a_question_shows_what_would_hide(
    scene: Callable[[Conversation, Callable[[str], str]], None],
) -> None:
    talk = Conversation.opened()
    sequences = cycle(HIDDEN)
    scene(talk, lambda word: next(sequences) % word)

    async def visit() -> None:
        async with running(talk.state, (100, 50)) as it:
            await it.wait_until_armed()
            screen = it.screen
            for word in SHOWN[scene]:
                assert word in screen

    anyio.run(visit)
    for question in talk.state.waiting_permissions():
        lines = [
            clean_line(reveal_escapes(line)) for line in describe_request(talk.state, question)
        ]
        for word in SHOWN[scene]:
            assert word in "".join(lines)


def test_what_is_revealed_is_clean_and_whole() -> None:
    for hidden in HIDDEN:
        shown = clean_text(reveal_escapes(hidden % "all"))
        assert "all" in shown
        assert not FORBIDDEN.search(shown)


BLANKS = {
    "spaces": " ",
    "no-break spaces": "\xa0",
    "ogham spaces": "\u1680",
    "em spaces": "\u2003",
    "figure spaces": "\u2007",
    "narrow spaces": "\u202f",
    "mathematical spaces": "\u205f",
    "wide spaces": "\u3000",
    "braille blanks": "\u2800",
    "hangul fillers": "\u3164",
    "half hangul fillers": "\uffa0",
    "hangul jamo fillers": "\u115f\u1160",
    "spaces without width": "\u200b",
    "joiners": "\u2060\u200d\ufeff",
    "soft hyphens": "\xad",
    "selectors": "\ufe0f",
    "tags": "\U000e0020",
    "tabs": "\t",
    "newlines": "\n",
    "lines of blanks": " \t\n",
    "carriage returns": "\r",
    "both": "\r\n",
    "next lines": "\x85",
    "line separators": "\u2028",
    "paragraph separators": "\u2029",
    "vertical tabs": "\x0b",
    "form feeds": "\x0c",
    "separators": "\x1c\x1d\x1e\x1f",
    "nothing": "\x00",
    "a mixture": " \xa0\u2003\u3000\u2800\t\u200b",
}
"""Whatever a terminal draws nothing for."""
MANY = 600
"""Blanks that would fill several screens: with each of some, a new line begins."""


def commands(blank: str) -> dict[str, Any]:
    return {
        "title": f"ls {blank} T1TLE",
        "kind": "execute",
        "locations": [{"path": f"/work/{blank}/PL4CE"}],
        "rawInput": {
            "command": f"ls {blank} C0MMAND",
            "cwd": f"/work/{blank}/F0LDER",
            "commands": [["ls", f"{blank} L1ST"], f"{blank} L1NE"],
            "env": {"deep": [{f"{blank}K3Y": f"{blank}V4LUE"}]},
        },
    }


def arguments(blank: str) -> dict[str, Any]:
    return {
        "title": "Run",
        "kind": "execute",
        "rawInput": {"command": ["ls", f"{blank}ARGV", "-x"], "args": [f"{blank}M0RE"]},
        "content": [
            {"type": "content", "content": one}
            for one in (
                {"type": "text", "text": f"a{blank}T3XT"},
                {"type": "resource", "resource": {"uri": f"x:{blank}UR1", "text": f"{blank}R3S"}},
                {"type": "resource_link", "name": f"{blank}L1NK", "uri": f"file:///{blank}WH3RE"},
            )
        ],
    }


def edits(blank: str) -> dict[str, Any]:
    old = f"same\n{blank}GONE\nsame"
    new = f"same\nn{blank}N3W\n{blank}\nL4ST\nsame"
    diff = {"type": "diff", "path": f"/work/{blank}/P4TH", "oldText": old, "newText": new}
    return {"title": "Edit", "kind": "edit", "content": [diff], "rawInput": {"content": old}}


JUDGED = {
    commands: ["T1TLE", "PL4CE", "C0MMAND", "F0LDER", "L1ST", "L1NE", "K3Y", "V4LUE"],
    arguments: ["ARGV", "M0RE", "T3XT"],
    edits: ["P4TH", "N3W", "GONE", "L4ST"],
}


def judging(call: dict[str, Any], option: str = "Yes") -> Conversation:
    """A conversation with a question about a tool call."""
    talk = Conversation.opened()
    talk.prompt()
    options = [{"optionId": "y", "name": option, "kind": "allow_once"}]
    asked = {"toolCallId": "t", "title": "Run", **call}
    talk.asks("session/request_permission", toolCall=asked, options=options)
    return talk


def seen(state: State, question: Permission) -> list[str]:
    """What stands in a question, in lines of 76 cells."""
    judged = question_body(state, question, 76)
    while not judged.lay_out(76, 0):
        pass
    return [judged.plain(y) for y in range(judged.height)]


SEEN_ONLY = {arguments: ["UR1", "R3S", "L1NK", "WH3RE"]}
"""What `run` tells by its kind alone."""


@pytest.mark.parametrize("call", JUDGED, ids=lambda call: call.__name__)
@pytest.mark.parametrize("blank", BLANKS.values(), ids=BLANKS)
def test_blanks_push_nothing_out_of_view(blank: str, call: Callable[[str], Any]) -> None:
    many = blank * MANY
    talk = judging(call(many))
    (question,) = talk.state.waiting_permissions()
    for lines in (seen(talk.state, question), describe_request(talk.state, question)):
        assert len(lines) < 45
        for word in JUDGED[call]:
            assert any(word in line[:200] for line in lines), word
    for word in SEEN_ONLY.get(call, ()):
        assert any(word in line for line in seen(talk.state, question)), word


@pytest.mark.parametrize("blank", BLANKS.values(), ids=BLANKS)
def test_blanks_push_nothing_of_an_option_out_of_view(blank: str) -> None:
    (choice,) = answer_choices(
        [PermissionOption(option_id="y", name=f"Yes{blank * MANY}N4ME", kind="allow_once")]
    )
    assert len(choice.label) < 60
    assert choice.label.endswith("N4ME")


@pytest.mark.parametrize("blank", BLANKS.values(), ids=BLANKS)
def test_blanks_push_nothing_of_what_we_run_or_write_out_of_view(blank: str) -> None:
    talk = Conversation.opened()
    many = blank * MANY
    line, folder, rule = f"ls {many} L1NE", f"/work/{many}F0LDER", f"ask {many} RUL3"
    talk.asks("terminal/create", command="ls")
    run = AccessAsked(9.0, talk.number, "s", FileOperation.RUN, line, folder, rule=rule)
    talk.happened(run)
    talk.asks("fs/write_text_file", path="/x", content="")
    path, content = f"/etc/{many}P4TH", f"new\n{many}\nN3W"
    talk.happened(
        run._replace(
            request=talk.number,
            operation=FileOperation.WRITE,
            path=path,
            content=content,
            outside=True,
            rule=None,
        )
    )
    first, second = talk.state.waiting_permissions()
    for question, words in ((first, ["L1NE", "F0LDER", "RUL3"]), (second, ["P4TH", "N3W"])):
        lines = seen(talk.state, question)
        assert len(lines) < 20
        for word in words:
            assert any(word in line for line in lines), word
        lines = describe_request(talk.state, question)
        assert len(lines) < 20
        for word in words:
            assert any(word in line[:200] for line in lines), word


@pytest.mark.parametrize(
    "blank",
    [
        BLANKS["newlines"],
        # The lines of the same question are tried above, with all blanks.
        pytest.param(BLANKS["a mixture"], marks=pytest.mark.slow),
    ],
)
def test_a_question_is_short_on_the_screen_whatever_blanks_are_in_it(blank: str) -> None:
    talk = judging(commands(blank * MANY), option=f"Yes{blank * MANY}N4ME")

    async def visit() -> None:
        async with running(talk.state, (100, 50)) as it:
            await it.wait_until_armed()
            screen = it.screen
            for word in (*JUDGED[commands], "N4ME"):
                assert word in screen, word
            assert "PgDn" not in screen

    anyio.run(visit)


def test_a_text_that_says_it_is_none_is_shown() -> None:
    talk = judging({"content": [{"type": "diff", "path": "/a", "newText": "rm -rf /\n\0\n"}]})
    (question,) = talk.state.waiting_permissions()
    lines = seen(talk.state, question)
    assert lines[-3:] == [" /a  new file  +2 −0", "   1 + rm -rf /", "   2 + ␀"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            {"kind": "execute", "rawInput": {"command": "\n".join(["echo"] * 25)}},
            r"\d+ more rows of the command below",
        ),
        ({"kind": "execute", "title": "echo " * 300}, r"more rows below, \d+ of the command"),
        (
            {"content": [{"type": "diff", "path": "/a", "newText": "x\n" * 25}]},
            r"\d+ more rows of the diff below",
        ),
        (
            {
                "content": [
                    {"type": "diff", "path": f"/{one}", "newText": "x\n" * 15} for one in "ab"
                ]
            },
            r"\d+ more rows of the diff below",
        ),
        ({"rawInput": {"script": "x\n" * 25}}, "more rows of the input below"),
        (
            {"rawInput": {"command": "x\n" * 20, "script": "x\n" * 20}},
            r"more rows below, \d+ of the command",
        ),
    ],
)
def test_the_frame_says_what_of_it_is_not_in_view(call: dict[str, Any], words: str) -> None:
    talk = judging(call)

    async def visit() -> None:
        async with running(talk.state, (80, 24)) as it:
            await it.wait_until_armed()
            edge, pages = lower_edge(it.screen), 0
            assert re.search(words, edge)
            while "below" in edge and (pages := pages + 1) < 40:
                await it.press("pagedown")
                edge = lower_edge(it.screen)
            assert pages > 1
            assert "below" not in edge
            assert "PgDn" not in it.screen

    anyio.run(visit)


LONG = {"type": "diff", "path": "/work/a.txt", "newText": "x\n" * 15}
HOOK = {"type": "diff", "path": "/work/.git/hooks/pre-commit", "newText": "rm -rf ~\n"}
REASONS = {"type": "content", "content": {"type": "text", "text": "because\n" * 18}}


@pytest.mark.parametrize(
    ("call", "reads"),
    [
        (
            {"kind": "execute", "rawInput": {"command": "\n".join(["echo"] * 30)}},
            {"enter": 3, "1": 3},
        ),
        (
            {"content": [REASONS, {"type": "diff", "path": "/a", "newText": "x"}]},
            {"enter": 2, "1": 2},
        ),
        ({"content": [REASONS], "rawInput": {"script": "x"}}, {"enter": 2, "1": 2}),
        (
            {"content": [{"type": "diff", "path": "/a", "newText": "x\n" * 20}]},
            {"enter": 2, "1": 0},
        ),
        ({"content": [LONG, HOOK]}, {"enter": 2, "1": 2}),
    ],
)
def test_nothing_is_allowed_before_it_was_in_view(
    call: dict[str, Any], reads: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_tui.state.question.WORD_GAP", 0.0)  # no word is typed here
    talk = judging(call)
    (question,) = talk.state.waiting_permissions()

    async def visit(key: str, most: int) -> None:
        async with running(talk.state, (80, 24)) as it:
            await it.wait_until_armed()
            pressed = 0
            while not it.asked and pressed < 30:
                reads_on = "Enter read on" if key == "enter" else "reject, or read on"
                assert (reads_on in it.screen) == (pressed < most)
                await it.press(key)
                pressed += 1
                await it.wait_until_armed()
            assert it.asked == [AnswerPermission(question.number, "y")]
            assert pressed == most + 1

    for key, most in reads.items():
        anyio.run(visit, key, most)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"rawInput": {"script": "x" * 200_000}}, "not all of the input is shown"),
        pytest.param(
            {"rawInput": [*range(5000)]}, "not all of the input is shown", marks=pytest.mark.slow
        ),
        (
            {"content": [{"type": "diff", "path": "/a", "newText": "x" * 5000}]},
            "not all of the diff is shown",
        ),
    ],
)
def test_the_frame_says_what_is_too_long_to_be_seen(call: dict[str, Any], words: str) -> None:
    talk = judging(call)

    async def visit() -> None:
        async with running(talk.state, (80, 24)) as it:
            await it.wait_until_armed()
            while "PgDn" in it.screen:
                await it.press(*["pagedown"] * 60)
            assert words in lower_edge(it.screen)

    anyio.run(visit)


def lower_edge(screen: str) -> str:
    """The row below what is judged."""
    return next(row for row in screen.split("\n") if row.startswith("╰"))


def test_no_letter_of_what_is_judged_is_behind_a_scrollbar() -> None:
    talk = Conversation.opened()
    talk.prompt()
    text = "".join(f"{number:03}." for number in range(1000))
    content = [{"type": "content", "content": {"type": "text", "text": text}}]
    call = {"toolCallId": "t", "title": "ls", "content": content}
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    talk.asks("session/request_permission", toolCall=call, options=options)

    async def visit() -> None:
        async with running(talk.state, (80, 40)) as it:
            await it.wait_until_armed()
            rows = re.findall("^│ +([0-9.]+)", it.screen, re.MULTILINE)
            assert len(rows) > 10
            assert text.startswith("".join(rows))

    anyio.run(visit)


@pytest.mark.parametrize("blank", [BLANKS["newlines"], BLANKS["a mixture"]])
def test_blanks_push_no_server_of_a_project_out_of_view(blank: str) -> None:
    talk = Conversation.opened()
    many = blank * MANY
    talk.happened(TrustAsked(9.0, f"/work/{many}F1LE", f'{{{many}"command": "{many}S3RVER"}}'))

    async def visit() -> None:
        async with running(talk.state, (100, 30)) as it:
            await it.wait_until_armed()
            for word in ("F1LE", "S3RVER"):
                assert word in it.screen

    anyio.run(visit)


IMITATED = "acp-tui made this diff, from what the agent sent and the file:"


@pytest.mark.parametrize(
    "content",
    [
        {"type": "text", "text": f"a\n{IMITATED}"},
        {"type": "resource_link", "uri": "file:///w", "name": "", "title": f"a\n{IMITATED}"},
        {"type": "resource", "resource": {"uri": "file:///w", "text": f"a\n{IMITATED}"}},
        {"type": "resource", "resource": {"uri": f"x:a\n{IMITATED}", "text": "a"}},
    ],
)
def test_no_row_of_a_question_begins_with_what_an_agent_says(content: dict[str, Any]) -> None:
    talk = Conversation.opened()
    talk.prompt()
    shown = [{"type": "content", "content": content}]
    call = {"toolCallId": "t", "title": "Edit", "kind": "edit", "content": shown}
    talk.update("tool_call", **call)
    talk.asks("session/request_permission", toolCall=call, options=[])
    rows = question_rows(talk.state)
    assert any(IMITATED in row for row in rows)
    assert not any(row.startswith((IMITATED, "a")) for row in rows)


def test_no_row_of_a_question_begins_with_the_name_of_a_folder() -> None:
    talk = Conversation.opened()
    access(talk, lambda word: word if word == "RUL3" else f"{word}\n{IMITATED}")
    assert not any(row.startswith(IMITATED) for row in question_rows(talk.state))


def question_rows(state: State) -> list[str]:
    (asked,) = state.waiting_permissions()
    lines = question_body(state, asked, 100)
    lines.lay_out(100, inf)
    return [lines.plain(row) for row in range(lines.height)]
