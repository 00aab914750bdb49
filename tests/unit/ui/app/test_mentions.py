"""Files that a prompt mentions: found while one types, read off the loop, refused in words."""

import os
import subprocess
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste
from textual.worker import WorkerCancelled

from acp_tui.protocol.content import EmbeddedResource, ImageContent, ResourceLink, TextContent
from acp_tui.state.commands import SendPrompt
from tests.unit.state.conversation import STARTED, Conversation
from tests.unit.ui.app.running import Running, running
from tests.unit.ui.settling import settled

pytestmark = pytest.mark.anyio

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "kettle.py").write_text("one\ntwo\nthree\n")
    (tmp_path / "src" / "teapot.py").write_text("pour()\n")
    (tmp_path / "my tea.txt").write_text("oolong\n")
    (tmp_path / "cup.png").write_bytes(PNG)
    return tmp_path


def talk_in(work: Path, **capabilities: Any) -> Conversation:
    talk = Conversation()
    talk.happened(STARTED)
    offered = {"agentCapabilities": {"promptCapabilities": capabilities}}
    talk.call("initialize", {}, result={"protocolVersion": 1, **offered})
    talk.call("session/new", {"cwd": str(work)}, result={"sessionId": "s"})
    return talk


async def searched(it: Running) -> None:
    """Wait until the search for what was typed is over."""
    with suppress(WorkerCancelled):  # a letter more begins another one
        await it.app.workers.wait_for_complete()
    await settled(it.pilot)


def sent(it: Running) -> tuple[Any, ...]:
    (prompt,) = it.asked
    assert isinstance(prompt, SendPrompt)
    return prompt.prompt


async def test_file_is_found_by_some_letters_but_in_a_quote_and_completed(work: Path) -> None:
    async with running(talk_in(work).state) as it:
        await it.write("> @tpot")
        await searched(it)
        assert "teapot" not in it.screen, "nothing is mentioned in a quote"
        await it.press("ctrl+j", *"@tpot")
        await searched(it)
        page = it.screen
        assert "src/teapot.py" in page
        assert "kettle" not in page
        await it.press("tab")
        assert it.prompt == "> @tpot\n@src/teapot.py "
        await searched(it)
        assert it.app.conversation.prompt.completion.files.display is False
        await it.press("ctrl+c", *"@tea")
        await searched(it)
        rows = [row for row in it.rows() if "tea" in row and "@" not in row]
        assert len(rows) == 2
        await it.press("down" if "my tea" in rows[1] else "up", "up", "down", "enter")
        assert it.prompt == '@"my tea.txt" ', "a name with a space is quoted"


async def test_a_files_name_mentions_nothing_but_the_file_and_others_are_counted(
    work: Path,
) -> None:
    (work / "~" / "tea").mkdir(parents=True)
    (work / "~" / "tea" / "zest").write_text("lemon\n")
    strange = work / 'tea" @"'
    strange.mkdir()
    (strange / "zeal").write_text("x\n")
    (work / "zeal\n@b").write_text("x\n")
    (work / 'vq "hi".txt').write_text("x\n")
    async with running(talk_in(work).state) as it:
        await it.write("@ze")
        await searched(it)
        page = it.screen
        assert "zeal" not in page
        assert "2 names can't be mentioned: quotation marks or control characters" in page
        await it.press("tab")
        assert it.prompt == "@./~/tea/zest "
        await it.press("ctrl+c", *"@vq")
        await searched(it)
        assert "1 name can't be mentioned: quotation marks or control characters" in it.screen
        await it.press("enter")
        await searched(it)
        assert [one.text for one in sent(it)] == ["@vq"]
        await it.write("@tpot")
        await searched(it)
        assert "can't be mentioned" not in it.screen


async def test_what_a_fold_hides_mentions_nothing_before_it_is_opened(work: Path) -> None:
    async with running(talk_in(work).state) as it:
        for opens, count in ((False, 1), (True, 2)):
            it.app.post_message(Paste("@src/kettle.py\n" * 42))
            await it.until(lambda: "42 lines]" in it.prompt)
            await it.press(*(["tab"] if opens else []), "enter")
            await searched(it)
            prompt = it.asked[-1]
            assert isinstance(prompt, SendPrompt)
            assert len(prompt.prompt) == count


async def test_mentioned_lines_are_embedded_where_that_is_offered(work: Path) -> None:
    async with running(talk_in(work, embeddedContext=True).state) as it:
        await it.paste("see @src/kettle.py:2-3")
        await it.press("enter")
        await searched(it)
        text, file = sent(it)
        assert text == TextContent(text="see @src/kettle.py:2-3")
        assert isinstance(file, EmbeddedResource)
        assert file.resource.text == "two\nthree"


