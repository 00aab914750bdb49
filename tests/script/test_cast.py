"""`acp-tui script --cast`: the UI played by its keys, and what is on its screen as an asciicast."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import pytest

from acp_tui.script.cast.asciicast import Marker, Take, UnmaskedError
from acp_tui.script.cast.secrets import Finder
from acp_tui.script.cast.window import Size, Written
from tests.fake_agent.script import Played, Script
from tests.hosting import living, wait_until
from tests.script.casts import Cast
from tests.script.playing import DEMO, play
from tests.script.test_command import WRITE, chosen, folder_of_the_agent

__all__ = ["folder_of_the_agent"]

SECRET = "sk-ant-api03-" + "".join(f"{number:02}Qx" for number in range(20))


def cast(folder: Path) -> Cast:
    return Cast((folder / "out.cast").read_text("utf-8"))


def plain(screen: str) -> str:
    return "".join(screen.split())


@pytest.mark.slow  # at the pace of a person
def test_a_person_sees_prompts_questions_keys_and_captions(tmp_path: Path) -> None:
    text = """
name: The demo
steps:
  - prompt: permission fast
    caption: It asks before it pours
    answers: [{permission: "Pour the tea*", choose: reject_once}]
    expect: {text: "No, not now"}
  - prompt: "/slow"
    caption: Esc stops it
    cancel: {after_text: "2. tock"}
    expect: {text: {lacks: 20. tock}}
expect: {findings: none}
"""
    ran = play(tmp_path, text, "--cast", "out.cast", "--size", "80x24")
    assert (ran.code, ran.err) == (0, "")
    made = cast(tmp_path)
    assert (made.header["version"], made.header["title"]) == (2, "The demo")
    assert (made.header["width"], made.header["height"]) == (80, 25)
    assert made.header["idle_time_limit"] > 0
    assert made.header["env"] == {"TERM": "xterm-256color"}
    assert made.labels == ["It asks before it pours", "Esc stops it"]
    times = [at for at, _, _ in made.events]
    assert times == sorted(times)
    screens = list(made.screens())
    written = {row for one in screens for row in one.split("\n") if row.startswith("▌ per")}
    assert len(written) > 3  # letter by letter
    at = 0
    for words in (
        "▌ permission fast",
        "3  ✗ once    No, not now",
        "You chose No, not now",
        "▌ /slow",
    ):
        at = next(n for n, one in enumerate(screens[at:], at) if words in one)
    assert "cancelled" in screens[-1]
    assert any("▸ It asks before it pours" in one for one in screens)
    assert screens[-1].split("\n")[-1].strip() == "▸ Esc stops it"


@pytest.mark.slow  # at the pace of a person
def test_it_judges_as_without_a_screen_and_writes_the_cast_in_any_case(tmp_path: Path) -> None:
    agent = Script().handshake().prompt().chunk("no coffee").end_turn()
    text = "steps: [{prompt: pour, expect: {text: tea}}]"
    argv = agent.argv(tmp_path / "agent")
    ran = play(tmp_path, text, "--cast", "out.cast", "--junit", "out.xml", argv=argv)
    assert ran.code == 7
    assert "tea.yaml:1: the text doesn't contain 'tea'" in ran.out
    assert "recorded: " in ran.err
    assert any("no coffee" in one for one in cast(tmp_path).screens())
    assert 'failures="1"' in (tmp_path / "out.xml").read_text()
    assert cast(tmp_path).header["height"] == 30


@pytest.mark.slow  # at the pace of a person
def test_questions_are_answered_by_keys_or_rejected_with_words(tmp_path: Path) -> None:
    agent = Script().handshake().prompt()
    for number, answer in enumerate(("yes", "never", "no"), 1):
        call = {"toolCallId": f"t{number}", **WRITE}
        agent.ask_permission(call, save=f"ask{number}")
        agent.expect_answer(f"ask{number}", result=chosen(answer))
    agent.end_turn()
    words = [{"type": "text", "text": "use a mug"}]
    agent.expect("session/prompt", {"prompt": words}).chunk("a mug").end_turn()
    text = """
steps:
  - prompt: pour
    answers:
      - {permission: "*", choose: allow_once}
      - {permission: "*", choose: 4}
      - {permission: "*", choose: reject, words: use a mug}
    expect: {text: a mug}
