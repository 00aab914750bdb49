"""What is printed waits for its reader, but not without a bound."""

import os
import sys
import threading

import anyio
import pytest

from acp_tui.headless import printer
from acp_tui.headless.printer import Output
from tests.hosting import PATIENCE

pytestmark = pytest.mark.anyio


async def test_output_that_nobody_reads_fails_once_too_much_of_it_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(printer, "MOST_WAITING", 100_000)
    reads, writes = os.pipe()
    failures: list[OSError | None] = []
    with os.fdopen(reads) as read, os.fdopen(writes, "w") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        output = Output()
        output.listener = lambda: failures.append(output.failure)
        output.write(stdout, "x" * 100_000)
        assert failures == []
        for _ in range(3):  # the first one still fits; a failure is told once
            output.write(stdout, "x" * 100_000)
        (failure,) = failures
        assert failure is not None
        assert failure.strerror == "nobody reads it"
        output.close()
        read.close()
        with anyio.fail_after(PATIENCE):  # or it would write to whatever has this number next
            while any(one.name == f"writes {stdout.name}" for one in threading.enumerate()):
                await anyio.sleep(0.001)


async def test_characters_that_the_encoding_of_stdout_lacks_are_question_marks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads, writes = os.pipe()
    with os.fdopen(reads, "rb") as read, os.fdopen(writes, "w", encoding="ascii") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        output = Output()
        output.write(stdout, "漢字 👩‍💻 שלום → ok\n")
        output.close()
        assert read.readline() == b"?? ??? ???? ? ok\n"
