"""Whatever a terminal sends, in whatever pieces: it is heard, and leaves the keyboard to the person."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.ui.terminal_reads import heard, keys, typed
from tests.unit.ui.test_terminal_input import ANSWERS, KEYS

BEGINNINGS = [b"\x1b", b"\x1b[", b"\x1bO", b"\x1b]", b"\x1bP", b"\x1b_", b"\xc2\x9b", b"\x1b[200~"]
ANSWER = st.sampled_from(ANSWERS).map(lambda one: one if isinstance(one, bytes) else one.encode())
SENT_BY_TERMINALS = ANSWER.filter(lambda one: one[:2] not in (b"\x1bX", b"\x1b^"))
"""Nothing answers with a private message or a start of string: behind a late Escape they are words."""
ANY = (
    st.binary(max_size=20)
    | ANSWER
    | st.sampled_from([sent if isinstance(sent, bytes) else sent.encode() for sent, _ in KEYS])
    | st.sampled_from(
        [*BEGINNINGS, b"\x1b[201~", b"\x1b\\", b"\x07", b"\xed\xa0\x80", b"\r", b"\n"]
    )
    | st.text(max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
SHORT = st.floats(0, 0.09)
"""Pauses after which an Escape is not yet a key of its own."""


@st.composite
def reads(draw: st.DrawFn, sent: bytes, pause: st.SearchStrategy[float]) -> list[bytes | float]:
    """Cut bytes into reads, with pauses between them."""
    cuts = sorted(draw(st.sets(st.integers(0, len(sent)), max_size=8)) | {0, len(sent)})
    parts: list[bytes | float] = []
    for begin, end in pairwise(cuts):
        parts += [sent[begin:end], draw(pause)]
    return parts


@given(st.lists(ANY, max_size=12).map(b"".join), st.data())
def test_keys_that_leave_are_heard_after_anything(sent: bytes, data: st.DataObject) -> None:
    parts = data.draw(reads(sent, st.floats(0, 4)))
    for leaving in (b"\x03", b"\x11"):
        assert keys(heard(*parts, 0.05, leaving))[-1] in {"ctrl+c", "ctrl+q"}


@given(st.lists(ANSWER, max_size=6), st.data())
def test_answers_write_nothing_whatever_their_pieces(
    answers: list[bytes], data: st.DataObject
) -> None:
    parts = data.draw(reads(b"".join(answers), SHORT))
    assert typed(heard(*parts)) == ""


@given(st.lists(SENT_BY_TERMINALS, max_size=6), st.data())
def test_answers_write_nothing_in_slower_pieces(answers: list[bytes], data: st.DataObject) -> None:
    parts = data.draw(reads(b"".join(answers), st.floats(0, 0.5)))
    assert typed(heard(*parts)) == ""


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]) | st.just("\r")), st.data())
def test_a_paste_is_whole_and_presses_nothing(text: str, data: st.DataObject) -> None:
    parts = data.draw(reads(f"\x1b[200~{text}\x1b[201~".encode(), SHORT))
    assert keys(heard(*parts)) == [f"paste:{text.replace(chr(13), chr(10))}"]


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1)),
    st.data(),
)
def test_lines_in_one_burst_are_no_prompts(lines: list[str], data: st.DataObject) -> None:
    sent = "".join(f"{line}\r" for line in lines).encode()
    parts = data.draw(reads(sent, st.floats(0, 0.04)))
    assert keys(heard(*parts)).count("enter") == (1 if len(lines) == 1 else 0)
