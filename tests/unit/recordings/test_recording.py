"""Recordings: written, read back, and refused when they are none."""

import json

import pytest

from acp_tui.log_files import masked_recording
from acp_tui.masking.redactor import Redactor
from acp_tui.policy.rules import Rule, RuleAnswer, RuleScope
from acp_tui.protocol.events import (
    ClientNotice,
    LimitReached,
    LineDamaged,
    LocalEvent,
    NotSent,
    OwnFault,
    RulesChanged,
)
from acp_tui.protocol.file_events import (
    AccessAsked,
    EditCompared,
    EditLooked,
    EditVerdict,
    FileOperation,
    FilesChanged,
    FileWritten,
)
from acp_tui.protocol.frames import Direction, Flaw, Frame, Origin
from acp_tui.protocol.process_events import (
    Connecting,
    Disconnected,
    OwnCommandRan,
    ProcessExited,
    ProcessStarted,
    StderrLine,
    TerminalOutput,
)
from acp_tui.protocol.wire_events import Notified, Responded, Stray
from acp_tui.recordings.long_frames import LONG_FRAME_BYTES
from acp_tui.recordings.recording import (
    RecordingError,
    dump_in_pieces,
    format_header,
    format_record,
    read_events,
    read_many,
    read_records,
)
from tests.unit.debug.scenes import Wire


def read(*lines: str) -> list[object]:
    return list(read_records([format_header({}) + "\n", *lines]))


