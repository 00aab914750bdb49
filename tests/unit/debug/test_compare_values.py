"""Two JSON values: what differs, beside what differs each time anyway."""

from typing import Any

import pytest

from acp_tui.debug.compare.values import ABSENT, Counterparts, compare_values, describe_change

UUID = "0b7c1a52-9f3e-4d0a-8c11-2f6f5b0e9a{}".format


def differences(before: Any, after: Any, counterparts: Counterparts | None = None) -> list[str]:
    return [
        describe_change(one)
        for one in compare_values(before, after, counterparts or Counterparts())
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"sessionId": "a"}, {"sessionId": "b"}),
        ({"toolCallId": 1}, {"toolCallId": 2}),
        ({"cwd": "/tmp/one", "path": "/tmp/one/a.py"}, {"cwd": "/home/x", "path": "/home/x/a.py"}),
        ({"text": f"saved as {UUID('00')}"}, {"text": f"saved as {UUID('ff')}"}),
        ({"text": "in /tmp/abc-1/x on localhost:80"}, {"text": "in /tmp/abc-2/x on localhost:81"}),
        ({"text": "5 passed in 0.52s"}, {"text": "5 passed in 0.61s"}),
        ({"updatedAt": "2026-01-02T03:04:05Z"}, {"updatedAt": "2026-01-03T00:00:00.1+01:00"}),
        ({"durationMs": 12}, {"durationMs": 15.5}),
        ({"text": "a1b2c3d4e5f6a7"}, {"text": "b1b2c3d4e5f6a7"}),
        ([True, None, 1.0, "x"], [True, None, 1, "x"]),
        (
            {"sessionId": "first-one", "text": "of first-one"},
            {"sessionId": "other", "text": "of other"},
        ),
        (
            {"sessionId": "first-one", "text": "first-one, 1s"},
            {"sessionId": "other", "text": "other, 2s"},
        ),
    ],
)
def test_what_is_of_one_run_only_is_the_same(before: Any, after: Any) -> None:
    assert differences(before, after) == []


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ({"a": 1}, {"a": 2}, "a is 2, recorded was 1"),
        ({"a": 1}, {"a": True}, "a is true, recorded was 1"),
        ({"a": None}, {}, "a is missing"),
        ({}, {"a": {"b": 1}}, 'a is new: {"b": 1}'),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, "a.b[1] is 3, recorded was 2"),
        ([1, 2, 3], [2, 3], "[0] is missing"),
        ([1, 2], [1, 9, 2], "[1] is new: 9"),
        ({"optionId": "yes"}, {"optionId": "no"}, 'optionId is "no", recorded was "yes"'),
        ("took 1s", "took long", 'all of it is "took long", recorded was "took 1s"'),
        (
            f"{UUID('00')}",
            "2026-01-02 03:04",
            f'all of it is "2026-01-02 03:04", recorded was "{UUID("00")}"',
        ),
        (
            "2026-01-02 03:04",
            f"{UUID('00')}",
            f'all of it is "{UUID("00")}", recorded was "2026-01-02 03:04"',
        ),
        ("x" * 200, "", f'all of it is "", recorded was "{"x" * 78}…'),
        ("1", 1, 'all of it is 1, recorded was "1"'),
    ],
)
def test_what_differs_is_told_with_its_path(before: Any, after: Any, words: str) -> None:
    assert differences(before, after) == [words]


def test_what_suddenly_names_another_session_differs() -> None:
    known = Counterparts()
    assert differences({"sessionId": "a"}, {"sessionId": "b"}, known) == []
    assert [known.translate(text) for text in ("of a", "of b")] == ["of a", "of b"]
    assert differences("1s in /tmp/x", "2s in /tmp/x", known) == []
    assert differences({"sessionId": "a"}, {"sessionId": "c"}, known) != []
    assert differences({"sessionId": "x"}, {"sessionId": "b"}, known) != []
    assert (known.of("a"), known.of("z")) == ("b", "z")


def test_values_nested_deeper_than_python_goes_are_compared() -> None:
    deep: Any = 1
    other: Any = 2
    for _ in range(3000):
        deep, other = [deep], [other]
    ((path, before, after),) = compare_values(deep, other, Counterparts())
    assert (len(path), before, after) == (3000, 1, 2)


def test_a_line_gets_the_counterparts_and_keeps_all_else() -> None:
    known = Counterparts()
    raw = b'{"cwd":"/old/place/x", "id" : "s1","text":"s1 \xff /old/placenta","q":"a\\"b"}'
    assert known.translate_line(raw) == raw
    for here, there in (("s1", 'n"ew'), ("/old/place", "/new"), ('a"b', "c"), ("same", "same")):
        known.learn(here, there)
    assert known.translate_line(raw) == (
        b'{"cwd":"/new/x", "id" : "n\\"ew","text":"s1 \xff /old/placenta","q":"a\\"b"}'
    )


def test_absence_has_a_name() -> None:
    assert repr(ABSENT) == "absent"
