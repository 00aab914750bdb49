"""What an earlier run left behind, as the app gives it back."""

from pathlib import Path

import pytest

from acp_tui.store.drafts import Drafts, StoredDraft
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio


def left_behind(folder: Path, *drafts: StoredDraft) -> Drafts:
    """Drafts of a run that has ended."""
    Drafts(folder).save({(): drafts})
    (mine,) = folder.iterdir()
    content = mine.read_bytes()
    mine.unlink()
    mine.with_name(mine.name.replace("-", "-0")).write_bytes(content)
    return Drafts(folder)


async def test_texts_of_other_sessions_are_found_by_going_back(tmp_path: Path) -> None:
    drafts = (StoredDraft("x", (), "older"), StoredDraft("y", ("queued",), "newer"))
    state, _ = states.opened()
    async with running(state, (100, 24)) as it:
        it.app.feature.drafts.files = left_behind(tmp_path, *drafts)
        await it.changed()
        await it.app.workers.wait_for_complete()
        await it.changed()
        assert it.prompt == "newer"
        assert "queued: 1 prompt held" in it.screen
        told = [one.words for one in it.app.notes]
        assert any("1 more text: Up in the prompt" in words for words in told)
        await it.press("up")
        assert it.prompt == "older"
        assert it.asked == []


async def test_what_is_written_already_is_left_alone(tmp_path: Path) -> None:
    state, session = states.opened()
    session.opened = False
    async with running(state) as it:
        it.app.feature.drafts.files = left_behind(tmp_path, StoredDraft(None, (), "of before"))
        await it.write("now")
        session.opened = True
        await it.changed()
        await it.app.workers.wait_for_complete()
        await it.changed()
        assert it.prompt == "now"
        await it.press("up")
        assert it.prompt == "of before"


async def test_the_draft_of_a_session_comes_back_in_that_session(tmp_path: Path) -> None:
    state, session = states.opened()
    other = state.session("other")
    other.opened = True
    async with running(state) as it:
        drafts = (
            StoredDraft("other", (), "for the other"),
            StoredDraft(session.session_id, (), "for this"),
        )
        it.app.feature.drafts.files = left_behind(tmp_path, *drafts)
        await it.changed()
        await it.app.workers.wait_for_complete()
        await it.changed()
        texts = {}
        for key in ("alt+1", "alt+2"):
            await it.press(key)
            assert it.app.session is not None
            texts[it.app.session.session_id] = it.prompt
        assert texts == {"other": "for the other", session.session_id: "for this"}
