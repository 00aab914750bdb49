"""Terminals: what a person would see if the command ran in theirs."""

import gc
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.color import Color

from acp_tui.state.entries import TerminalEntry
from acp_tui.state.state import State, Terminal
from acp_tui.ui.terminal.screen import SCROLLBACK
from acp_tui.ui.terminal.terminal_lines import MOST_UNREAD, TerminalLines
from acp_tui.ui.transcript.entry_markdown import entry_markdown
from tests.unit.ui.lines.drive import PALETTE, assert_little_at_once, laid_out, styles_of

KEPT = 1024 * 1024
SEQUENCES = st.builds(
    "\x1b[{}{}{}".format,
    st.sampled_from(["", "?", ">", "="]),
    st.text("0123456789;:", max_size=8),
    st.sampled_from("@ABCDEFGHJKLMPSTXZ`abcdefghilmnqrsu~"),
).map(str.encode)
PIECES = st.lists(
    st.binary(max_size=12)
    | SEQUENCES
    | st.sampled_from(
        [
            "\u200c",
            "\ufe0f",
            "\U000e0067",
            "\U0001f3f4",
            "漢字",
            "e\u0301",
            "👩\u200d💻",
            "🇩🇪",
            "\u200d",
            "\t",
            "\b",
            "\r\n",
            "\x1b]0;",
        ]
    ).map(str.encode)
    | st.sampled_from([b"\x1b7", b"\x1b8", b"\x1bM", b"\x1bD", b"\x1bc", b"\x1b#8", b"\x1b(0"]),
    max_size=40,
)


def terminal(*parts: bytes) -> Terminal:
    made = Terminal("t1", "s1", "make", [], None, at=0.0)
    for part in parts:
        receive(made, part)
    return made


def receive(terminal: Terminal, data: bytes) -> None:
    """Take output as the session state does: the oldest is dropped when it gets too much."""
    terminal.parts.append(data)
    terminal.stored_bytes += len(data)
    while terminal.stored_bytes > KEPT and len(terminal.parts) > 1:
        size = len(terminal.parts.popleft())
        terminal.stored_bytes -= size
        terminal.dropped += size


def output(*parts: bytes | str, width: int = 60) -> list[str]:
    data = [part.encode() if isinstance(part, str) else part for part in parts]
    return laid_out(TerminalLines(terminal(*data), tail=None), width)[1:]


def test_the_command_where_it_ran_and_how_it_ended() -> None:
    made = terminal(b"boom\n")
    made.command, made.args, made.cwd = "grep", ["-r", "two words", "it's"], "/home/me"
    assert laid_out(TerminalLines(made), 60) == [
        "$ grep -r 'two words' 'it'\"'\"'s'",
        "  in /home/me",
        "boom",
    ]
    made.ended, made.exit_code = 3.2, 3
    assert laid_out(TerminalLines(made), 60)[-1] == "✗ exit 3 3.2s"
    made.exit_code = 0
    assert laid_out(TerminalLines(made), 60)[-1] == "✓ exit 0 3.2s"
    made.exit_code, made.signal = None, "SIGKILL"
    assert laid_out(TerminalLines(made), 60)[-1] == "✗ killed by SIGKILL 3.2s"


def test_a_long_command_is_cut_until_all_is_asked_for() -> None:
    made = terminal()
    made.command = "echo " + "word " * 100
    folded = laid_out(TerminalLines(made), 40)
    assert len(folded) == 3
    assert folded[-1].endswith("…")
    assert " ".join(laid_out(TerminalLines(made, tail=None), 40)) == f"$ {made.command}".strip()


def test_a_cut_command_loses_only_its_end() -> None:
    made = terminal()
    made.command = "printf " + "\\033[7m one-long-word-here " * 20
    cut = "\n".join(laid_out(TerminalLines(made), 40)).removesuffix("…")
    assert f"$ {made.command}".startswith(cut.replace("\n", " "))


