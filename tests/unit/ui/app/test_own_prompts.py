"""Prompts from files, behind the slash: written into the prompt, a project's only after a yes."""

from pathlib import Path

import pytest
from textual import events

from acp_tui.protocol.content import TextContent
from acp_tui.protocol.updates import AvailableCommand
from acp_tui.state.commands import SendPrompt
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a prompt, beside a person's own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    own, theirs = tmp_path / "config" / "acp-tui" / "prompts", tmp_path / ".acp-tui" / "prompts"
    own.mkdir(parents=True)
    theirs.mkdir(parents=True)
    (own / "zeal.md").write_text("Tea for two\n\nwith \x1b]0;x\x07milk\n")
    (theirs / "zoom.md").write_text("# Look closer\n")
    return tmp_path


async def listing(it: Running, words: str) -> None:
    """Type a slash, and wait for what the files have."""
    await it.press("/")
    await it.until(lambda: bool(it.app.conversation.prompt.completion.commands._own))
    await it.press(*words)


def sent(it: Running) -> list[str]:
    """What was sent to the agent."""
    blocks = [block for one in it.asked if isinstance(one, SendPrompt) for block in one.prompt]
    return [one.text for one in blocks if isinstance(one, TextContent)]


async def test_a_persons_own_is_written_and_not_sent_also_by_a_name_that_quits(
    project: Path,
) -> None:
    (project / "config" / "acp-tui" / "prompts" / "quit.md").write_text("Stop smoking\n")
    state, session = states.opened()
    session.cwd = str(project)
    async with running(state) as it:
        await listing(it, "ze")
        assert "Tea for two  your prompt" in it.screen
        await it.press("enter")
        assert it.prompt == "Tea for two\n\nwith ␛]0;x␇milk"
        assert not it.asked
        await it.press("ctrl+z")
        assert it.prompt == "/ze"
        await it.press("ctrl+u")
        await listing(it, "quit")
        page = it.screen
        assert "Stop smoking  your prompt" in page
        assert "Quit, as" not in page
        await it.press("enter")
        await it.until(lambda: it.prompt == "Stop smoking")


async def test_what_is_typed_at_once_is_completed_and_not_sent_by_half(project: Path) -> None:
    state, session = states.opened()
    session.cwd = str(project)
    async with running(state) as it:
        await it.press_at_once("/", "z", "e", "enter")
        await it.until(lambda: it.prompt.startswith("Tea for two"))
        await it.press("ctrl+a", "ctrl+c")
        it.app.post_message(events.Paste("/ze"))
        await it.press_at_once("enter")
        await it.until(lambda: it.prompt.startswith("Tea for two"))
        await it.press("ctrl+c")
        await it.press_at_once("/", "w", "enter")
        await it.until(lambda: bool(it.asked))
    assert sent(it) == ["/w"]


async def test_what_is_written_on_while_a_disk_is_slow_is_not_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, _ = states.opened()
    async with running(state) as it:
        monkeypatch.setattr(it.app.feature.own_prompts, "load", lambda: None)
        prompt = it.app.conversation.prompt
        await it.press(*"/ze", "enter", "x")
        prompt.offer_own([])
        await it.press("left")
        assert (it.prompt, it.asked) == ("/zex", [])
        await it.press("enter")
        assert sent(it) == ["/zex"]


async def test_words_behind_its_name_are_written_below_it(project: Path) -> None:
    state, session = states.opened()
    session.cwd = str(project)
    whole = "Tea for two\n\nwith ␛]0;x␇milk\n\nand more"
    async with running(state) as it:
        for key in ("enter", "ctrl+enter"):
            it.asked.clear()
            await listing(it, "zeal and more")
            assert "Tea for two" in it.screen, key
            await it.press(key)
            assert it.prompt == whole, key
            assert "your words stand below the prompt: Enter sends both" in it.screen, key
            assert not it.asked, key
            await it.press("enter")
            assert sent(it) == [whole], key


