"""What a terminal sends, and what is heard of it."""

import pytest
from textual.events import Key, MouseDown, Resize

from acp_tui.ui.textual_fixes.terminal_input import TerminalInput
from tests.unit.ui.terminal_reads import heard, keys, typed

KEYS: list[tuple[str | bytes, list[str]]] = [
    # xterm and what is like it
    ("\x1b[A\x1bOA\x1b[1;5A\x1b[3;5~\x1b[Z", ["up", "up", "ctrl+up", "ctrl+delete", "shift+tab"]),
    ("\x1bOP\x1b[15~\x1b[[A\x1b[25~", ["f1", "f5", "f1", "f13"]),
    (b"\xc2\x9b1;2D", ["shift+left"]),
    ("\x1bOp", ["0"]),
    # Alt, as Escape before the key
    ("\x1bj\x1b[B", ["alt+j", "down"]),
    ("\x1bp\x1bp\x1bx", ["alt+p", "alt+p", "alt+x"]),
    ("\x1b/\x1b.x", ["alt+slash", "alt+full_stop", "x"]),
    ("\x1b1\x1bW", ["alt+1", "alt+shift+w"]),
    ("\x1b\t\t", ["alt+tab", "tab"]),
    ("\x1bb\x1b\x7f\x1b\x08\x08", ["alt+b", "alt+backspace", "alt+backspace", "backspace"]),
    ("a\x1b\rb\r", ["a", "alt+enter", "b", "enter"]),
    ("\x1b日", ["alt+日"]),
    ("\x1b\x03", ["ctrl+c"]),
    ("\x1b\x1b", ["escape", "escape"]),
    ("\x1b\x1b[A\x1b\x1bOA", ["alt+up", "alt+up"]),  # iTerm2
    # modifyOtherKeys, of xterm and tmux
    ("\x1b[27;2;13~\x1b[27;5;99~", ["shift+enter", "ctrl+c"]),
    ("\x1b[27;6;67~\x1b[27;3;106~", ["ctrl+shift+c", "alt+j"]),
    ("\x1b[27;2;65~", ["A"]),
    ("\x1b[13;2u\x1b[99;5u\x1b[65;2u", ["shift+enter", "ctrl+c", "A"]),
    # kitty: subfields, other layouts, locks, releases, modifiers alone, no text reported
    ("\x1b[13u\x1b[13;2u\x1b[13;3u\n", ["enter", "shift+enter", "alt+enter", "ctrl+j"]),
    ("\x1b[98;1:1u\x1b[98;1:2u\x1b[98;1:3u", ["b", "b"]),
    ("\x1b[1089::99;5u\x1b[1089:1057:99;6u", ["ctrl+c", "ctrl+shift+c"]),
    ("\x1b[106::99;5u", ["ctrl+j"]),  # Dvorak has letters of its own
    ("\x1b[97;2;65u\x1b[97:65;2u\x1b[97;2u", ["A", "A", "A"]),
    ("\x1b[97;65u\x1b[99;69u\x1b[99;133u", ["A", "ctrl+c", "ctrl+c"]),
    ("\x1b[0;;229u\x1b[97;;97:98u\x1b[57400u", ["å", "a", "b", "1"]),
    ("\x1b[57441;2u\x1b[57358u", []),
    ("\x1b[99;9u\x1b[99;17u\x1b[99;33u", ["super+c", "hyper+c", "meta+c"]),
    ("\x1b[1;5:1C\x1b[3;1:2~\x1b[1;1:3A", ["ctrl+right", "delete"]),
    # digits: with Shift it isn't known what a key of a digit types, unless the terminal says so
    ("\x1b[49u\x1b[49;65u\x1b[57400u\x1b[57400;2u\x1bOq", ["1", "1", "1", "1", "1"]),
    ("\x1b[49;2u\x1b[49;5u\x1b[38::49u\x1b[49;1:3u", ["shift+1", "ctrl+1", "ampersand"]),
    ("\x1b[38:49;2u\x1b[27;2;49~\x1b[49:33;2u", ["1", "1", "exclamation_mark"]),
    ("\x1b[49;2;49;1;0;1_\x1b[49;2;0;1;0;1_\x1b[49;2;0;1;8;1_", ["1", "ctrl+1"]),
    ("1\ufe0f\u20e3", ["1", "variation_selector_16", "combining_enclosing_keycap"]),
    # win32-input-mode
    ("\x1b[65;30;97;1;0;1_\x1b[65;30;97;0;0;1_", ["a"]),
    ("\x1b[67;46;3;1;8;1_\x1b[67;46;1089;1;8;1_", ["ctrl+c", "ctrl+c"]),
    ("\x1b[13;28;13;1;16;1_\x1b[38;72;0;1;256;1_", ["shift+enter", "up"]),
    (
        "\x1b[0;0;55357;1;0;1_\x1b[0;0;55357;0;0;1_\x1b[0;0;56832;1;0;1_\x1b[0;0;56832;0;0;1_",
        ["grinning_face"],
    ),
    ("\x1b[9999999;0;0;1;8;1_\x1b[1114112;0;9999999;1;0;1_", []),
    ("\x1b[0;0;55357;1;0;1_\x1b[65;30;97;1;0;1_\x1b[0;0;56832;1;0;1_", ["a"]),
    ("\x1b[18;56;0;1;2;1_\x1b[18;56;233;0;0;1_\x1b[18;56;0;0;0;1_", ["é"]),
    ("\x1b[0;;128105:8205:128103u", ["woman", "zero_width_joiner", "girl"]),
    ("\x1b[81;16;64;1;9;1_\x1b[16;42;0;1;16;1_\x1b[74;36;106;1;2;1_", ["at", "alt+j"]),
]


