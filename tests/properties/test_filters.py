"""The filter language: what is printed reads back, its laws hold, and nothing breaks it."""

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from acp_tui.debug.filters.completion import complete_filter
from acp_tui.debug.filters.language import (
    COMPARISONS,
    And,
    Compare,
    Expression,
    FieldMatch,
    FilterError,
    Not,
    Numbered,
    Or,
    parse_filter,
)
from acp_tui.debug.filters.predicates import compile_expression
from acp_tui.debug.filters.vocabulary import NUMBER_FIELDS, WORD_FIELDS
from acp_tui.debug.log import Log
from acp_tui.protocol.process_events import StderrLine
from tests.unit.debug.scenes import Wire, read


def _log() -> Log:
    wire = Wire().prompted().chunk("alpha").chunk("beta")
    wire.ask(3, "fs/read_text_file", path="a.py").out(id=3, error={"code": 1, "message": "no"})
    return read(wire.happened(StderrLine(101.0, "gamma")).ended().records)


LOG = _log()
ROWS = [LOG[index] for index in range(len(LOG))]
WORDS = [
    "in",
    "out",
    "local",
    "session/*",
    "*chunk",
    "error",
    "ok",
    "s",
    "3",
    "alpha",
    "initialize",
]

PLAIN = "abcXYZ019_-*"
FIELDS = [field for field in WORD_FIELDS if field not in ("dir", "by", "status", "finding")]
CLOSED = {
    "dir": ["in", "out", "local"],
    "by": ["hand", "breakpoint", "fault"],
    "status": ["ok", "timeout", "*"],
    "finding": ["error", "*-*"],
}


def reads(match: FieldMatch) -> bool:
    """Whether a word isn't told to be a slip, or another tool's."""
    return problem(str(match)) is None


words = st.sampled_from(WORDS) | st.text(PLAIN, min_size=1, max_size=4)
regexes = st.sampled_from([r"a+", r"session\/new", "^in", "x|y", r"\d"])
paths = st.sampled_from(["params.sessionId", "params.update.content.text", "error.code"])
matches = (
    st.builds(FieldMatch, st.sampled_from(FIELDS) | paths, words).filter(reads)
    | st.builds(
        FieldMatch, st.sampled_from(FIELDS) | paths, st.text(max_size=8), quoted=st.just(True)
    )
    | st.builds(
        FieldMatch,
        st.sampled_from([*WORD_FIELDS]) | paths,
        regexes,
        st.just(True),
        st.sampled_from(["", "i"]),
    )
    | st.sampled_from(
        [FieldMatch(field, value) for field, values in CLOSED.items() for value in values]
    )
    | st.builds(Numbered, st.integers(0, 20))
)
numbers = st.floats(0, 1e9) | st.integers(0, 10**6).map(float)
compares = st.builds(
    Compare, st.just("size"), st.sampled_from(COMPARISONS), numbers, st.sampled_from(["", "k", "M"])
) | st.builds(
    Compare,
    st.sampled_from([name for name in NUMBER_FIELDS if name != "size"]),
    st.sampled_from(COMPARISONS),
    numbers,
    st.sampled_from(["", "ms", "s", "m"]),
)
compares |= st.builds(
    Compare, paths, st.sampled_from(COMPARISONS), numbers | numbers.map(float.__neg__)
)
expressions: st.SearchStrategy[Expression] = st.recursive(
    matches | compares,
    lambda inner: (
        st.builds(Not, inner) | st.builds(And, inner, inner) | st.builds(Or, inner, inner)
    ),
    max_leaves=8,
)


def passing(expression: Expression) -> set[int]:
    passes = compile_expression(expression)
    return {row.index for row in ROWS if passes(row)}


@given(expressions)
@example(parse_filter(r'not (method:*chunk and text:/a+/i or size>3k) or "two \"words\"" and #3'))
def test_what_is_printed_reads_back(expression: Expression) -> None:
    assert parse_filter(str(expression)) == expression


@given(expressions, expressions)
def test_not_and_or(left: Expression, right: Expression) -> None:
    every = {row.index for row in ROWS}
    a, b = passing(left), passing(right)
    assert passing(Not(left)) == every - a
    assert passing(And(left, right)) == a & b == passing(parse_filter(f"({left}) ({right})"))
    assert passing(Or(left, right)) == a | b
    assert passing(Not(And(left, right))) == passing(Or(Not(left), Not(right)))


def problem(text: str) -> FilterError | None:
    """What is wrong with a filter; every other exception is a bug."""
    try:
        parse_filter(text)
    except FilterError as error:
        return error
    return None


PIECES = ["method:", "size>", "not ", "and ", "or ", "(", ")", '"', "/", "\\", "ok", "1k", "=", " "]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=12).map("".join))
def test_any_text_is_a_filter_or_an_error_that_points(text: str) -> None:
    failed = problem(text)
    if failed is None:
        passes = compile_expression(parse_filter(text))
        assert {passes(row) for row in ROWS} <= {True, False}
    else:
        assert 0 <= failed.start < failed.end
        assert failed.start <= len(text)
        assert failed.message in failed.pointed(text)


@given(st.text(max_size=12), st.data())
def test_a_completion_stands_before_the_cursor(text: str, data: Any) -> None:
    cursor = data.draw(st.integers(0, len(text)))
    for one in complete_filter(text, cursor, LOG):
        assert 0 <= one.start <= cursor
        assert one.text