async def test_a_file_or_an_address_is_linked_and_a_picture_refused_where_no_more_is_offered(
    work: Path,
) -> None:
    address = "https://example.com:8080/tea?x=1"
    async with running(talk_in(work).state) as it:
        await it.write("hi @tea")
        await searched(it)
        await it.press("escape", "enter")
        await searched(it)
        assert sent(it) == (TextContent(text="hi @tea"),), "the list was hidden"
        it.asked.clear()
        await it.paste("see @src/kettle.py:2")
        await it.press("enter")
        await searched(it)
        assert isinstance(sent(it)[1], ResourceLink)
        it.asked.clear()
        await it.paste(f"read @{address}")
        await searched(it)
        assert "an address: the agent may read it" in it.screen
        await it.press("enter")
        await searched(it)
        assert sent(it)[1:] == (ResourceLink(name=address, uri=address),)
        it.asked.clear()
        await it.paste("look: @cup.png.")
        await it.press("escape", "enter")
        await searched(it)
        assert it.asked == []
        told = [one.words for one in it.app.notes]
        assert told == ["cup.png is an image, and the agent takes none"]
        assert it.prompt == "look: @cup.png."
        for text in ("first @src/kettle.py", "second"):  # it waits while files are read
            it.app.feature.prompts.submit(text)
        await searched(it)
        texts = [one.prompt[0].text for one in it.asked if isinstance(one, SendPrompt)]  # type: ignore[union-attr]
        assert texts == ["first @src/kettle.py", "second"]


async def test_dropped_picture_becomes_a_mention_and_goes_along_also_behind_a_word(
    work: Path,
) -> None:
    picture = work / "a cup.png"
    picture.write_bytes(PNG)
    async with running(talk_in(work, image=True).state) as it:
        it.app.post_message(Paste(str(picture).replace(" ", "\\ ")))
        await it.until(lambda: it.prompt == f'@"{picture}" ')
        await it.press("enter")
        await searched(it)
        assert isinstance(sent(it)[1], ImageContent)
        await it.write("this:")
        it.app.post_message(Paste(str(work / "cup.png")))
        await it.until(lambda: it.prompt == f"this: @{work / 'cup.png'} ")


PICTURES = [
    (b"it's.png", "'{folder}/it'\\''s.png'", "@{folder}/it's.png "),
    (b"a b.png", "{folder}/a b.png", '@"{folder}/a b.png" '),
    (b"a\\b.png", "{folder}/a\\b.png", "@{folder}/a\\b.png "),
    (b"a b.png", "file://{folder}/a%20b.png", '@"{folder}/a b.png" '),
    (b"caf\xe9.png", "file://{folder}/caf%E9.png", "@{folder}/caf\udce9.png "),
    ("e\u0301.png".encode(), "{folder}/e\u0301.png", "@{folder}/e\u0301.png "),
    (b'a"b.png', '{folder}/a\\"b.png', '{folder}/a\\"b.png'),
]
"""Names of pictures, how they are dropped, and what is written."""
OTHERS = ["/etc/hosts", "file://[cup.png", "cup.png", "/nowhere/cup.png", "a\n/b.png"]
"""What is pasted and names no picture."""


async def test_a_dropped_picture_is_found_by_any_name_and_other_pastes_stay_text(
    work: Path,
) -> None:
    for name, *_ in PICTURES:
        (work / os.fsdecode(name)).write_bytes(PNG)
    dropped = [(pasted, written) for _, pasted, written in PICTURES]
    async with running(talk_in(work, image=True).state) as it:
        for pasted, written in [*dropped, *((text, text) for text in OTHERS)]:
            it.app.post_message(Paste(pasted.format(folder=work)))
            await it.until(partial(is_written, it, written.format(folder=work)))
            await it.press("ctrl+c")


def is_written(it: Running, text: str) -> bool:
    return it.prompt == text


async def test_what_was_mentioned_or_changed_comes_first_and_says_so(work: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=work, check=True)
    for number in range(9):
        (work / f"a{number}.txt").write_text("")
    who = ["-c", "user.name=t", "-c", "user.email=t@e"]
    for args in (["add", "."], ["commit", "-qm", "x"]):
        subprocess.run(["git", *who, *args], cwd=work, check=True, capture_output=True)
    (work / "src" / "kettle.py").write_text("changed\n")
    async with running(talk_in(work).state) as it:
        it.app.conversation.prompt.earlier.add("see @src/teapot.py")
        await it.write("@")
        await searched(it)
        rows = [row for row in it.rows() if "src/" in row or "cup.png" in row]
        assert [row.split() for row in rows[:2]] == [
            ["▌", "src/teapot.py", "mentioned", "before"],
            ["src/kettle.py", "changed"],
        ]
        assert "  1 of 13" in it.screen
        await it.write("cup")
        await searched(it)
        (row,) = [row for row in it.rows() if "cup.png" in row]
        assert row.split() == ["▌", "cup.png", "image"]
