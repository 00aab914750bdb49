"""A document against the plain list of the lines of its entries."""

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_tui.state.entries import Entry, Role, TerminalEntry, ToolCallEntry
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.ui.transcript.document import Document, LinePlace
from acp_tui.ui.transcript.entries.context import Context
from acp_tui.ui.transcript.entries.views import view_of
from acp_tui.ui.transcript.reading_place import Anchor
from tests.examples import some_of
from tests.unit.ui.transcript import gallery

FOREVER = float("inf")
LATE = 0.0

texts = st.text("ab \n日", min_size=1, max_size=60)
entries = st.one_of(
    texts.map(lambda text: gallery.message(Role.USER, text)),
    texts.map(lambda text: gallery.message(Role.THOUGHT, text)),
    texts.map(lambda text: gallery.tool_call(1, text, "read", "completed")),
    st.just("t1").map(lambda name: TerminalEntry(100.0, name, embedded=True, ended=100.0)),
)


def document(*shown: Entry) -> Document:
    session = Session("s", entries=list(shown))
    made = Document(Context(State(sessions={"s": session}), session, lambda: 100.0), view_of)
    made.grow()
    return made


def naive_lines(made: Document) -> list[str]:
    """All lines, from the entries one after the other; a blank between all but tool calls."""
    lines: list[str] = []
    above: Entry | None = None
    for index, entry in enumerate(made.entries):
        view = made.view(index)
        if not view.height:
            continue
        tight = isinstance(above, ToolCallEntry) and isinstance(entry, ToolCallEntry)
        lines += [""] * (above is not None and not tight)
        lines += [view.plain(y) for y in range(view.height)]
        above = entry
    return lines


@settings(deadline=None, max_examples=some_of(60))
@given(st.lists(entries, max_size=12), st.lists(st.integers(0, 99), max_size=8), st.data())
def test_every_line_is_where_a_plain_list_has_it(
    shown: list[Entry], steps: list[int], data: st.DataObject
) -> None:
    made = document(*shown)
    made.resize(20)
    for step in steps:
        if step % 4 == 0:
            made.resize(10 + step)
        elif step % 4 == 1 and shown:
            made.view(step % len(shown)).toggle()
            made.mark(step % len(shown))
        elif step % 4 == 2:
            made.entries.append(data.draw(entries))
            made.grow()
        else:
            made.lay_out_lines(step, step + 5, LATE)
    assert made.lay_out(FOREVER)
    lines = naive_lines(made)
    assert made.height == len(lines)
    assert [made.plain(made.locate(y)) for y in range(made.height)] == lines
    assert [made.offset(made.locate(y)) for y in range(made.height)] == list(range(len(lines)))


def test_what_is_on_screen_is_laid_out_first() -> None:
    made = document(*[gallery.message(Role.USER, f"number {n}") for n in range(100)])
    made.resize(40)
    assert made.lay_out_lines(20, 30, FOREVER)
    assert not made.is_pending_in(20, 30)
    assert made.is_pending(99)
    assert made.is_pending(0)


def test_a_terminal_leaves_no_gap_once_a_tool_call_shows_it() -> None:
    entry = TerminalEntry(100.0, "t1", ended=100.0)
    calls = [gallery.tool_call(n, f"Call {n}", "read", "completed") for n in (1, 2)]
    made = document(calls[0], entry, calls[1])
    made.context.state.terminals["t1"] = gallery.terminal()
    made.resize(40)
    made.lay_out(FOREVER)
    alone = made.height
    entry.embedded = True
    made.mark(1)
    made.lay_out(FOREVER)
    assert alone > made.height == 2


def test_an_anchor_finds_its_line_again_after_wrapping() -> None:
    words = " ".join(f"w{number}" for number in range(500))
    made = document(gallery.message(Role.AGENT, words))
    made.resize(80)
    made.lay_out(FOREVER)
    anchor = Anchor(LinePlace(0, 15))
    first = made.plain(anchor.place).split()[0]
    for width in (31, 200, 47):
        anchor.remember(made)
        made.resize(width)
        made.lay_out(FOREVER)
        anchor.find(made)
        assert first in made.plain(anchor.place).split()
