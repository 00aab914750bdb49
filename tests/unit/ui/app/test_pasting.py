"""Pasting from the system's clipboard, which programs on the path stand in for."""

import os
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.events import Paste

from acp_tui.protocol.content import ImageContent, TextContent
from acp_tui.protocol.initialization import AgentCapabilities
from acp_tui.state.commands import SendPrompt
from acp_tui.ui.conversation.screen import ConversationScreen
from acp_tui.ui.prompt import pasting_text_area
from acp_tui.ui.toolkit.clipboard import clipboard_reader
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running
from tests.unit.ui.app.test_mentions import PNG, searched, sent, talk_in

pytestmark = pytest.mark.anyio

Fill = Callable[..., None]


@pytest.fixture(params=["xclip", "wl-paste"])
def clipboard(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Fill:
    """Fills the clipboard by kinds; what it does not hold, the program fails to print."""
    programs, content = tmp_path / "programs", tmp_path / "content"
    programs.mkdir()
    content.mkdir()
    listing = "TARGETS" if request.param == "xclip" else "--list-types"
    (programs / request.param).write_text(
        "#!/bin/sh\n"
        "for last; do :; done\n"
        f'if [ "$last" = {listing} ]; then ls {content} | tr : /\n'
        f'else cat "{content}/$(echo "$last" | tr / :)"; fi\n'
    )
    (programs / request.param).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("DISPLAY" if request.param == "xclip" else "WAYLAND_DISPLAY", ":0")
    monkeypatch.delenv("WAYLAND_DISPLAY" if request.param == "xclip" else "DISPLAY", raising=False)

    def fill(**kinds: bytes) -> None:
        for kind, data in kinds.items():
            (content / kind.replace("_", ":")).write_bytes(data)

    return fill


async def pasted(it: Running, key: str) -> None:
    await it.press(key)
    await it.app.workers.wait_for_complete()
    await it.pilot.pause()


async def test_image_is_mentioned_and_goes_along(clipboard: Fill, tmp_path: Path) -> None:
    clipboard(image_png=PNG, text_html=b"<img>")
    async with running(talk_in(tmp_path, image=True).state) as it:
        await it.write("see ")
        await pasted(it, "ctrl+v")
        assert it.prompt == "see @clipboard-1.png "
        assert "clipboard-1.png: image/png, 8 bytes" in it.screen
        await it.press("enter")
        await searched(it)
        text, image = sent(it)
        assert text == TextContent(text="see @clipboard-1.png ")
        assert isinstance(image, ImageContent)
        assert b64decode(image.data) == PNG
        assert image.uri is None


async def test_text_is_pasted_where_there_is_one_and_is_made_safe(
    clipboard: Fill, tmp_path: Path
) -> None:
    clipboard(text_plain=b"two\r\nlines \x1b[2J", image_png=PNG)
    async with running(talk_in(tmp_path, image=True).state) as it:
        await pasted(it, "ctrl+v")
        assert it.prompt == "two\nlines ␛[2J"
        await pasted(it, "alt+v")
        assert it.prompt == "two\nlines ␛[2J @clipboard-1.png "


async def test_a_very_long_text_is_mentioned_and_goes_along_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pasting_text_area, "LONGEST_PLAIN_TEXT", 10_000)
    text = "a log line \x1b[2J\n" * 1_000
    async with running(talk_in(tmp_path).state) as it:
        await it.write("read ")
        it.app.post_message(Paste(text))
        await it.pilot.pause()
        assert it.prompt == "read @clipboard-1.txt "
        assert "clipboard-1.txt: 16,000 characters; they go with the prompt" in it.screen
        await it.press("enter")
        await searched(it)
        mentioning, whole = sent(it)
        assert mentioning == TextContent(text="read @clipboard-1.txt ")
        assert whole == TextContent(text="a log line ␛[2J\n" * 1_000)


async def test_empty_paste_of_a_terminal_means_an_image(clipboard: Fill, tmp_path: Path) -> None:
    clipboard(image_webp=b"RIFF\0\0\0\0WEBP")
    async with running(talk_in(tmp_path, image=True).state) as it:
        it.app.post_message(Paste(""))
        await it.pilot.pause()
        await it.app.workers.wait_for_complete()
        assert it.prompt == "@clipboard-1.webp "


async def test_what_can_t_go_along_is_refused_in_words(clipboard: Fill, tmp_path: Path) -> None:
    async with running(talk_in(tmp_path, image=True).state) as it:
        for image, why in (
            (b"", "there is no image on the clipboard"),
            (b"odd", "the clipboard holds no image that is known"),
        ):
            clipboard(image_png=image)
            await pasted(it, "alt+v")
            assert why in it.screen
            assert it.prompt == ""
        clipboard(image_png=PNG)
        initialized = it.state.peer.initialized
        assert initialized is not None
        takes_none = {"agent_capabilities": AgentCapabilities()}
        it.state.peer.initialized = initialized.model_copy(update=takes_none)
        await it.changed()
        await pasted(it, "alt+v")
        assert "the clipboard is an image, and the agent takes none" in it.screen
        assert it.prompt == ""


async def test_image_that_is_not_kept_any_more_is_not_left_out_silently(tmp_path: Path) -> None:
    async with running(talk_in(tmp_path, image=True).state) as it:
        it.app.conversation.prompt.write("see @clipboard-7.png ")
        await it.press("enter")
        await searched(it)
        assert not any(isinstance(command, SendPrompt) for command in it.asked)
        told = [one.words for one in it.app.notes]
        assert told == ["clipboard-7.png is no longer kept; paste it again"]


async def test_without_a_program_what_was_copied_here_is_pasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    async with running(talk_in(tmp_path, image=True).state) as it:
        await pasted(it, "ctrl+v")
        assert "nothing here can read the clipboard" in it.screen
        it.app.copy_to_clipboard("tea")
        await pasted(it, "ctrl+v")
        assert it.prompt == "tea"


def test_clipboard_of_macos_needs_no_display(tmp_path: Path) -> None:
    (tmp_path / "pbpaste").touch(mode=0o755)
    reader = clipboard_reader({"PATH": str(tmp_path)})
    assert reader is not None
    assert reader.contents["image/png"] == ["pngpaste", "-"]


async def test_what_comes_while_the_screen_is_mounted_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mounted = ConversationScreen.on_mount

    def paste(screen: ConversationScreen) -> None:
        assert screen.focused is not None
        screen.focused.post_message(Paste("first\nsecond\n"))
        mounted(screen)

    monkeypatch.setattr(ConversationScreen, "on_mount", paste)
    async with running(states.starting()) as it:
        assert it.prompt == "first\nsecond\n"
        assert it.asked == []


async def test_what_is_pasted_at_the_trouble_is_written() -> None:
    state, _ = states.died()
    async with running(state) as it:
        await it.wait_until_armed()
        assert it.app.focused is it.app.conversation.trouble
        it.app.post_message(Paste("read\nthe log"))
        await it.until(lambda: it.prompt == "read\nthe log")
        assert it.asked == []