def test_of_a_shell_the_script_is_shown() -> None:
    made = terminal()
    made.command, made.args = "/bin/bash", ["-c", "printf '%s' \"it's\""]
    assert laid_out(TerminalLines(made), 60) == ["$ printf '%s' \"it's\""]
    made.args = ["-c", "echo $0", "a b"]
    assert laid_out(TerminalLines(made), 60) == ["$ /bin/bash -c 'echo $0' 'a b'"]


def test_of_one_that_the_agent_only_shows_no_command_is_made_up() -> None:
    made = terminal(b"tea\n")
    made.command, made.display = "", True
    assert laid_out(TerminalLines(made), 60) == ["tea"]
    made.cwd = "/work"
    assert laid_out(TerminalLines(made), 60) == ["  in /work", "tea"]


@pytest.mark.parametrize("mode", ["47", "1047", "1049", "1;1049"])
def test_what_a_pager_drew_is_no_output(mode: str) -> None:
    printed = [f"line {number}" for number in range(40)]
    before, after = "\r\n".join(printed), "\r\ndone\r\n"
    pager = "\x1b[31m\x1b[H\x1b[2Jdrawn\x1b[24;1H:\n\n\x1b[3J\x1b[2;5r\x1b[9S"
    assert output(before, f"\x1b[?{mode}h{pager}\x1b[?{mode}l", after) == [*printed, "done"]
    assert output(before, f"\x1b[?{mode}h", "drawn\x1bc", "\r\nmore") == [*printed, "", "more"]


def test_a_command_that_waits_in_a_pager_shows_it_below_what_it_printed() -> None:
    assert output("one\r\n", "\x1b[?1049h", "manual\r\n", ":") == ["one", "manual", ":"]
    assert output("one\r\n", "\x1b[?1049l", "two") == ["one", "two"]


@pytest.mark.parametrize(
    "clear", ["\x1b[H\x1b[J", "\x1b[2J\x1b[H", "\x1b[H\x1b[2J\x1b[3J", "\x1bc"]
)
def test_what_a_program_clears_was_printed(clear: str) -> None:
    assert output(f"one\ntwo\n{clear}three") == ["one", "two", "three"]


def test_what_a_program_draws_over_is_no_output() -> None:
    assert output("one\ntwo\n\x1b[Hred\x1b[J") == ["red"]


def test_newlines_of_pipes_begin_at_the_left() -> None:
    assert output("one\ntwo\r\nthree") == ["one", "two", "three"]


def test_a_progress_bar_stays_on_its_line() -> None:
    assert output("10%\r", "20%\r", "100%\ndone\n") == ["100%", "done"]


def test_the_cursor_moves_up_to_redraw_lines() -> None:
    assert output("a: 1\nb: 1\n", "\x1b[2A\x1b[Ka: 2\n\x1b[Kb: 2\n") == ["a: 2", "b: 2"]


def test_sequences_may_arrive_in_pieces() -> None:
    data = "\x1b[1;31mred\x1b[0m \x1b]0;title\x07é \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ 漢\n".encode()
    whole = TerminalLines(terminal(data), tail=None)
    pieces = terminal()
    lines = TerminalLines(pieces, tail=None)
    for byte in data:
        receive(pieces, bytes([byte]))
        laid_out(lines, 40)
    assert laid_out(lines, 40) == laid_out(whole, 40)
    assert laid_out(lines, 40)[1] == "red é link 漢"
    assert styles_of(lines, 1, "red")[0].bold


def test_colors_of_all_kinds() -> None:
    codes = ["31", "92", "48;5;200", "38;2;1;2;3", "38:2::1:2:3", "38:5:9"]
    text = "".join(f"\x1b[{code}m<{code}>\x1b[m" for code in codes)
    lines = TerminalLines(terminal(text.encode()), tail=None)
    laid_out(lines, 120)
    styles = {code: styles_of(lines, 1, f"<{code}>")[0] for code in codes}
    assert styles["31"].color == Color.from_ansi(1)
    assert styles["92"].color == Color.from_ansi(10)
    assert styles["48;5;200"].bgcolor == Color.from_ansi(200)
    assert styles["38;2;1;2;3"].color == styles["38:2::1:2:3"].color == Color.from_rgb(1, 2, 3)
    assert styles["38:5:9"].color == Color.from_ansi(9)