"""
    ran = play(tmp_path, text, "--cast", "out.cast", argv=agent.argv(tmp_path / "agent"))
    Played(tmp_path / "agent").check()
    assert ran.code == 0, ran.out


@pytest.mark.slow  # at the pace of a person
def test_what_no_answer_is_for_is_rejected(tmp_path: Path) -> None:
    agent = Script().handshake().prompt().ask_permission(WRITE)
    agent.expect_answer("ask", result=chosen("no")).end_turn()
    argv = agent.argv(tmp_path / "agent")
    ran = play(tmp_path, "steps: {prompt: pour}", "--cast", "out.cast", argv=argv)
    Played(tmp_path / "agent").check()
    assert ran.code == 5


@pytest.mark.slow  # at the pace of a person
@pytest.mark.parametrize("size", ["100x30", "40x20"])
def test_no_secret_can_be_read_whole_wrapped_or_in_pieces(tmp_path: Path, size: str) -> None:
    agent = Script().handshake().prompt().chunk("the key is ")
    for at in range(0, len(SECRET), 7):
        agent.chunk(SECRET[at : at + 7]).sleep(0.1)
    agent.tool_call("t1", f"curl -H 'x-api-key: {SECRET}'", kind="execute", status="completed")
    agent.chunk(" and no more").end_turn()
    text = f"name: the {SECRET}\nsteps: [{{prompt: 'use {SECRET}', caption: 'or {SECRET}'}}]"
    argv = agent.argv(tmp_path / "agent")
    ran = play(tmp_path, text, "--cast", "out.cast", "--size", size, argv=argv)
    assert ran.code == 0, ran.out + ran.err
    assert "sk-ant-api03-00Qx" not in (tmp_path / "out.cast").read_text() + ran.out + ran.err
    screens = list(cast(tmp_path).screens())
    assert any("the key is" in one for one in screens)
    assert any("and no more" in one for one in screens)
    for screen in screens:
        for at in range(len(SECRET) - 12):
            assert SECRET[at : at + 12] not in plain(screen)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("steps: {prompt: hi}", ("--cast", "tea.yaml"), "exists, and is no asciicast"),
        ("steps: {prompt: hi}", ("--cast", "agent"), "exists, and is no asciicast"),
        ("steps: {prompt: hi}", ("--cast", "a.cast", "--size", "big"), "no size"),
        ("steps: {prompt: hi}", ("--gif", "a.gif"), "--gif needs agg"),
        ("steps: {prompt: '!rm x'}", ("--cast", "a.cast"), "tea.yaml:1: a prompt that begins"),
        ('steps: {prompt: "a\\tb"}', ("--cast", "a.cast"), "tab or a control character"),
    ],
)
def test_what_cannot_be_recorded_starts_no_agent(
    tmp_path: Path, text: str, options: Sequence[str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    ran = play(tmp_path, text, *options, argv=["/usr/bin/touch", str(tmp_path / "begun")])
    assert ran.code == 2
    assert words in ran.err
    assert not (tmp_path / "begun").exists()
    assert (tmp_path / "tea.yaml").read_text() == text
    assert not list(tmp_path.glob("a.*"))


@pytest.mark.slow  # at the pace of a person
def test_a_gif_is_made_of_the_cast_where_agg_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agg = tmp_path / "bin" / "agg"
    agg.parent.mkdir()
    agg.write_text('#!/bin/sh\nprintf GIF89a >"$2"; head -c 13 "$1" >>"$2"\n')
    agg.chmod(0o755)
    monkeypatch.setenv("PATH", f"{agg.parent}:{os.environ['PATH']}")
    for _ in range(2):  # its own is overwritten
        ran = play(tmp_path, "steps: {prompt: hi}", "--gif", "out.gif")
        assert ran.code == 0, ran.err
    assert (tmp_path / "out.gif").read_text() == 'GIF89a{"version": 2'


def test_an_agent_that_does_not_start_leaves_no_cast(tmp_path: Path) -> None:
    text = "steps: {prompt: hi}"
    ran = play(tmp_path, text, "--cast", "out.cast", argv=["/usr/bin/false"])
    assert ran.code == 1
    assert "no session was opened; on the screen is:" in ran.err
    assert not (tmp_path / "out.cast").exists()


def test_a_screen_that_is_told_where_it_goes_no_further_has_no_secret(tmp_path: Path) -> None:
    words = f"echo 'the key is {SECRET}' >&2; exit 3"
    options = ("--cast", "out.cast", "--size", "60x24")
    ran = play(tmp_path, "steps: {prompt: hi}", *options, argv=["/bin/sh", "-c", words])
    assert "the key is" in ran.err
    told = "".join(char for char in ran.err if char.isalnum() or char == "-")
    assert not any(SECRET[at : at + 12] in told for at in range(len(SECRET) - 12))


def take(*written: str) -> Take:
    return Take(
        Size(20, 3),
        [Written(at, data.encode()) for at, data in enumerate(written, 1)],
        1.0,
        [Marker(1.5, "begin")],
    )


def test_what_is_in_no_cell_is_not_in_the_cast() -> None:
    secret = "topsecretword"
    wrote = f"\x1b]0;{secret}\x07\x1b]52;c;{secret}\x07\x1bP{secret}\x1b\\hello\x1b[>1u \x1b[6n"
    text = take(wrote[:20], wrote[20:], "\x1b[2;1H漢字\x1b[1;31mred").cast({}, Finder([]))
    assert secret not in text
    *_, last = Cast(text).screens()
    assert last.split("\n")[:2] == ["hello", "漢字red"]
    assert Cast(text).events[0][0] == 0


def test_a_secret_that_was_not_masked_is_not_written() -> None:
    class Blind(Finder):
        def places(self, rows: Sequence[Sequence[str]]) -> set[tuple[int, int]]:
            return set()

    for written in (["the swordfish"], ["the sword", "fish"], ["sword\r\nfish"]):
        with pytest.raises(UnmaskedError):
            take(*written).cast({}, Blind(["swordfish"]))
        assert "fish" not in take(*written).cast({}, Finder(["swordfish"]))


@pytest.mark.slow  # at the pace of a person
def test_interrupted_it_keeps_what_was_shown_and_leaves_no_process(tmp_path: Path) -> None:
    (tmp_path / "tea.yaml").write_text("steps: [{prompt: hi}, {prompt: hang}, {prompt: never}]")
    marker = f"cast-{uuid4().hex}"
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "ACP_TUI_TEST": marker}
    words = [sys.executable, "-m", "acp_tui", "script", "tea.yaml", "--cast", "out.cast"]
    with subprocess.Popen(
        [*words, "--", *DEMO], cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("✓ 1 hi")
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "- 3 never: skipped" in out
    wait_until(lambda: living(marker) == [])
    assert any("▌ hi" in one for one in cast(tmp_path).screens())
