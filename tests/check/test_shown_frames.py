"""A verdict shows the frames that its words are about."""

import re
from pathlib import Path

from tests.check.conforming.runs import run_conforming
from tests.examples import parametrize


@parametrize(
    2,
    ("broken", "words", "shown"),
    [
        (
            "A15",
            "the canceled prompt got the error -32603",
            ["session/prompt", "session/cancel", '"code": -32603'],
        ),
        (
            "A34",
            "'call-1' was created before: that call is completed",
            ['"tool_call", "toolCallId": "call-1"', '"status": "completed"', '"title": "Read'],
        ),
        (
            "A34.open",
            "the turn ended while '.*' is in_progress",
            ['"sessionUpdate": "tool_call"', '"status": "in_progress"', '"stopReason": "end_turn"'],
        ),
        ("A38", "wrong params got the error -32000", ['"cwd": 5', '"code": -32000']),
    ],
)
def test_the_frames_that_the_words_are_about_are_shown(
    tmp_path: Path, broken: str, words: str, shown: list[str]
) -> None:
    check = broken.partition(".")[0]
    result = run_conforming(tmp_path, check, broken=broken)[check]
    assert re.search(words, result.verdict.words)
    assert len(result.excerpts) == len(shown)
    for frame, part in zip(result.excerpts, shown, strict=True):
        assert part in frame