def test_deep_nesting_is_an_error() -> None:
    for text in ("(" * 5000, "not " * 5000 + "x"):
        failed = problem(text)
        assert failed is not None
        assert "too deep" in failed.message


def test_errors_point() -> None:
    cases = {
        "metod:x": ("metod", 0),
        "dir:inn": ("did you mean in?", 4),
        'dir:"up"': ("there are: in, out, local", 4),
        "status:bogus": ("there are: pending, in_progress, completed, failed", 7),
        "finding:relative-pth": ("did you mean relative-path?", 8),
        "finding:what": ("docs/findings.md", 8),
        "kind:unreadable": ("write status:unreadable", 5),
        "kind:tool_cal": ("did you mean tool_call?", 5),
        "kind:bogus": ("no update and no event is of the kind bogus", 5),
        "method:session/promt": ("did you mean session/prompt?", 7),
        "dir:in !x": ("write: not", 7),
        "-dir:in": ("write: not", 0),
        "NOT a": ("write: not", 0),
        "a | b": ("write: or", 2),
        "a OR b": ("write: or", 2),
        "a && b": ("write: and", 2),
        "a|b": ("write a or b", 0),
        "~m x": ("method:session/*", 0),
        "method==x": ("not field:value", 6),
        "method !=x": ("without spaces", 7),
        "method = x": ("without spaces", 7),
        "method=x": ("write method:value", 0),
        "colour=1": ("and paths can be compared", 0),
        ".params.update:x": ("params, result or error", 0),
        "update.status:x": ("a path from params", 0),
        "params.update.used>1k": ("a path has none", 20),
        "#x": ("number of a frame", 0),
        "#5x": ("number of a frame", 0),
        "dir:in and (size>1": ("this ( has no )", 11),
        "dir:in )": ("there is no ( for this )", 7),
        "size>1q": ("no unit 'q'", 6),
        "size>": ("a number", 5),
        "method>1": ("only size", 0),
        "size:1": ("write size>1", 0),
        "text:/(/": ("not a regular expression", 6),
        "text:/ab(?=c)/": (
            "look-around, including look-ahead and look-behind, is not supported",
            8,
        ),
        "text:/a{1000}{1000}/": ("exceeds size limit", 6),
        "/tmp/x": ("put a path in quotes", 0),
        'text:"a': ("is not closed", 5),
        "dir:in or": ("is missing", 9),
        "and dir:in": ("'and' needs something before it", 0),
    }
    for text, (words, start) in cases.items():
        failed = problem(text)
        assert failed is not None, text
        assert words in failed.message
        assert failed.start == start, text


def test_filters_find_what_they_say() -> None:
    def kinds(text: str) -> list[str]:
        passes = compile_expression(parse_filter(text))
        return [row.kind or row.method for row in ROWS if passes(row)]

    assert kinds("method:session/* dir:out") == ["session/new", "session/prompt"]
    assert kinds("text:ALPHA") == ["agent_message_chunk"]
    assert kinds("gamma") == ["stderr_line"]
    assert kinds("status:error") == ["fs/read_text_file"] * 2
    assert kinds("finding:relative-path") == ["fs/read_text_file"]
    assert kinds("id:3 and dir:in") == ["fs/read_text_file"]
    assert kinds("latency>=10ms and method:initialize") == ["initialize"] * 2
    assert kinds("method:/READ/i dir:in") == ["fs/read_text_file"]
    assert kinds("dir:local") == ["stderr_line"]
    assert kinds("#1 or #0") == ["initialize"]
    assert kinds("params.update.content.text:alpha") == ["agent_message_chunk"]
    assert kinds("params.update.sessionUpdate:*chunk") == ["agent_message_chunk"] * 2
    assert kinds("params.prompt.0.type:text") == ["session/prompt"]
    assert kinds("params.prompt.type:text") == ["session/prompt"]
    assert kinds("params.prompt.7.type:text or params.prompt.x:1 or error.code.x:1") == []
    assert kinds("error.code:1 error.code>=1 error.code<2") == ["fs/read_text_file"]
    assert kinds("error.message>1 or error.message.e:1") == []


def test_ids_are_found_wherever_they_stand() -> None:
    wire = Wire().prompted().update("tool_call", toolCallId="a", title="t")
    tool = {"toolCallId": "a"}
    wire.got(id="4", method="session/request_permission", params={"toolCall": tool, "x": [tool]})
    wire.out(id="4", result={}).got(id=4, method="_x", params={"b": {"c": ["\u0061"]}})
    log = read(wire.records)

    def numbers(text: str) -> list[int]:
        passes = compile_expression(parse_filter(text))
        return [row.number for row in (log[index] for index in range(len(log))) if passes(row)]

    every = numbers("toolCallId:a")
    assert every == numbers("kind:tool_call or method:session/request_permission dir:in")
    assert numbers('toolCallId:"b" or messageId:a') == []
    assert numbers('id:"4"') == numbers("method:session/request_permission")
    assert numbers("id:4") == [*numbers('id:"4"'), *numbers("method:_x")]
    assert numbers("id:/^4/ method:_x") == numbers("method:_x")
    assert numbers("params.b.c:a") == numbers("method:_x")