@pytest.mark.parametrize("unit", [b"words ", 'é漢😀"\\'.encode(), b"\xff\xfe", b"\xe6\xbc"])
def test_a_long_frame_is_written_in_pieces_to_the_same_line(unit: bytes) -> None:
    raw = unit * (2 * LONG_FRAME_BYTES // len(unit))
    frame = Frame(Direction.IN, raw, 1.0, 7, Flaw.UNFINISHED, size=len(raw) + 1)
    pieces = list(dump_in_pieces(frame))
    assert len(pieces) > 8
    assert "".join(pieces) == format_record(frame)
    assert list(dump_in_pieces(StderrLine(1.0, "x"))) == [format_record(StderrLine(1.0, "x"))]


@pytest.mark.parametrize(
    "frame",
    [
        Frame(Direction.IN, b'{"a":"\xc3\xa4\xe2\x80\xa8"}', 1.25, 3, size=13),
        Frame(Direction.OUT, b"\xff\xfe", 2.0, 4, size=2),
        Frame(Direction.OUT, b"{}", 1.0, 5, size=2, by=Origin.HAND),
        Frame(Direction.IN, b"{}", 1.0, 5, size=3),  # its line ended with a carriage return
        Frame(Direction.IN, b"{", 1.0, 6, Flaw.OVERSIZED, 5_000_000),
    ],
)
def test_a_frame_reads_back_byte_for_byte(frame: Frame) -> None:
    assert read(format_record(frame) + "\n") == [frame]


@pytest.mark.parametrize(
    "event",
    [
        ProcessStarted(1.0, ("agent", "--acp"), "/work", 7),
        ProcessExited(1.0, None, "SIGKILL", asked=True),
        Connecting(1.0, "https://host/acp", "/work"),
        Disconnected(1.0, "cut", refused=True),
        NotSent(1.0, "a", "HTTP 500"),
        TerminalOutput(1.0, "m", b"plain\n"),
        TerminalOutput(1.0, "m", b"\xff\x00"),
        OwnCommandRan(1.0, "s", "own-1", "make test", "/w", b"ok\xff\n", 3, -2),
        AccessAsked(1.0, 5, "s", FileOperation.WRITE, "/a/b", "/a", "new", "old"),
        FileWritten(1.0, 5, "s", "/a", False, "old", "new", True, False, "said"),
        FilesChanged(1.0, 5, ["/a"]),
        EditLooked(1.0, "s", "t", "/a", 2, True, 4, 5, remark="said", warns=True),
        EditLooked(1.0, "s", "t", "/a", derived=True, old_text="old", text="new"),
        EditCompared(1.0, "s", "t", "/a", EditVerdict.DIFFERS, "more", before="1", after=None),
        OwnFault(1.0, "s", "fs/read_text_file", "E: a", "Traceback\n"),
        LimitReached(1.0, "s", "over"),
        ClientNotice(1.0, "s", "error", "half \ud800", None),
        RulesChanged(
            1.0, (Rule(RuleAnswer.ALLOW, paths=("src/**",), scope=RuleScope.PROJECT, where="/w"),)
        ),
    ],
)
def test_what_happened_beside_the_wire_reads_back(event: LocalEvent) -> None:
    assert read(format_record(event) + "\n") == [event]


def test_a_notice_of_an_earlier_version_is_read() -> None:
    notice = ClientNotice(1.0, "s", "error", "Not sent", None)
    line = format_record(notice).replace("ClientNotice", "Said") + "\n"
    assert "Said" in line
    assert read(line) == [notice]


@pytest.mark.parametrize("start", ["", "5", "[]", "{}", "text"])
def test_a_file_without_a_header_is_refused(start: str) -> None:
    with pytest.raises(RecordingError, match="line 1: not a recording"):
        list(read_records([start] if start else []))


def test_a_recording_of_another_version_is_refused() -> None:
    with pytest.raises(RecordingError, match="version 99"):
        list(read_records(['{"acp-tui": 99}\n']))


@pytest.mark.parametrize(
    "line",
    [
        "noise",
        "{}",
        "[]",
        "5",
        '"text"',
        '{"event": "Unheard"}',
        '{"event": "Said"}',
        '{"dir": "up", "raw": "", "at": 1, "n": 1}',
        '{"dir": "in", "base64": "?", "at": 1, "n": 1}',
        '{"dir": "in", "raw": "", "at": 1, "n": 1, "by": "nobody known"}',
        '{"dir": "in", "raw": "", "at": 1, "n": 1, "of": -1}',
        '{"dir": "in", "raw": "", "at": 1, "n": 1, "stopped": "nobody known"}',
        '{"dir": "in", "raw": "", "at": "x", "n": 1}',
        '{"dir": "in", "raw": "", "at": NaN, "n": 1}',
        f'{{"dir": "in", "raw": "", "at": 1{"0" * 400}, "n": 1}}',
        '{"dir": "in", "raw": "", "at": 1, "n": -1}',
        '{"dir": "in", "raw": "", "at": 1, "n": 1, "size": 1e99}',
        '{"event": "StderrLine", "at": 1, "text": 5}',
        '{"event": "ProcessFailed", "at": 1, "argv": "ls", "reason": "x"}',
        '{"event": "ProcessStarted", "at": 1, "argv": ["ls", 5], "cwd": "/", "pid": 1}',
        '{"event": "FilesChanged", "at": 1, "turn": 1, "paths": [["a"]]}',
        '{"event": "RulesChanged", "at": 1, "rules": [{"answer": "perhaps"}]}',
        "[" * 100_000,
    ],
)
def test_a_broken_line_hides_no_other_and_an_unfinished_last_one_is_left_out(line: str) -> None:
    good = Frame(Direction.IN, b"{}", 7.0, 1, size=2)
    before, broken, after = read(
        format_record(good) + "\n", line + "\n", format_record(good) + "\n"
    )
    assert before == after == good
    assert isinstance(broken, LineDamaged)
    assert (broken.at, broken.line) == (7.0, line)
    assert "not a record" in broken.reason
    assert read(line) == []


def test_lines_read_at_once_are_the_records_that_they_are_one_by_one() -> None:
    records = [
        Frame(Direction.IN, b"\xff", 1.0, 1, size=1),
        ClientNotice(1.5, "s", "info", "Note"),
        Frame(Direction.OUT, b"{}", 2.0, 2, size=2),
    ]
    assert read_many([format_record(record).encode() + b"\n" for record in records]) == records
    assert read_many([]) == []


@pytest.mark.parametrize(
    "line",
    [
        "noise",
        '{"event": "Said"}',
        '{"event": "ProcessFailed", "at": 1, "argv": "ls", "reason": "x"}',
        '{"event": "ProcessStarted", "at": 1, "argv": ["ls", 5], "cwd": "/", "pid": 1}',
        '{"event": "FilesChanged", "at": 1, "turn": 1, "paths": [["a"]]}',
        '{"event": "RulesChanged", "at": 1, "rules": [{"answer": "perhaps"}]}',
        f'{{"dir": "in", "raw": "", "at": 1{"0" * 400}, "n": 1}}',
        ", ".join([format_record(ClientNotice(1.0, "s", "info", "Two in a line"))] * 2),
    ],
)
def test_of_lines_read_at_once_none_may_be_broken(line: str) -> None:
    good = format_record(Frame(Direction.IN, b"{}", 7.0, 1, size=2)).encode()
    with pytest.raises(RecordingError, match="not a record"):
        read_many([good, line.encode(), good])


def test_a_new_process_begins_a_new_connection() -> None:
    """An answer of the second process is not taken for one to the first."""
    call = Frame(Direction.OUT, b'{"id":0,"method":"initialize"}', 1.0, 1)
    answer = Frame(Direction.IN, b'{"id":0,"result":{"protocolVersion":1}}', 2.0, 2)
    started = ProcessStarted(1.5, ("agent",), "/work", 7)
    assert isinstance(list(read_events([call, answer]))[-1], Responded)
    said = ClientNotice(1.5, "s", "info", "Note")
    meant = list(read_events([call, started, call, said, answer]))
    assert meant[1] == started
    assert isinstance(meant[4], Responded)
    assert meant[4].request == meant[2]
    note = Frame(Direction.IN, b'{"method":"_x"}', 2.0, 3)
    assert isinstance(next(read_events([note])), Notified)


def test_some_of_a_log_becomes_a_recording_that_says_what_was_masked() -> None:
    wire = Wire().opened().got(method="_x", params={"apiKey": "hunter2hunter2"}).chunk()
    log, redactor = wire.log(), Redactor()
    redactor.scan(log.records)
    data = masked_recording([log.records[4]], {"cwd": "/w"}, redactor)
    assert b"hunter2" not in data
    head, frame, end = data.split(b"\n")
    assert json.loads(head)["masked"] == {"params.apiKey": 1}
    assert (json.loads(frame)["n"], end) == (5, b"")


def test_a_new_connection_answers_nothing_of_the_one_before() -> None:
    connecting = Connecting(1.0, "ws://host/acp", "/w")
    asked = Frame(Direction.OUT, b'{"jsonrpc":"2.0","id":0,"method":"initialize"}', 1.0, 1)
    answer = Frame(Direction.IN, b'{"jsonrpc":"2.0","id":0,"result":{}}', 2.0, 2)
    *_, last = read_events([connecting, asked, connecting, answer])
    assert isinstance(last, Stray)


@pytest.mark.parametrize(
    "line",
    [
        '{"event": "ProcessExited", "at": 9, "code": "__import__(1)", "signal": null}',
        '{"event": "ProcessExited", "at": 9, "code": 1, "signal": ["SIGKILL"]}',
        '{"event": "TimedOut", "at": 9, "id": {}, "seconds": 1}',
    ],
)
def test_a_value_of_a_wrong_type_that_can_be_none_is_no_record(line: str) -> None:
    (record,) = read(line + "\n")
    assert isinstance(record, LineDamaged)


@pytest.mark.parametrize(
    "number", ['"n": 1.5', '"n": 1, "size": 2.5', '"n": 1, "of": 0.5', '"n": 1e300']
)
def test_a_number_that_is_not_whole_is_no_record(number: str) -> None:
    (record,) = read(f'{{"at": 9, "dir": "in", "raw": "{{}}", {number}}}\n')
    assert isinstance(record, LineDamaged)