def test_attributes_are_set_and_taken_back() -> None:
    lines = TerminalLines(terminal(b"\x1b[1;3;4;7ma\x1b[22;23;24;27mb\x1b[2mc\x1b[4:3md\x1b[4:0me"))
    laid_out(lines, 40)
    a, b, c, d, e = [segment.style for segment in lines.strip(1, PALETTE)]
    assert (a.bold, a.italic, a.underline, a.reverse) == (True,) * 4
    assert (b.bold, b.italic, b.underline, b.reverse) == (False,) * 4
    assert c.dim
    assert d.underline
    assert not e.underline


def test_nothing_is_hidden_or_blinks() -> None:
    lines = TerminalLines(terminal(b"\x1b[8;5mseen"))
    laid_out(lines, 40)
    style = styles_of(lines, 1, "seen")[0]
    assert not style.conceal
    assert not style.blink


def test_titles_links_and_the_clipboard_are_left_alone() -> None:
    assert output(
        "\x1b]0;evil\x07\x1b]52;c;ZXZpbA==\x07\x1bPq#0\x1b\\ok \u009d8;;http://x\u009c!"
    ) == ["ok !"]


def test_a_title_without_end_hides_nothing_after_the_next_sequence() -> None:
    assert output("a\x1b]0;title", " and more", "\x1b[1m b\n") == ["a b"]


def test_wide_characters_wrap_whole() -> None:
    assert output("漢" * 13, width=25) == ["漢" * 12, "漢"]


def test_half_of_a_wide_character_is_a_blank() -> None:
    assert output("漢字\x1b[2Gx\n") == [" x字"]
    assert output("漢字\x1b[3Gx\n") == ["漢x"]


def test_marks_go_to_their_letter_and_cannot_pile_up() -> None:
    assert output("e\u0301!") == ["e\u0301!"]
    assert len(output("e" + "\u0301" * 100_000 + "!")[0]) < 20


def test_only_the_last_lines_until_all_is_asked_for() -> None:
    made = terminal("".join(f"{n}\n" for n in range(1, 101)).encode())
    tail = laid_out(TerminalLines(made, tail=3), 60)
    assert tail == ["$ make", "… 97 earlier lines (Enter shows all)", "98", "99", "100"]
    assert laid_out(TerminalLines(made, tail=None), 60)[1:] == [str(n) for n in range(1, 101)]
    assert laid_out(TerminalLines(made, tail=99), 60)[1] == "1"


def test_what_is_copied_is_what_is_seen() -> None:
    lines = TerminalLines(terminal(b"\x1b[31mone\x1b[0m\ntwo\n"))
    laid_out(lines, 60)
    assert lines.source(1, 2) == "one\ntwo"


def test_it_goes_on_as_output_arrives() -> None:
    made = terminal(b"one\ntw")
    lines = TerminalLines(made)
    assert laid_out(lines, 60)[1:] == ["one", "tw"]
    receive(made, b"o\nthree")
    assert laid_out(lines, 60)[1:] == ["one", "two", "three"]


@pytest.mark.slow
def test_it_goes_on_after_the_oldest_output_was_dropped() -> None:
    made = terminal()
    lines = TerminalLines(made, tail=2)
    for number in range(60):
        receive(made, b"%d " % number + b"x" * 40_000 + b"\n")
        laid_out(lines, 100)
    assert made.dropped
    receive(made, b"the end\n")
    assert laid_out(lines, 100)[-1] == "the end"


def test_another_width_wraps_again() -> None:
    lines = TerminalLines(terminal(b"x" * 50))
    assert [len(line) for line in laid_out(lines, 40)[1:]] == [40, 10]
    assert [len(line) for line in laid_out(lines, 20)[1:]] == [20, 20, 10]
    assert [len(line) for line in laid_out(lines, 60)[1:]] == [50]