@pytest.mark.parametrize(("sent", "expected"), KEYS)
def test_each_terminals_keys_are_heard(sent: str | bytes, expected: list[str]) -> None:
    assert keys(heard(sent)) == expected


@pytest.mark.parametrize("sign", [*"a/.1§ß", "\t", "日"])
def test_a_sign_with_alt_is_no_text(sign: str) -> None:
    assert typed(heard(f"\x1b{sign}x")) == "x"


ANSWERS: list[str | bytes] = [
    "\x1b[?64;1;2c",
    "\x1b[>41;354;0c",
    "\x1b[0n",
    "\x1b[?997;1n",
    "\x1b[12;40R",
    "\x1b[?12;40;1R",
    "\x1b[?2026;2$y",
    "\x1b[4;1$y",
    "\x1b[?25u",
    "\x1b[?0;3;1000S",
    "\x1b[8;24;80t",
    "\x1b[48;24;80;480;800t",
    "\x1b[I",
    "\x1b[O",
    "\x1b[<35;10;10M",
    "\x1b[<0;-1;5m",
    "\x1b[32;10;10M",
    "\x1b[M !!",
    b"\x1b[M \xf0\xf1",
    "\x1b[M \u0101!",
    "\x1b]11;rgb:1e1e/1e1e/2e2e\x07",
    "\x1b]4;1;rgb:ff/00/00\x1b\\",
    "\x1b]52;c;aGVsbG8=\x1b\\",
    "\x1b]lTitle\x1b\\",
    "\x1bP>|iTerm2 3.5\x1b\\",
    "\x1bP1+r544e=787465726d\x1b\\",
    "\x1bP1$r0m\x1b\\",
    "\x1bP!|00000000\x1b\\",
    "\x1b_Gi=1;OK\x1b\\",
    "\x1b[1;2;3;4;0&w",
    "\x1b[12*{",
    "\x1b[>1;2;3:4:5 q",
    "\x1b[>4;2m",
    "\x1bP2$u9/17/25\x1b\\",
    "\x1bP1!~ABCD\x1b\\",
    "\x1b]99;i=1:p=close;\x1b\\",
    "\x1b]1337;ReportCellSize=17.5;8.0;2.0\x1b\\",
    "\x1b^private\x1b\\",
    "\x1bXstring\x1b\\",
    b"\xc2\x9d11;rgb:0/0/0\xc2\x9c",
    "\x1b[200;5~",
    "\x1b[55296u",
    "\x1b[1114112u",
    "\x1b[99999999999999999999u",
    "\x1b[3;5u",
    "\x1b[0;0;0;0;0;0;0;0_",
    "\x1b[" + "1;" * 500 + "m",
]


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_is_never_typed_in_whatever_pieces(answer: str | bytes) -> None:
    sent = answer.encode() if isinstance(answer, str) else answer
    for pause in (0.0, 0.01, 0.2, 0.9):
        for at in {2, 3, len(sent) // 2, len(sent) - 1} - {len(sent)}:
            messages = heard(sent[:at], pause, sent[at:], 0.05, b"x\x03")
            assert typed(messages) == "x", (sent, at, pause)
            assert keys(messages)[-1] == "ctrl+c", (sent, at, pause)


KEYLIKE = {"\x1b[I", "\x1b[O", "\x1b[M !!", b"\x1b[M \xf0\xf1", "\x1b[M \u0101!", "\x1b[55296u"}
KEYLIKE |= {
    "\x1b[1114112u",
    "\x1b[99999999999999999999u",
    "\x1b^private\x1b\\",
    "\x1bXstring\x1b\\",
}
"""What a person could type behind Escape as slowly; or what no terminal answers with."""
BYTE_BY_BYTE = [one for one in ANSWERS if one not in KEYLIKE and len(one) < 100]
BYTE_BY_BYTE += [
    "\x1b[?1;2c",
    "\x1b[>0;276;0c",
    "\x1b[?0u",
    "\x1b]10;rgba:ffff/ffff/ffff/ffff\x1b\\",
    "\x1bP>|WezTerm 20240203-110809-5046fc22\x1b\\",
    "\x1bP0+r\x1b\\",
    "\x1bP1+r436f=323536;524742=38\x1b\\",
    "\x1b]1337;ReportCellSize=20.0;10.0;2.0\x07",
]


@pytest.mark.parametrize("answer", BYTE_BY_BYTE)
def test_an_answer_is_never_typed_that_comes_byte_by_byte(answer: str | bytes) -> None:
    sent = answer.encode() if isinstance(answer, str) else answer
    for pause in (0.15, 0.25, 0.5, 0.9, 2.5):
        parts: list[bytes | float] = []
        for at in range(len(sent)):
            parts += [sent[at : at + 1], pause]
        messages = heard(*parts)
        assert typed(messages) == "", pause
        assert all(key == "escape" for key in keys(messages) if key[0].islower()), pause
        assert keys(heard(*parts, 3.0, "x\r"))[-2:] == ["x", "enter"], pause


@pytest.mark.parametrize("pause", [0.15, 0.5])
def test_an_answer_answers_no_command_either(pause: float) -> None:
    parts: list[str | float] = [part for byte in "\x1b[?64;1;2c" for part in (byte, pause)]
    assert keys(heard(*parts, is_text=False)) == ["escape"]


def test_a_command_behind_escape_does_not_wait_for_an_answer() -> None:
    assert keys(heard("\x1b", 0.8, "[", is_text=False, until=0.0)) == [
        "escape",
        "left_square_bracket",
    ]
    assert keys(heard("\x1b", 0.3, "[", 0.7, is_text=False, until=0.0))[1:] == [
        "left_square_bracket"
    ]


@pytest.mark.parametrize(
    "begun", ["\x1b[?64;", "\x1b]11;rgb:1e", "\x1bP1+r54", "\x1bP>|", "\x1b_Gi=1;", "\x1b["]
)
@pytest.mark.parametrize("pause", [0.2, 0.6, 2.0])
def test_keys_are_heard_again_behind_an_answer_that_stops(begun: str, pause: float) -> None:
    words = [part for _ in range(80) for part in ("w", pause)]
    assert len(typed(heard(begun, *words))) > 30
    by_bytes = [part for byte in begun for part in (byte, pause)]
    assert len(typed(heard(*by_bytes, *words))) > 30
    assert typed(heard(begun, 8.0, "2")) == "2"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "[x]",
            "[1]",
            "[]",
            "[1",
            "]1",
            "P1 is",
            "P1: fix",
            "Please",
            "_",
            "_x",
            "_G",
            "[ ] todo",
        ),
        *("[2026-11-28]", "[12px]", "[10%]", "[1;2]", "[12 apples]", "[<a>]", "[?x]", "]]"),
    ],
)
def test_what_is_typed_fast_after_escape_is_text(text: str) -> None:
    for pause in (0.1, 0.3, 0.6, 3.0):
        parts: list[str | float] = ["\x1b", 0.3]
        for character in text:
            parts += [character, pause]
        assert typed(heard(*parts)) == text, pause


