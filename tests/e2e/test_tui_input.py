"""Bytes that terminals, pastes and noise send to the whole program: none ends it, or sends a prompt."""

import os
import random
from pathlib import Path
from urllib.parse import unquote_to_bytes

from tests.e2e.terminal import CTRL_Q, ENTER, ESCAPE, Terminal, terminal
from tests.e2e.test_tui import READY
from tests.examples import parametrize
from tests.fake_agent.script import Played, Script
from tests.unit.ui.test_terminal_input import ANSWERS, KEYS

CTRL_C = "\x03"
NO_NOISE = b"\r\n\x03\x04\x07\x11\x18\x1a"
"""Keys that send, leave, suspend and open the editor: they do that, whatever came before."""


def noise(random_source: random.Random) -> bytes:
    """Return a few reads of noise: keys, answers, halves of them, and any bytes."""
    known = [one if isinstance(one, bytes) else one.encode() for one in ANSWERS]
    known += [
        sent if isinstance(sent, bytes) else sent.encode()
        for sent, keys in KEYS
        if {*keys}.isdisjoint({"enter", "ctrl+c"})
    ]
    known += [b"\x1b[200~", b"\x1b[201~", "e\u0301 漢字 Привет".encode(), b"\xed\xa0\x80"]
    any_bytes = random_source.randbytes(12).translate(None, NO_NOISE)
    piece = random_source.choice([random_source.choice(known), any_bytes])
    return piece[: random_source.randint(1, len(piece))]


@parametrize(1, "seed", range(3))
def test_noise_ends_nothing_sends_nothing_and_leaves_the_keys(tmp_path: Path, seed: int) -> None:
    script = Script().handshake().prompt().chunk("fine").end_turn()
    random_source = random.Random(seed)
    with terminal("--no-record", "--", *script.argv(tmp_path)) as it:
        it.wait_for(READY)
        for _ in range(30):
            it.send_bytes(noise(random_source))
            it.draw_for(random_source.choice([0, 0.01, 0.12]))
            assert it.process.poll() is None, it.text
        leave(it)
        assert it.wait_for_exit() == 0
        it.assert_as_it_came()
    assert Played(tmp_path).calls("session/prompt") == []


def test_enter_typed_before_the_first_frame_sends(tmp_path: Path) -> None:
    script = Script().handshake().prompt("hello").chunk("fine").end_turn()
    with terminal("--no-record", "--", *script.argv(tmp_path)) as it:
        it.send(f"hello{ENTER}")
        it.wait_for("fine")
    assert len(Played(tmp_path).calls("session/prompt")) == 1


def test_lines_typed_before_the_first_frame_are_not_sent(tmp_path: Path) -> None:
    script = Script().handshake()
    with terminal("--no-record", "--", *script.argv(tmp_path)) as it:
        it.send(f"first{ENTER}second{ENTER}")
        it.wait_for("▌ second")
        it.wait_for("○ ready")
        assert "▌ first" in it.text
        leave(it)
        it.wait_for_exit()
    assert Played(tmp_path).calls("session/prompt") == []


def leave(it: Terminal) -> None:
    """Press Ctrl+Q until the program has ended: where a screen is open, the first closes that."""
    for _ in range(5):
        it.send(CTRL_Q)
        it.draw_for(0.3)
        if it.process.poll() is not None:
            return


@parametrize(
    1,
    ("sent", "prompt"),
    [
        ("tea\x1b[1089::99;5u", ""),
        ("\x1b[99;9u", ""),
        ("a\x1b[27;2;13~b", "a\nb"),
        ("one\rtwo\r", "one\ntwo"),
        ("\x1b[200~a\x1b[31mred\x1b[0m\x1b[201~", "a␛[31mred␛[0m"),
        ("\x1b[200~no end", "no end"),
        ("\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\x", "x"),
        (b"\xffx", "\ufffdx"),
    ],
    ids=["layout", "super+c", "shift+enter", "lines", "escapes", "no end", "answer", "latin-1"],
)
def test_what_comes_is_what_is_written(tmp_path: Path, sent: str | bytes, prompt: str) -> None:
    script = Script().handshake().prompt().chunk("fine").end_turn()
    with terminal("--no-record", "--", *script.argv(tmp_path)) as it:
        it.wait_for(READY)
        it.send_bytes(sent if isinstance(sent, bytes) else sent.encode())
        it.draw_for(0.05)
        for line in prompt.split("\n"):
            it.wait_for(line)
        it.draw_for(0.2)
        it.send("?" + ESCAPE)
        it.draw_for(0.2)
        it.send("[D" + ENTER)
        it.wait_for("fine")
        it.leave()
        assert it.wait_for_exit() == 0
    (call,) = Played(tmp_path).calls("session/prompt")
    (content,) = call["params"]["prompt"]
    assert content["text"].replace("\n?", "?") == f"{prompt}?"


@parametrize(
    1,
    ("name", "typed", "sent"),
    [
        (b"caf\xe9.txt", "@caf", "@caf\ufffd.txt"),
        ("rtl\u202etxt.md".encode(), "@rtl", "@rtl\u202etxt.md"),
        ("e\u0301te\u0301.md".encode(), "@te", "@e\u0301te\u0301.md"),
    ],
    ids=["latin-1", "direction", "decomposed"],
)
def test_any_name_of_a_file_can_be_mentioned(
    tmp_path: Path, name: bytes, typed: str, sent: str
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / os.fsdecode(name)).write_text("tea\n")
    script = Script().handshake().prompt().chunk("fine").end_turn()
    with terminal("--", *script.argv(tmp_path), cwd=folder) as it:
        it.wait_for(READY)
        it.send(f"see {typed}")
        it.wait_for("Enter/Tab choose")
        it.send(ENTER)
        it.wait_until(lambda: "Enter/Tab choose" not in it.text, "closed list")
        it.send(ENTER)
        it.wait_for("fine")
        it.leave()
        assert it.wait_for_exit() == 0
        it.assert_as_it_came()
    (call,) = Played(tmp_path).calls("session/prompt")
    words, link = call["params"]["prompt"]
    assert words["text"].rstrip() == f"see {sent}"
    assert unquote_to_bytes(link["uri"]).endswith(b"/" + name)