def test_an_incomplete_character_at_the_end_is_not_lost() -> None:
    made = terminal("é".encode()[:1])
    lines = TerminalLines(made)
    assert laid_out(lines, 40) == ["$ make"]
    made.ended, made.exit_code = 1.0, 0
    assert laid_out(lines, 40)[1] == "\ufffd"


@pytest.mark.slow
def test_a_flood_is_cut_and_says_so() -> None:
    line = b"\x1b[32mok\x1b[0m something happened\n"
    made = terminal(*[line * 100] * 400)
    lines = TerminalLines(made, tail=None)
    assert_little_at_once(lines, 80)
    texts = laid_out(lines, 80)
    assert texts[1].startswith("⋯ not shown, too much: ")
    assert texts[2:] == ["ok something happened"] * (len(texts) - 2)
    assert len(texts) <= SCROLLBACK + 26
    assert laid_out(TerminalLines(made, tail=3), 80)[1:] == [
        f"… {len(texts) - 5:,} earlier lines are kept (Enter shows them)",
        *texts[-3:],
    ]
    left_out = int(texts[1].split(":")[1].split()[0].replace(",", ""))
    assert made.dropped + made.stored_bytes - left_out <= MOST_UNREAD


def test_what_is_left_out_of_the_log_begins_the_screen_again() -> None:
    made = terminal(b"the beginning\n", b"of it\n")
    lines = TerminalLines(made)
    assert laid_out(lines, 60)[1:] == ["the beginning", "of it"]
    made.dropped, made.stored_bytes = made.stored_bytes + 100, 0
    made.parts.clear()
    for piece in (b"half a line\n", b"the end\n"):
        made.parts.append(piece)
        made.stored_bytes += len(piece)
    assert laid_out(lines, 60)[1:] == ["⋯ not shown, too much: 132 bytes", "the end"]


def test_what_is_copied_of_a_flood_says_what_it_lacks() -> None:
    made = Terminal("t1", "s1", "make", [], None, 0.0, stored_bytes=10, dropped=990)
    made.parts.append(b"[31mt\nend\n")
    state = State(terminals={"t1": made})
    assert entry_markdown(TerminalEntry(0.0, "t1"), state) == (
        "```console\n$ make\n⋯ not kept, too much: 996 bytes\nend\n```"
    )


@pytest.mark.slow
def test_a_flood_keeps_only_its_last_lines_between_two_looks() -> None:
    made = terminal(b"first\n")
    lines = TerminalLines(made, tail=1)
    laid_out(lines, 80)
    for number in range(30):
        receive(made, b"%d\n" % number * 10_000)
    assert laid_out(lines, 80)[-1] == "29"


@settings(deadline=None)
@given(PIECES, st.integers(20, 90))
def test_any_output_at_any_width(pieces: list[bytes], width: int) -> None:
    made = terminal()
    lines = TerminalLines(made, tail=None)
    for piece in pieces:
        receive(made, piece)
        laid_out(lines, width)
    if b"\x1bc" not in b"".join(pieces):
        receive(made, b"\x18\x1b\\\x1b[r\x1b[m\x1b[24;1H\n\x1b[2Kstill here")
        assert laid_out(lines, width)[-1] == "still here"


@settings(deadline=None)
@given(PIECES)
def test_how_output_is_cut_makes_no_difference(pieces: list[bytes]) -> None:
    whole = TerminalLines(terminal(b"".join(pieces)), tail=None)
    made = terminal()
    lines = TerminalLines(made, tail=None)
    for piece in pieces:
        receive(made, piece)
        laid_out(lines, 50)
    assert laid_out(lines, 50) == laid_out(whole, 50)


def test_what_is_shown_no_more_is_gone_without_a_look_for_garbage() -> None:
    gc.disable()
    try:
        lines = TerminalLines(terminal(b"\x1b[31mred\x1b[2J\x1b[5;5Hx\n" * 200), tail=None)
        laid_out(lines, 40)
        shown = [weakref.ref(lines), weakref.ref(lines._screen)]
        del lines
        assert [one() for one in shown] == [None, None]
    finally:
        gc.enable()