def test_half_of_a_wide_coordinate_of_the_mouse_is_not_typed() -> None:
    assert typed(heard(b"\x1b[M \xdf\xbf\xc4", 0.2, b"\x80", 0.2, "x")) == "x"
    assert typed(heard(b"\xc2", 0.3, b"\x9b1;1R", 0.2, "x")) == "x"


@pytest.mark.parametrize(
    "parts",
    [
        ("\x1b", 0.1, "[A"),
        ("\x1b", 3.0, "[A"),
        ("\x1b", 0.15, "[", 0.1, "A"),
        ("\x1b[", 0.3, "A"),
        ("\x1b[1;", 0.9, "1A"),
        ("\x1b[1;", 5.0, "1A"),
        ("\x1bO", 0.4, "A"),
    ],
)
def test_a_key_that_comes_in_pieces_is_that_key(parts: tuple[str | float, ...]) -> None:
    messages = heard(*parts)
    assert keys(messages)[-1] == "up"
    assert typed(messages) == ""


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("\x1b", 1.0, "[", 1.0, "A"), ["escape", "left_square_bracket", "A"]),
        (("\x1b", 1.0, "OK then"), ["escape", *"OK", "space", *"then"]),
        (("\x1b", 1.0, "]"), ["escape", "right_square_bracket"]),
        (("\x1b[", 1.0, "x"), ["alt+left_square_bracket", "x"]),
    ],
)
def test_what_is_typed_after_escape_is_text(
    parts: tuple[str | float, ...], expected: list[str]
) -> None:
    assert keys(heard(*parts)) == expected


