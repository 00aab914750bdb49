"""The table of a log: short cuts change nothing in it, and what comes late is as if always known."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_tui.debug import log as log_module
from acp_tui.debug.filters.predicates import compile_filter
from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.log import Log
from acp_tui.debug.repeated_chunks import ChunkCache
from acp_tui.debug.view import LogView
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.process_events import ProcessStarted, StderrLine
from tests.unit.debug.scenes import Wire

FILTERS = ["status:pending", "status:ok", "latency>0.02", "finding:warning", "not finding:*"]
PARTS = ['a "b" \\', "\u2028\x00", "😀", "\ud800", '","text":"', "x" * 30, ""]
KINDS = ["agent_message_chunk", "agent_thought_chunk", "user_message_chunk"]
texts = st.sampled_from(PARTS) | st.text(max_size=8)
steps = st.one_of(
    st.tuples(st.just("chunk"), texts, st.sampled_from("st"), st.sampled_from(KINDS[:2])),
    st.tuples(st.just("again"), texts),
    st.tuples(st.just("extra"), texts),
    st.tuples(st.just("spoilt"), st.integers(1, 40), st.sampled_from([b'"', b"\xff", b"}", b"\\"])),
    st.tuples(st.just("ask"), st.integers(0, 4)),
    st.tuples(st.just("answer"), st.integers(0, 4)),
    st.tuples(st.just("call"), st.sampled_from(["pending", "completed"])),
    st.tuples(st.just("stderr")),
    st.tuples(st.just("lines"), st.integers(1, 4)),
    st.tuples(st.just("restart")),
)


class NoRepeats(ChunkCache):
    """Lets every frame be read."""

    def has(self, frame: Frame) -> bool:
        return False


def records_of(steps: list[tuple[object, ...]]) -> list[Record]:  # noqa: C901  a case for each step
    wire = Wire().prompted()
    last: tuple[str, str] = ("s", KINDS[0])
    for step in steps:
        match step:
            case ("chunk", str(text), str(session), str(kind)):
                last = (session, kind)
                wire.chunk(text, kind, session=session)
            case ("again", str(text)):
                content = {"type": "text", "text": text}
                update = {"sessionUpdate": last[1], "content": content}
                params = {"sessionId": last[0], "update": update}
                body = {"jsonrpc": "2.0", "method": "session/update", "params": params}
                told = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
                wire.raw(Direction.IN, told)
            case ("extra", str(text)):
                wire.chunk(text, surprise=1)
            case ("spoilt", int(place), bytes(with_)):
                raw = next(one.raw for one in wire.records[::-1] if isinstance(one, Frame))
                wire.raw(Direction.IN, raw[:-place] + with_ + raw[-place:])
            case ("ask", int(id)):
                wire.out(id=10 + id, method="session/list", params={})
            case ("answer", int(id)):
                wire.got(id=10 + id, result={"sessions": []})
            case ("call", str(status)):
                wire.update("tool_call", toolCallId="t", title="T", status=status)
            case ("lines", int(count)):
                body = {"method": "session/update", "params": {"sessionId": "s", "update": {}}}
                lines = json.dumps(body, indent=1).splitlines()
                for line in lines[-2 * count :] if count < 3 else lines[: 2 * count]:
                    wire.raw(Direction.IN, line.encode())
            case ("stderr",):
                wire.happened(StderrLine(wire.at, "word"))
            case ("restart",):
                wire.happened(ProcessStarted(wire.at, ("a",), "/", 1))
    return wire.records


def known(records: list[Record]) -> object:
    log = Log(records, Linter())
    log.catch_up()
    log.finish()
    rows = [
        (row.kind, row.method, row.session, row.size, row.status, row.run, row.number, row.at)
        for row in (log[index] for index in range(len(log)))
    ]
    return rows, log.findings, log.counts, log.run_ends, log.findings.severities, log.unanswered


@settings(deadline=None)
@given(st.lists(steps, max_size=30))
def test_a_repeated_chunk_is_known_as_if_it_were_read(steps: list[tuple[object, ...]]) -> None:
    records = records_of(steps)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_module, "ChunkCache", NoRepeats)
        slowly = known(records)
    assert known(records) == slowly


@settings(deadline=None)
@given(
    st.lists(steps, max_size=30),
    st.sampled_from(FILTERS),
    st.lists(st.integers(1, 7), max_size=12),
    st.lists(st.integers(0, 40), max_size=4),
)
def test_a_view_that_grew_is_the_same_as_a_new_one(
    steps: list[tuple[object, ...]], text: str, slices: list[int], toggles: list[int]
) -> None:
    log = Log(records_of(steps), Linter())
    passes = compile_filter(text)
    grown = LogView(log, passes)
    for limit in slices:
        log.catch_up(limit)
        grown.catch_up()
        if len(grown) and toggles:
            grown.toggle(toggles[-1] % len(grown))
            toggles.append(toggles.pop() // 2)
    log.catch_up()
    log.finish()
    grown.catch_up()
    new = LogView(log, passes)
    new._unfolded = grown._unfolded
    new.catch_up()
    assert shown(grown) == shown(new)


def shown(view: LogView) -> list[tuple[list[int], int]]:
    groups = (view[position] for position in range(len(view)))
    return [([row.index for row in group], group.size) for group in groups]
