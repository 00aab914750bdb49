"""The composer as a person meets it: composing is one act, and sending is another."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events
from textual.widgets import Input

from acp_tui.protocol.method_forms import method_forms
from acp_tui.state.authentication import Program
from acp_tui.state.commands import Command, SendByHand
from acp_tui.ui.inspector.composer.body import JsonArea
from acp_tui.ui.inspector.composer.screen import ComposerScreen
from acp_tui.ui.toolkit.dialogs.field import Field
from tests.examples import parametrize
from tests.unit.ui.inspector.scene import Inspecting, inspecting, talk

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def composing(
    *keys: str, size: tuple[int, int] = (100, 40), time_passes: bool = True
) -> AsyncIterator[tuple[Inspecting, list[Command]]]:
    """Compose over the conversation, which starts faster than the inspector; with keys, press them there."""
    asked: list[Command] = []
    async with inspecting(talk().records, size, opened=bool(keys)) as it:
        it.app.tabs.agent.do = asked.append
        if time_passes:
            it.app.clock = time.monotonic
        if not keys:
            it.app.feature.composer.open()
        await it.press(*keys)
        yield it, asked


async def paste(it: Inspecting, text: str) -> None:
    focused = it.app.focused
    assert focused is not None
    focused.post_message(events.Paste(text))
    await it.press()


async def send(it: Inspecting) -> None:
    await it.press("ctrl+s")
    await it.until(lambda: "Send it" in it.screen or "✗" in it.screen)
    choices = it.app.screen.query("Choices")
    await it.until(lambda: not choices.first().has_class("-guarded"))


def sent(asked: list[Command]) -> list[object]:
    (command,) = asked
    assert isinstance(command, SendByHand)
    return [json.loads(one) for one in command.raw.splitlines()]


async def test_an_answer_that_comes_too_early_is_dropped_and_doesnt_reach_the_prompt() -> None:
    async with composing(time_passes=False) as (it, asked):
        await paste(it, "session/close")
        await it.press("ctrl+s")
        await it.until(lambda: "Send it" in it.screen)
        await it.press("2", "n")
        assert "that key didn't count   Up or Down to answer" in it.screen
        assert it.app.conversation.prompt.text == ""
        assert not asked


async def test_a_method_is_completed_its_params_are_fields_and_it_is_sent_by_a_second_act() -> None:
    async with composing("c") as (it, asked):
        await it.press(*"session/pro", "tab")
        screen = it.screen
        assert "string, required" in screen
        assert "list of ContentBlock, required" in screen
        assert "Request parameters for sending a user prompt" in screen
        await it.press("tab", "tab", "tab")
        assert "The blocks of content that compose" in it.screen
        await it.press("ctrl+a")
        await send(it)
        assert asked == []
        await it.press("enter")  # what is marked goes back
        assert asked == []
        assert isinstance(it.app.screen, ComposerScreen)
        await send(it)
        await it.press("2")
        prompt = [{"type": "text", "text": ""}]
        assert sent(asked) == [
            {
                "jsonrpc": "2.0",
                "id": "by-hand-1",
                "method": "session/prompt",
                "params": {"sessionId": "s", "prompt": prompt},
            }
        ]
        assert "following" in it.screen


async def test_neither_enter_nor_what_is_pasted_sends() -> None:
    async with composing() as (it, asked):
        await paste(it, "session/close\n\n2\n")
        await it.press("enter", "enter", "enter", "enter", "2")
        assert asked == []
        assert isinstance(it.app.screen, ComposerScreen)


async def test_what_is_wrong_is_said_and_sent_all_the_same_if_that_is_wanted() -> None:
    async with composing() as (it, asked):
        await paste(it, "session/prompt")
        await it.press("f6")
        area = it.app.screen.query_one(JsonArea)
        area.text = '{"prompt": 7'
        await it.press("ctrl+s")
        assert "✗ params: not JSON" in it.screen
        area.text = '{"prompt": 7}'
        await send(it)
        assert "✗ params.sessionId: is missing" in it.screen
        await it.until(lambda: "Send it anyway" in it.screen)
        await it.press("2")
        assert sent(asked)[0]["params"] == {"prompt": 7}  # type: ignore[index]


async def test_a_frame_is_edited_and_sent_again_with_a_fresh_id() -> None:
    async with composing("home") as (it, asked):
        it.inspector.table.go_to_record(5)
        await it.press("r")
        assert "session/prompt" in it.row("method")
        assert "by-hand-1" in it.row("id ")
        await send(it)
        await it.press("2")
        assert sent(asked)[0]["id"] == "by-hand-1"  # type: ignore[index]


async def test_the_agent_s_request_is_answered_by_hand() -> None:
    async with composing("home") as (it, _):
        at = next(one for one in range(20) if it.inspector.source.log[one].method.endswith("on"))
        it.inspector.table.go_to_record(at)
        await it.press("r")
        assert '{"jsonrpc":"2.0","id":50,"result":{"outcome":{"outcome":"cancelled"}}}' in it.screen
        assert "● raw bytes" in it.screen
        assert r"\xff is the byte" in it.screen
        await it.press("f2", "f2")
        assert "● notification" in it.screen


async def test_what_was_composed_comes_back_with_up() -> None:
    async with composing() as (it, _):
        await paste(it, "session/close")
        await it.press("escape")
        it.app.feature.composer.open()
        await it.press()
        assert it.app.screen.query_one("#method", Input).value == ""
        await it.press("up")
        assert it.app.screen.query_one("#method", Input).value == "session/close"
        await it.press("f2", "f2")
        assert '"method":"session/close"' in it.screen


@pytest.mark.slow
async def test_all_params_have_their_labels_at_one_side_and_a_mark_where_one_writes() -> None:
    async with composing() as (it, _):
        await paste(it, "session/new")
        await it.until(lambda: "additionalDirectories" in it.screen)
        labels = [field.label.region for field in it.app.screen.query(Field)]
        assert len(labels) == len(method_forms()["session/new"].params)
        assert {(one.x, one.width) for one in labels} == {(labels[0].x, labels[0].width)}
        editors = [editor.region.x for editor in it.app.screen.query(JsonArea)]
        assert set(editors) == {labels[0].right}
        await it.press("tab", "tab", "tab")
        await it.until(lambda: "▌mcpServers" in it.screen)


async def test_params_are_written_in_a_form_or_as_json_as_the_keys_say() -> None:
    async with composing() as (it, asked):
        screen = it.screen
        assert "F2 as notification" in screen
        assert "F6" not in screen
        await paste(it, "session/close")
        assert "F6 as JSON" in it.screen
        await it.press("f6")
        assert "F6 as a form" in it.screen
        it.app.screen.query_one(JsonArea).text = '{"sessionId": 7, "mine": null}'
        await it.press("f6")
        assert "no param of the method" in it.rows[it.rows.index(it.row(" mine ")) + 1]
        fields = [one.text for one in it.app.screen.query(JsonArea)]
        assert fields[0] == "7"
        await it.press("f6")
        screen = it.screen
        assert '"sessionId": 7' in screen
        assert '"mine": null' in screen
        assert asked == []
        await it.press("f2", "f2")
        screen = it.screen
        assert "F2 as request" in screen
        assert "F6" not in screen


async def test_it_is_written_in_the_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "ed")
    files: list[Path] = []

    async def edit(program: Program) -> int:
        path = Path(program.argv[-1])
        files.append(path)
        assert path.stat().st_mode & 0o77 == 0
        path.write_text('["edited"]\n')
        return 0

    async with composing() as (it, _):
        it.app.tabs.agent.run_program = edit
        await paste(it, "x/y")
        await it.press("ctrl+o")
        await it.until(lambda: '["edited"]' in it.screen)
        assert not files[0].exists()


async def test_a_field_that_can_t_be_read_is_told_and_stays_whatever_is_pressed() -> None:
    async with composing() as (it, asked):
        await paste(it, "session/prompt")
        prompt, _ = it.app.screen.query(JsonArea)
        prompt.text = "[{"
        await it.press("x", "backspace", "f2", "f6", "ctrl+o", "ctrl+s")
        assert "✗ prompt: not JSON" in it.screen
        assert "[{" in it.screen
        assert asked == []
        await it.press("escape")
        assert it.app.screen is it.app.conversation


async def test_where_nothing_can_be_sent_it_says_so_and_opens_nothing() -> None:
    async with inspecting(talk().records) as it:
        await it.press("home", "r")
        assert "this did not go over the wire" in it.screen
        it.app.conversation.only_show([], "A replay: nothing can be sent", [])
        for key in "cr":
            await it.press("down", key)
            assert "A replay: nothing can be sent" in it.screen, key
            assert not isinstance(it.app.screen, ComposerScreen)


async def test_methods_are_listed_below_each_other_until_one_is_written() -> None:
    async with composing(size=(80, 24)) as (it, _):
        assert "more: write a part of the name" in it.screen
        await it.press(*"session/set_m")
        await it.until(lambda: "Tab session/set_mode" in it.screen)
        await it.press("tab")
        assert "Tab session" not in it.screen


async def test_a_prompt_is_offered_first_and_only_what_is_of_the_kind_that_is_composed() -> None:
    async with composing(size=(80, 60)) as (it, _):
        await it.until(lambda: "Tab session/prompt" in it.screen)
        assert it.screen.index("session/unarchive") < it.screen.index("_session/goal")
        assert "more: write a part" not in it.screen
        assert "session/cancel" not in it.screen
        await it.press("f2")
        await it.until(lambda: "session/cancel" in it.screen)
        assert "session/prompt" not in it.screen


@pytest.mark.slow
async def test_of_links_in_the_help_only_the_words_are_shown() -> None:
    async with composing(size=(80, 24)) as (it, _):
        await paste(it, "session/new")
        await it.until(lambda: "See protocol docs: Creating a Session" in it.screen)
        assert "https://" not in it.screen


@parametrize(1, "size", [(80, 24), (120, 40)])
async def test_method_id_and_params_stand_in_one_column(size: tuple[int, int]) -> None:
    async with composing(size=size) as (it, _):
        await paste(it, "session/new")
        await it.until(lambda: "additionalDirectories " in it.screen)
        screen = it.app.screen
        assert len({one.region.x for one in screen.query("Input, JsonArea")}) == 1
        assert len({it.row(one).index(one) for one in ("method", "id ", "cwd")}) == 1
        await it.press("f6")
        await it.until(lambda: "params" in it.screen)
        assert len({one.region.x for one in screen.query("Input, JsonArea")}) == 1


async def test_what_is_to_be_sent_is_laid_out_only_where_that_shows_the_same() -> None:
    async with composing() as (it, _):
        await paste(it, "session/close")
        await send(it)
        assert '"method": "session/close"' in it.screen
        assert "Edit further" in it.screen
        await it.press("escape", "f2", "f2", *["ctrl+a", "ctrl+u"])
        await paste(it, '{"a":1,  "a":2}')
        await send(it)
        assert '{"a":1,  "a":2}' in it.screen