@pytest.mark.parametrize(
    "sent",
    [
        *(b"\x1b]0;no end", b"\x1bPq", b"\x1b[1;", b"\xe6"),
        *(b"\x1b[200~abc", b"\x1b[200~abc\x1b", b"\x1b[200~abc\x1b[20"),
    ],
)
@pytest.mark.parametrize("key", [b"\x03", b"\x11", b"\x1b[99;5u"])
def test_keys_that_leave_work_behind_what_has_no_end(sent: bytes, key: bytes) -> None:
    assert keys(heard(sent, 0.05, key))[-1] in {"ctrl+c", "ctrl+q"}


@pytest.mark.parametrize(
    "begun", [b"\x1b[200~abc", b"one\rtwo", b"\xffone\r", b"\x1b[200~a\x1b[201~b\r"]
)
@pytest.mark.parametrize(
    "pressed", [b"\x11\x11\r", b"\x03\x1b[1;1R\x11", b"\x1b[113;5u\x1b[113;5u\r", b"\x11\x1b[I\x11"]
)
def test_keys_that_leave_are_no_part_of_a_paste_when_they_are_read_at_once(
    begun: bytes, pressed: bytes
) -> None:
    messages = heard(begun, 0.05, pressed)
    assert sum(key in {"ctrl+c", "ctrl+q"} for key in keys(messages)) == 2
    assert "\u2411" not in typed(messages)