async def test_words_behind_its_name_are_written_where_it_has_room_but_in_no_command_of_a_shell(
    project: Path,
) -> None:
    own = project / "config" / "acp-tui" / "prompts"
    own.joinpath("zeal.md").write_text("---\nargument-hint: which tea\n---\n!brew $ARGUMENTS\n")
    own.joinpath("make.md").write_text("!make tea\n")
    state, session = states.opened()
    session.cwd = str(project)
    async with running(state) as it:
        await listing(it, "zea")
        assert "/zeal [which tea]" in it.screen
        await it.write("l oolong")
        await it.press("enter")
        assert it.prompt == " !brew oolong"  # no command of a shell
        assert "your words stand in the prompt: Enter sends it" in it.screen
        assert not it.asked
        await it.press("ctrl+u")
        await listing(it, "make rm x")
        await it.press("enter")
        assert it.prompt == " !make tea\n\nrm x"


async def test_the_last_row_says_what_enter_does_once_the_prompts_are_read(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from acp_tui.config.own_prompts import own_prompts

    state, session = states.opened()
    session.cwd = str(project)
    session.commands = []
    async with running(state) as it:
        monkeypatch.setattr(it.app.feature.own_prompts, "load", lambda: None)
        await it.press(*"/ze")
        assert "Enter/Tab choose" not in it.screen
        it.app.conversation.prompt.offer_own(own_prompts(str(project)))
        await it.press()
        assert "Enter/Tab choose" in it.screen


async def test_its_name_that_is_pasted_with_words_is_not_sent_as_it_is(project: Path) -> None:
    state, session = states.opened()
    session.cwd = str(project)
    async with running(state) as it:
        it.app.conversation.prompt.insert("/zoom  at tea ")
        await it.press("enter")
        await it.until(lambda: "Write this prompt of the project?" in it.screen)
        await it.wait_until_armed()
        await it.press("2")
        assert it.prompt == "# Look closer\n\nat tea"
        assert not it.asked


async def test_what_names_none_or_a_command_of_the_agents_is_sent(project: Path) -> None:
    state, session = states.opened()
    session.cwd = str(project)
    session.commands = [AvailableCommand(name="zeal", description="Theirs")]
    async with running(state) as it:
        for text in ("/zeal now", "/tmp is full"):
            it.app.conversation.prompt.insert(text)
            await it.press("enter")
            await it.until(lambda: not it.prompt)
        assert sent(it) == ["/zeal now", "/tmp is full"]


async def test_a_projects_prompt_is_shown_whole_and_runs_nothing_and_mentions_no_file_outside(
    project: Path,
) -> None:
    hidden = "tea \x1b]0;rm -rf ~\x07"
    text = f"!rm @a.py @/etc/passwd @~/.netrc @../x {hidden}\n"
    (project / ".acp-tui" / "prompts" / "zoom.md").write_text(text)
    state, session = states.opened()
    session.cwd = str(project)
    async with running(state) as it:
        await listing(it, "zoo")
        await it.press("tab")
        assert "tea ␛]0;rm -rf ~␇" in it.screen
        await it.wait_until_armed()
        await it.press("2")
        shown = "tea ␛]0;rm -rf ~␇"
        assert it.prompt == f" !rm @a.py \\@/etc/passwd \\@~/.netrc \\@../x {shown}"
        assert "Enter send" in it.screen


async def test_a_projects_is_shown_and_agreed_to_once(project: Path) -> None:
    state, session = states.opened()
    session.cwd = str(project)
    async with running(state) as it:
        await listing(it, "zoo")
        await it.press("tab")
        assert "Write this prompt of the project?" in it.screen
        await it.wait_until_armed()
        await it.press("escape")
        assert it.prompt == "/zoo"
        await it.press("tab")
        await it.wait_until_armed()
        await it.press("2")
        assert it.prompt == "# Look closer"
        await it.press("ctrl+u")
        await listing(it, "zoo")
        own = it.app.conversation.prompt.completion.commands
        await it.until(lambda: any(one.name == "zoom" and one.is_trusted for one in own._own))
        await it.press("tab")
        assert it.prompt == "# Look closer"
