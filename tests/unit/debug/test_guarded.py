"""Checkers, formats and rules that others wrote, beside our own."""

import pytest

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.findings_report import findings_junit, findings_text
from acp_tui.debug.lint.checker import Checker, ExtraChecker
from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.log import Log
from acp_tui.protocol.events import Record
from acp_tui.protocol.findings import ProtocolRule, Severity
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.recordings.log_formats import FORMATS, Format, read_log

RULE = ProtocolRule("house/tea", Severity.ERROR, "tea comes first.", guess=True)
CHUNK = (
    b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
    b'{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}}}'
)
LOAD = b'{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s"}}'


class Tea(Checker):
    """Finds something in each chunk; raises where it is told to."""

    broken = ""

    def __init__(self, *given: object) -> None:
        self._break("init")
        super().__init__(*given)  # type: ignore[arg-type]

    def check_record(self, reading: Reading) -> None:
        self._break("look")
        if reading.kind == "agent_message_chunk":
            self.report(RULE, reading, "no tea", ())

    def reopened(self, session: str) -> None:
        self._break("reopened")

    def end(self) -> None:
        self._break("end")

    def _break(self, call: str) -> None:
        if call == self.broken:
            raise ValueError(call)


class OnlyLoads(Tea):
    ABOUT = ("session/load",)


def records() -> list[Record]:
    frames: list[Record] = [Frame(Direction.IN, CHUNK, at / 10, at) for at in range(1, 6)]
    return [
        *frames,
        Frame(Direction.OUT, LOAD, 1.0, 6),
        ProcessExited(2.0, 0),
        Frame(Direction.IN, CHUNK, 3.0, 7),
        Frame(Direction.OUT, LOAD, 3.5, 8),
    ]


def linted(checker: type[Checker]) -> tuple[Log, list[str]]:
    told: list[str] = []
    log = Log(records(), Linter([ExtraChecker(checker, lambda error: told.append(str(error)))]))
    log.catch_up()
    log.finish()
    return log, told


def ours(log: Log) -> list[int]:
    return [one.index for one in log.findings if one.rule is RULE]


def test_a_checker_sees_every_record_also_repeated_chunks() -> None:
    log, told = linted(Tea)
    assert ours(log) == [0, 1, 2, 3, 4, 7]
    assert told == []


def test_a_checker_sees_only_what_it_is_about() -> None:
    log, told = linted(OnlyLoads)
    assert (ours(log), told) == ([], [])


@pytest.mark.parametrize("call", ["init", "look", "reopened", "end"])
def test_one_that_raises_is_told_once_and_looks_no_more(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tea, "broken", call)
    log, told = linted(Tea)
    assert told == [call]
    assert ours(log) == ([] if call in ("init", "look") else [0, 1, 2, 3, 4])
    assert any(one.rule is not RULE for one in log.findings)


def test_reports_have_rules_that_are_not_ours() -> None:
    log, _ = linted(Tea)
    found = list(log.findings)
    assert any("house/tea" in line for line in findings_text(log, found))
    assert '<testcase classname="acp.error" name="house/tea">' in findings_junit(log, found)


def test_formats_of_others_are_tried_before_ours() -> None:
    tea = Format("tea", "leaves", lambda entry: "tea" in entry, lambda entries, _: iter(records()))
    assert len(read_log('{"tea": 1}', [tea])) == len(records())
    assert FORMATS[0].name == "Zed"