@pytest.mark.parametrize("begun", ["\x1b]0;", "\x1bP1+r", "\x1b[200~"])
def test_words_behind_what_has_no_end_are_lost_for_a_moment_only(begun: str) -> None:
    words = [part for _ in range(80) for part in ("w", 0.2)]
    assert len(typed(heard(begun, *words))) > 60
    assert typed(heard(begun, 2.0, "w"))[-1] == "w"


def test_characters_come_in_pieces_or_are_shown_as_replaced() -> None:
    assert typed(heard(b"\xe6", 0.5, b"\x97", 0.5, b"\xa5")) == "日"
    assert typed(heard(b"\xffa\xe6\x97\x1b[A")) == "\ufffda\ufffd"
    assert typed(heard("e\u0301")) == "e\u0301"


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("\x1b[200~a\x1b[31mred\x1b[0m\x1b[201~",), ["paste:a␛[31mred␛[0m"]),
        (("\x1b[200~a\r\nb\rc\x00\x07\x1b[201~",), ["paste:a\nb\nc␀␇"]),
        (("\x1b[200~", 0.3, "ab\x1b[2", 0.3, "01", 0.3, "~", 0.3, "c"), ["paste:ab", "c"]),
        (("\x1b[200~a\x1b[200~b\x1b[201~",), ["paste:a␛[200~b"]),
        (("\x1b[200~a\x1b[201~rm -rf ~\r\x1b[201~",), ["paste:a", "paste:rm -rf ~\n"]),
        (("\x1b[200~a\x1b[201~\r\x1b[201~",), ["paste:a", "paste:\n"]),
        (("\x1b[200~a\x1b[201~\r",), ["paste:a", "enter"]),
        (("\x1b[200~one\r", 3.0, "two\r\x1b[201~"), ["paste:one\n", "paste:two\n"]),
        (("\x1b[200~\x1b[201~",), ["paste:"]),
        (("\x1b[201~", 0.3, "x"), ["x"]),
    ],
)
def test_a_paste_is_whole_and_has_an_end(
    parts: tuple[str | float, ...], expected: list[str]
) -> None:
    assert keys(heard(*parts)) == expected


@pytest.mark.parametrize("rest", ["\r", "\n", "t", "two\r"])
@pytest.mark.parametrize("key", ["", "\x1b[B", "\t"])
def test_the_rest_of_a_paste_that_was_given_up_sends_nothing(rest: str, key: str) -> None:
    given_up: tuple[str | float, ...] = ("\x1b[200~one", *((0.25, key) if key else (3.0,)))
    assert "enter" not in keys(heard(*given_up, 0.3, rest, 3.0, "\r"))
    assert "enter" not in keys(heard(*given_up, 15.0, rest, 9.0, "\r"))


def test_enter_sends_again_behind_the_rest_of_a_paste_and_says_how_before() -> None:
    paste: tuple[str | float, ...] = ("\x1b[200~one", 3.0, "\r")
    assert keys(heard(*paste)) == ["paste:one", "EnterInPaste", "paste:\n"]
    assert keys(heard(*paste, 2.0, "\x1b[F", 0.1, "\r"))[-2:] == ["end", "enter"]
    assert keys(heard(*paste, 0.2, "\x03\r"))[-2:] == ["ctrl+c", "enter"]
    assert keys(heard(*paste, 0.1, "\x1b[201~", 0.1, "\r"))[-1] == "enter"
    assert keys(heard(*paste, 40.0, "\r"))[-1] == "enter"


