"""Runs commands of the program in the tests' own process: a start, even a warm one, costs more than most
commands do.
"""

import io
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager
from pathlib import Path

from acp_tui.cli import main
from acp_tui.client.process.orphans import orphans
from tests.warm.starts import OF_PYTHON, adopting

_PROGRAM = [sys.executable, "-m", "acp_tui"]
_LONGEST_INPUT = 1 << 15
"""Bytes that a pipe takes whole."""
_ERRORS = ("surrogateescape", "surrogateescape", "backslashreplace")
"""How Python encodes what the standard streams lack, in the locale of the tests."""
_ENCODING = "PYTHONIOENCODING"
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_program(
    *argv: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    seconds: float = 30.0,
) -> "subprocess.CompletedProcess[bytes]":
    """Run a command with streams, a folder and further variables of its own.

    It gets a process where this one would differ: with variables that Python reads when it starts,
    and with COLD_STARTS set.
    """
    environment = {**os.environ, **(env or {})}
    apart = any(name.startswith(OF_PYTHON) and name != _ENCODING for name in env or ())
    apart = apart or len(stdin) > _LONGEST_INPUT
    if apart or "COLD_STARTS" in os.environ:
        return subprocess.run(
            [*_PROGRAM, *argv],
            input=stdin,
            capture_output=True,
            cwd=cwd,
            env=environment,
            timeout=seconds,
        )
    with ExitStack() as stack:
        stack.enter_context(_process_unchanged())
        if cwd is not None:
            stack.enter_context(chdir(cwd))
        os.environ.update(environment)
        out, err = stack.enter_context(_streams(stdin, environment.get(_ENCODING, "")))
        try:
            code: object = main.run(argv)
        except SystemExit as leaving:  # of argparse
            code = leaving.code
        sys.stdout.flush()
        sys.stderr.flush()
        said = [os.pread(one, os.fstat(one).st_size, 0) for one in (out, err)]
    assert isinstance(code, int)
    return subprocess.CompletedProcess([*_PROGRAM, *argv], code, *said)


@contextmanager
def _process_unchanged() -> Iterator[None]:
    """Restore what a run changes in its process, which it takes to be its own."""
    before, handlers = dict(os.environ), [signal.getsignal(one) for one in _SIGNALS]
    with adopting():
        try:
            yield
        finally:
            orphans._adopting = False
            os.environ.clear()
            os.environ.update(before)
            for number, handler in zip(_SIGNALS, handlers, strict=True):
                signal.signal(number, handler)


@contextmanager
def _streams(stdin: bytes, encoding: str) -> Iterator[tuple[int, int]]:
    """Replace the standard streams; yield descriptors of what is written to stdout and stderr."""
    handlers = (*["strict"] * 2, "backslashreplace") if encoding else _ERRORS
    with ExitStack() as stack:
        source, given = os.pipe()
        os.write(given, stdin)
        os.close(given)
        opened = [source]
        for _ in range(2):
            file = stack.enter_context(tempfile.TemporaryFile())
            opened.append(os.dup(file.fileno()))
        before = [os.dup(number) for number in range(3)]
        streams = sys.stdin, sys.stdout, sys.stderr
        try:
            for number, one in enumerate(opened):
                os.dup2(one, number)
            sys.stdin, sys.stdout, sys.stderr = (
                io.TextIOWrapper(
                    open(number, "wb" if number else "rb", closefd=False),  # noqa: SIM115
                    encoding or "utf-8",
                    errors,
                    line_buffering=number == 2,
                )
                for number, errors in enumerate(handlers)
            )
            yield opened[1], opened[2]
        finally:
            sys.stdin, sys.stdout, sys.stderr = streams
            for number, one in enumerate(before):
                os.dup2(one, number)
            for one in (*opened, *before):
                os.close(one)
