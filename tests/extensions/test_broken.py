"""A broken extension is named and switched off; all else goes on."""

import sys
from pathlib import Path

import pytest

import acp_tui
from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.log import Log
from acp_tui.extensions import IMPORTERS, RULES, VIEWS, Extensions, extensions
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.ui.transcript.entries.context import Context, Fold
from acp_tui.ui.transcript.entries.views import view_of
from tests.extensions.conftest import Install
from tests.extensions.test_examples import shown
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running

CHECKER = """
from acp_tui.debug.lint.checker import Checker

class Milk(Checker):
    made = []
    def __init__(self, *args):
        {init}
        super().__init__(*args)
        self.made.append(self)
    def check_record(self, reading):
        {look}
    def reopened(self, session):
        {reopened}
    def end(self):
        {end}
"""
FORMAT = """
from acp_tui.recordings.log_formats import Format

def fits(entry):
    {fits}

def read(entries, around):
    {read}
    yield

TEA = Format("tea", "leaves", fits, read)
"""
VIEW = """
class View:
    def matches(self, entry):
        {matches}
    def lines(self, entry, context):
        {lines}

VIEW = View()
"""
SPILT = "raise KeyError('spilt')"
NOISE = [Frame(Direction.IN, b"noise", float(at), at) for at in (1, 2, 3)]
LOAD = b'{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s"}}'


def checker(**bodies: str) -> str:
    return CHECKER.format(
        **{"init": "", "look": "pass", "reopened": "pass", "end": "pass", **bodies}
    )


@pytest.mark.parametrize("where", ["init", "look", "reopened", "end"])
def test_a_rule_that_raises_looks_no_more(installed: Install, where: str) -> None:
    told = installed({RULES: {"milk": "milk:Milk"}}, milk=checker(**{where: SPILT}))
    records = [*NOISE, Frame(Direction.OUT, LOAD, 4.0, 4), *NOISE]
    found = acp_tui.lint(records)
    assert found == acp_tui.lint(records)
    assert [one.rule.id for one in found].count("stdout-noise") == 6
    assert told == ["The extension milk (tea-extensions) is switched off: KeyError: 'spilt'"]
    assert extensions.of(RULES) == []


def test_a_rule_sees_each_chunk_also_where_they_are_alike(installed: Install) -> None:
    look = "reading.kind == 'agent_message_chunk' and self.made.append(reading)"
    installed({RULES: {"milk": "milk:Milk"}}, milk=checker(look=look))
    chunk = (
        b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
        b'{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}}}'
    )
    acp_tui.lint([Frame(Direction.IN, chunk, float(at), at) for at in range(1, 11)])
    seen = [one for one in sys.modules["milk"].Milk.made if hasattr(one, "kind")]
    assert len(seen) == 10


@pytest.mark.parametrize(
    ("group", "target", "words"),
    [
        (RULES, "no_such_module:X", "ModuleNotFoundError"),
        (RULES, "milk:Nothing", "AttributeError"),
        (RULES, "milk:TEA", "TypeError: no subclass of Checker"),
        (IMPORTERS, "milk:TEA", "TypeError: no Format"),
        (VIEWS, "milk:TEA", "TypeError: no object with matches and lines"),
        (VIEWS, "leaves:VIEW", "SystemExit: 3"),
    ],
)
def test_what_cant_be_loaded_is_named_once(
    installed: Install, group: str, target: str, words: str
) -> None:
    told = installed({group: {"bad": target}}, milk="TEA = 1\n", leaves="raise SystemExit(3)\n")
    assert extensions.of(group) == extensions.of(group) == []
    (line,) = told
    assert line.startswith(f"The extension bad (tea-extensions) is switched off: {words}")


def test_an_importer_that_breaks_as_it_chooses_leaves_the_log_to_others(
    tmp_path: Path, installed: Install
) -> None:
    told = installed({IMPORTERS: {"tea": "tea:TEA"}}, tea=FORMAT.format(fits=SPILT, read="pass"))
    file = tmp_path / "plain.jsonl"
    file.write_text('{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}\n')
    assert len(acp_tui.read_recording(file).records) == 1
    assert len(told) == 1


@pytest.mark.parametrize("read", [SPILT, "raise __import__('acp_tui').RecordingError('no tea')"])
def test_an_importer_that_breaks_as_it_reads_says_so(
    tmp_path: Path, installed: Install, read: str
) -> None:
    code = FORMAT.format(fits="return True", read=read)
    told = installed({IMPORTERS: {"tea": "tea:TEA"}}, tea=code)
    file = tmp_path / "plain.jsonl"
    file.write_text("{}\n")
    words = "no tea" if "no tea" in read else r"the extension tea \(tea-extensions\) could not"
    with pytest.raises(acp_tui.RecordingError, match=words):
        acp_tui.read_recording(file)
    assert len(told) == (read == SPILT)


@pytest.mark.parametrize(
    ("matches", "lines"),
    [
        (SPILT, "return []"),
        ("return True", SPILT),
        ("return True", "return [1]"),
        ("return True", "return [('tea', 'no-such-style')]"),
    ],
)
def test_a_view_that_breaks_gives_way_to_ours(installed: Install, matches: str, lines: str) -> None:
    told = installed({VIEWS: {"tea": "tea:VIEW"}}, tea=VIEW.format(matches=matches, lines=lines))
    entry = ToolCallEntry("t1", 1.0, "Pour", raw_input={"cups": 2})
    view = view_of(entry, Context(State(), Session("s"), lambda: 2.0))
    assert "cups" in "\n".join(shown(view, Fold.FULL))
    assert len(told) == 1


@pytest.mark.anyio
async def test_it_is_named_on_the_screen(
    installed: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed({VIEWS: {"tea": "no_such_module:VIEW"}})
    state, session = states.talked()
    session.entries.append(ToolCallEntry("t9", states.NOW - 9, "Pour", status="failed"))
    async with running(state) as it:
        await it.until(lambda: "The extension tea" in it.screen)
        assert "ModuleNotFoundError" in it.screen
    told = extensions.report
    assert told.__name__ == "write_to_stderr"


def test_without_a_screen_it_is_named_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    Extensions().report("The extension tea is switched off")
    assert capsys.readouterr().err == "acp-tui: The extension tea is switched off\n"


def test_a_linter_without_extensions_is_as_before() -> None:
    log = Log(NOISE, Linter())
    log.catch_up()
    assert len(log.findings) == 3