def test_what_waited_in_the_terminal_behind_a_line_is_part_of_its_burst() -> None:
    now = 0.0
    parser = TerminalInput(lambda: now)
    messages = parser.feed(b"one\r")
    now = 0.5
    messages += parser.feed(b"two\r")  # no tick came between: this thread had to wait
    now = 2.0
    assert keys([*messages, *parser.tick()]) == [*"one", "paste:\ntwo\n"]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("one\rtwo\r",), ["paste:one\ntwo\n"]),
        (("one\r\n\ttwo",), ["paste:one\n\ttwo"]),
        (("one\ntwo\n",), ["paste:one\ntwo\n"]),
        (("\rone",), ["paste:\none"]),
        (("a", 0.01, "\r", 0.01, "b\r"), ["a", "paste:\nb\n"]),
        (("a\rb\r", 0.08, "c\r"), ["paste:a\nb\nc\n"]),
        (("one\r", 0.03, "two\r", 0.12, "three\r"), [*"one", "paste:\ntwo\nthree\n"]),
        (("one", 0.04, "\r", 0.04, "two", 0.04, "\r"), [*"one", "paste:\ntwo\n"]),
        (("one\r\n", 0.12, "\r\n", 0.12, "two"), [*"one", "paste:\n\ntwo"]),
        (("a\rb\r", 0.6, "c\r", 0.6, "d\r"), ["paste:a\nb\n", "paste:c\n", "paste:d\n"]),
        (("a\r\x1b[1;1Rb\r",), ["a", "CursorPosition", "paste:\nb\n"]),
        (("a\rb\x1b[Ac\x15d\r",), ["paste:a\nbc␕d\n"]),
        ((b"\xff\xfeone\r",), ["paste:\ufffd\ufffdone\n"]),
        (("one\x1b[31m\r",), ["o", "n", "e", "paste:\n"]),
        (("x" * 1000 + "\r",), ["paste:" + "x" * 1000, "enter"]),
    ],
)
def test_lines_in_one_burst_are_a_paste(
    parts: tuple[str | bytes | float, ...], expected: list[str]
) -> None:
    assert keys(heard(*parts)) == expected


@pytest.mark.parametrize(
    "parts",
    [("hi\r",), ("hi", 0.01, "\r"), ("hi", 0.5, "\r"), ("hi\r\n",), ("\x15hi\r",), ("h\x1b[Di\r",)],
)
def test_a_line_and_enter_are_typed(parts: tuple[str | float, ...]) -> None:
    assert keys(heard(*parts))[-1] == "enter"


def test_enter_waits_only_for_what_comes_at_once() -> None:
    assert keys(heard("a\r", 0.2, "b\r")) == ["a", "enter", "b", "enter"]
    assert keys(heard("a\rb\r", 0.3, "c", 0.1, "\r"))[-2:] == ["c", "enter"]
    assert keys(heard("a", 0.06, "\r", until=0.0)) == ["a", "enter"]
    assert keys(heard("\r")) == ["enter"]
    assert keys(heard("a\r\x1b[B")) == ["a", "enter", "down"]


def test_clicks_are_heard_in_each_encoding() -> None:
    for sent in ("\x1b[<0;11;6M", "\x1b[32;11;6M", "\x1b[M +&"):
        (click,) = heard(sent)
        assert isinstance(click, MouseDown)
        assert (click.x, click.y) == (10, 5)


def test_a_size_counts_only_where_the_terminal_reports_sizes() -> None:
    def size(sent: str) -> list[tuple[int, int]]:
        return [(one.size.width, one.size.height) for one in heard(sent) if isinstance(one, Resize)]

    report = "\x1b[48;50;100;1000;1000t"
    assert size(report) == []
    assert size(f"\x1b[?2048;1$y{report}") == [(100, 50)]
    assert size("\x1b[?2048;1$y\x1b[48;60000;60000;1;1t\x1b[48;0;0;0;0t") == []
    (*_, click) = heard("\x1b[?2048;1$y\x1b[48;50;100;0;0t\x1b[<0;3;3M")
    assert isinstance(click, MouseDown)


def test_a_key_with_alt_can_be_told_from_esc_and_the_key() -> None:
    by_escape, by_sequence = heard("\x1bj\x1b[106;3u")
    assert isinstance(by_escape, Key)
    assert isinstance(by_sequence, Key)
    assert by_escape.key == by_sequence.key == "alt+j"
    assert (by_escape.character, by_sequence.character) == ("\x1b", None)
