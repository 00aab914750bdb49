"""Where a person judges by a text, none of it hides: escape sequences are shown, not dropped."""

import re
from collections.abc import Callable
from itertools import cycle

import anyio
import pytest

from acp_tui.headless.permission import describe
from acp_tui.protocol.events import AccessAsked, FileOperation, TrustAsked
from acp_tui.text import clean, clean_line, reveal_escapes
from tests.security.attacks import FORBIDDEN
from tests.unit.session.conversation import Conversation
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
            for word in SHOWN[scene]:
                assert word in it.screen

    anyio.run(visit)
    for question in talk.state.waiting_permissions():
        lines = [clean_line(reveal_escapes(line)) for line in describe(talk.state, question)]
        for word in SHOWN[scene]:
            assert word in "".join(lines) or word in ("F0LDER", "PL4CE")


def test_what_is_revealed_is_clean_and_whole() -> None:
    for hidden in HIDDEN:
        shown = clean(reveal_escapes(hidden % "all"))
        assert "all" in shown
        assert not FORBIDDEN.search(shown)


def test_blanks_push_nothing_out_of_view() -> None:
    talk = Conversation.opened()
    talk.prompt()
    text = "x" + " \n" * 300 + "T3XT"
    content = [{"type": "content", "content": {"type": "text", "text": text}}]
    call = {"toolCallId": "t", "title": f"ls{' ' * 5000}; T1TLE", "content": content}
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    talk.asks("session/request_permission", toolCall=call, options=options)

    async def visit() -> None:
        async with running(talk.state, (80, 24)) as it:
            await it.wait_until_armed()
            for words in ("ls ⋯ 5,000 spaces ⋯ ; T1TLE", "⋯ 299 empty lines", "T3XT"):
                assert words in it.screen

    anyio.run(visit)


def test_no_letter_of_what_is_judged_is_behind_a_scrollbar() -> None:
    talk = Conversation.opened()
    talk.prompt()
    text = "".join(f"{number:03}." for number in range(1000))
    content = [{"type": "content", "content": {"type": "text", "text": text}}]
    call = {"toolCallId": "t", "title": "ls", "content": content}
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    talk.asks("session/request_permission", toolCall=call, options=options)

    async def visit() -> None:
        async with running(talk.state, (80, 24)) as it:
            await it.wait_until_armed()
            rows = re.findall("^│ ([0-9.]+)", it.screen, re.MULTILINE)
            assert len(rows) > 10
            assert text.startswith("".join(rows))

    anyio.run(visit)
