"""Programs get the texts as single arguments, and never a shell."""

import sys
from pathlib import Path

import pytest

from acp_tui.ui.desktop.notification import (
    CannotNotifyError,
    DesktopNotification,
    at_hand,
    notify_send,
    own_command,
    run_notifier,
)

pytestmark = pytest.mark.anyio
TOLD = DesktopNotification("acp-tui: {body}", "asks: `id` $(id) <b>&'\"; -rf {title}")


@pytest.mark.parametrize(
    ("words", "filled"),
    [
        (["tell"], ["tell", *TOLD]),
        (["tell", "{body}"], ["tell", TOLD.body]),
        (["tell", "--it={title}: {body}"], ["tell", f"--it={TOLD.title}: {TOLD.body}"]),
        (["tell", "{body} {title}", "{it}"], ["tell", f"{TOLD.body} {TOLD.title}", "{it}"]),
    ],
)
def test_a_command_of_the_persons_gets_the_texts_where_it_wants_them(
    words: list[str], filled: list[str]
) -> None:
    assert own_command(words, TOLD) == filled


def test_a_body_has_no_tags_and_is_no_option() -> None:
    argv = notify_send(TOLD)
    assert argv[argv.index("--") :] == ["--", TOLD.title, argv[-1]]
    assert "&lt;b&gt;&amp;" in argv[-1]


async def test_a_program_runs_without_a_shell(tmp_path: Path) -> None:
    file = tmp_path / "told"
    write = "import pathlib, sys; pathlib.Path(sys.argv[1]).write_text('|'.join(sys.argv[2:]))"
    await run_notifier(own_command([sys.executable, "-c", write, str(file)], TOLD))
    assert file.read_text() == "|".join(TOLD)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["/nowhere/tell"], "/nowhere/tell can't be started: No such file or directory"),
        ([sys.executable, "-c", "exit(3)"], f"{sys.executable} failed, exit code 3"),
        (["tell", "\0"], "tell can't be started: embedded null byte"),
    ],
)
async def test_a_program_that_fails_is_named(argv: list[str], words: str) -> None:
    with pytest.raises(CannotNotifyError) as caught:
        await run_notifier(argv)
    assert str(caught.value) == words


def test_no_program_reaches_a_desktop_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "notify-send"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert at_hand({"DISPLAY": ":0"}) == "notify-send"
    assert at_hand({"WAYLAND_DISPLAY": "wayland-0"}) == "notify-send"
    assert at_hand({}) is None
    assert at_hand({"DISPLAY": ":10", "SSH_CONNECTION": "::1 1 ::1 22"}) is None
    program.rename(tmp_path / "terminal-notifier")
    assert at_hand({}) == "terminal-notifier"
    assert at_hand({"SSH_CONNECTION": "::1 1 ::1 22"}) is None
