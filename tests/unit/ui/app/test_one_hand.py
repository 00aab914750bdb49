"""The transcript by the keyboard alone: links, changes, and a mark that stays where one put it."""

import pytest

from acp_tui.protocol.content import Diff
from acp_tui.state.blocks import TextRun
from acp_tui.state.changes import EntryAdded
from acp_tui.state.entries import MessageEntry, Role, ToolCallEntry
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.ui.transcript.links import LETTERS
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio
OLD = "".join(f"{number}\n" for number in range(30))
NEW = OLD.replace("3\n", "three\n", 1).replace("25\n", "twenty-five\n")


def said(words: str) -> tuple[State, Session]:
    state, session = states.talked()
    at = states.NOW
    session.entries.append(MessageEntry(Role.AGENT, at, blocks=[TextRun([words])], ended=at))
    return state, session


class Opened(list[str]):
    """What was opened: pages in the viewer, files in the editor."""

    def watch(self, it: Running) -> "Opened":
        external = it.app.feature.external
        external.open_link = self.append  # type: ignore[method-assign]
        external.edit = lambda path, line=None: self.append(f"{path}:{line}")  # type: ignore[method-assign]
        return self


async def test_a_letter_opens_a_link_whose_words_say_where_it_leads_and_other_keys_nothing() -> (
    None
):
    state, _ = said("See https://example.com/tea and https://example.com/pot")
    async with running(state, (100, 30)) as it:
        opened = Opened().watch(it)
        await it.press("tab", "f")
        page = it.screen
        assert "ahttps" not in page
        assert "attps://example.com/tea" in page
        assert "sttps://example.com/pot" in page
        await it.press("q")
        assert "https://example.com/tea" in it.screen
        await it.press("f", "escape")
        assert opened == []
        await it.press("f", "s")
        assert opened == ["https://example.com/pot"]
        assert "https://example.com/tea" in it.screen
        assert it.prompt == ""


async def test_where_a_link_leads_is_shown_before_it_is_opened() -> None:
    longest = f"https://good.example/{'a' * 120}@evil.example/x"
    addresses = {
        "[the docs](https://evil.example/x)": "https://evil.example/x",
        "https://pаypal.com/": "аypal.com",
        "https://bank.org@evil.org/": "https://bank.org@evil.org/",
        "[https://bank.example.com](https://bank.example.co)": "https://bank.example.co",
        f"[an address longer than a row]({longest})": longest,
    }
    state, _ = said("\n\n".join(addresses))
    async with running(state, (80, 30)) as it:
        opened = Opened().watch(it)
        await it.press("tab")
        for letter, (words, address) in zip(LETTERS, addresses.items(), strict=False):
            await it.press("f", letter)
            page = it.screen
            assert "Open this link?" in page, words
            assert address in "".join(row.strip("│╭╮╰╯ ") for row in page.splitlines()), words
            await it.wait_until_armed()
            await it.press("escape")
        assert opened == []
        await it.press("f", LETTERS[0])
        await it.wait_until_armed()
        await it.press("2")
        assert opened == ["https://evil.example/x"]


async def test_where_a_link_leads_is_shown_before_a_click_opens_it() -> None:
    state, _ = said("Read [the docs](https://evil.example/x) or https://example.com/tea")
    async with running(state, (100, 30)) as it:
        opened = Opened().watch(it)
        y, row = next((y, row) for y, row in enumerate(it.rows()) if "the docs" in row)
        await it.pilot.click(offset=(row.index("https"), y))
        assert opened == ["https://example.com/tea"]
        await it.pilot.click(offset=(row.index("docs"), y))
        assert "Open this link?" in it.screen
        assert "https://evil.example/x" in it.screen
        assert opened == ["https://example.com/tea"]


async def test_a_wrapped_address_has_one_letter_and_opens_whole() -> None:
    address = f"https://example.com/{'tea/' * 20}end"
    state, _ = said(f"See {address} and https://example.com/pot")
    async with running(state, (60, 24)) as it:
        opened = Opened().watch(it)
        await it.press("tab", "f")
        assert "attps://example.com/" in it.screen
        assert "sttps://example.com/pot" in it.screen
        await it.press("a")
        assert opened == [address]
        y, row = next((y, row) for y, row in enumerate(it.rows()) if "/end" in row)
        await it.pilot.click(offset=(row.index("/end"), y))
        assert opened == [address, address]


async def test_a_letter_opens_nothing_once_other_lines_stand_below_it() -> None:
    state, session = said("See https://example.com/tea")
    async with running(state, (80, 20)) as it:
        opened = Opened().watch(it)
        await it.press("tab", "f")
        for number in range(30):
            words = f"https://evil.example/{number}"
            session.entries.append(
                MessageEntry(Role.AGENT, states.NOW, blocks=[TextRun([words])], ended=states.NOW)
            )
            added = EntryAdded(session.session_id, len(session.entries) - 1)
            it.app.changed(it.app.agent, [added])
        await it.changed()
        assert "evil.example/29" in it.screen
        await it.press("a")
        assert opened == []
        assert "the links have moved" in it.screen


async def test_changes_are_gone_through_and_the_one_that_is_selected_is_copied() -> None:
    state, session = states.talked()
    diff = Diff(path=f"{session.cwd}/a.txt", old_text=OLD, new_text=NEW)
    at = states.NOW
    session.entries.append(
        ToolCallEntry(
            "t", at, title="Edit", kind="edit", status="completed", content=[diff], ended=at
        )
    )
    async with running(state, (80, 40)) as it:
        await it.press("tab", "f")
        assert "there is no link on the screen" in it.screen
        await it.press("home", "d", "y")
        assert it.app.clipboard == "  - 3\n  + three"
        await it.press("d", "d", "y")
        assert it.app.clipboard == "  - 25\n  + twenty-five"
        await it.press("d", "d", "D", "y")
        assert it.app.clipboard == "  - 3\n  + three"


async def grow(it: Running, session: Session) -> None:
    """Let more come than a screen shows."""
    for number in range(30):
        words = f"more {number}"
        session.entries.append(
            MessageEntry(Role.AGENT, states.NOW, blocks=[TextRun([words])], ended=states.NOW)
        )
        added = EntryAdded(session.session_id, len(session.entries) - 1)
        it.app.changed(it.app.agent, [added])
    await it.changed()


async def test_a_mark_that_was_moved_stays_while_the_agent_goes_on() -> None:
    state, session = states.talked()
    async with running(state, (80, 20)) as it:
        await it.press("tab", "up", "up")
        transcript = it.app.conversation.transcript
        assert transcript is not None
        marked, rows = transcript.current, [row[:70] for row in it.rows()][:7]
        await grow(it, session)
        assert len(transcript.document) == len(session.entries)
        assert transcript.current == marked
        assert [row[:70] for row in it.rows()][:7] == rows
        await it.press("G")
        assert "more 29" in it.screen


async def test_what_is_copied_by_the_mark_of_tab_is_on_screen_however_much_has_come() -> None:
    state, session = states.talked()
    async with running(state, (80, 20)) as it:
        await it.press("tab")
        transcript = it.app.conversation.transcript
        assert transcript is not None
        await grow(it, session)
        assert transcript.following
        await it.press("y")
        assert it.app.clipboard in it.screen
        await it.press("tab")
        await grow(it, session)
        await it.press("tab", "y")
        assert it.app.clipboard in it.screen
