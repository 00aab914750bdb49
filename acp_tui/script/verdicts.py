"""Checks a script's expectations; a failure quotes what was found instead."""

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from acp_tui.formatting import counted
from acp_tui.library.turn import ToolCall
from acp_tui.protocol.findings import Finding, Severity
from acp_tui.script.model import (
    EndExpected,
    Expectation,
    FileExpected,
    FindingsExpected,
    TextExpected,
    ToolsExpected,
    Words,
    is_like,
)

_QUOTED = 600
"""Longest text that a failure quotes, in characters."""
_LISTED = 12
"""Most tool calls or findings that a failure lists."""
MOST_READ = 16 * 1024 * 1024
"""Largest file, in bytes, that is searched for text."""
_PIECE = 1024 * 1024
"""Bytes that are hashed at a time."""
_ALLOWED = {"none": (Severity.INFO,), "warning": (Severity.INFO, Severity.WARNING)}


class NoFileError(Exception):
    """A file can't be read; the message says why."""


@dataclass(frozen=True)
class ScriptFailure:
    """A failed expectation: the script's `line`, and what was found instead (`there`)."""

    line: int
    words: str
    there: tuple[str, ...] = ()


@dataclass
class StepEvents:
    """What happened in a step, or in all of them."""

    folder: Path | None
    """The session's folder; None if it isn't on this machine."""
    before: Mapping[str, str | NoFileError | None]
    """The hashes of files before the step, by their paths in the script; None for a missing file."""
    text: str = ""
    tool_calls: list[ToolCall] = field(default_factory=list)
    stop: str | None = None
    error: str | None = None
    findings: list[Finding] = field(default_factory=list)
    """Findings, including notes."""


def find_failures(expected: Sequence[Expectation], seen: StepEvents) -> list[ScriptFailure]:
    """Return the failed expectations, in the order of the script. Reads files: call it off the
    event loop.
    """
    return [one for expectation in expected for one in _failures(expectation, seen)]


def _failures(expected: Expectation, seen: StepEvents) -> Iterator[ScriptFailure]:
    match expected:
        case TextExpected(words=words):
            yield from _check_text(words, "the text", seen.text)
        case EndExpected():
            yield from _check_end(expected, seen)
        case ToolsExpected():
            yield from _check_tools(expected, seen)
        case FileExpected():
            yield from _check_file(expected, seen)
        case FindingsExpected():
            yield from _check_findings(expected, seen)


def _check_text(words: Words, what: str, text: str) -> Iterator[ScriptFailure]:
    wrong = [f"{what} doesn't contain {one!r}" for one in words.contains if one not in text]
    wrong += [
        f"nothing in {what} matches /{one.pattern}/"
        for one in words.matches
        if not one.search(text)
    ]
    wrong += [f"{what} contains {one!r}" for one in words.lacks if one in text]
    for one in wrong:
        yield ScriptFailure(words.line, one, _quote(text))


def _check_end(expected: EndExpected, seen: StepEvents) -> Iterator[ScriptFailure]:
    ended = f"an error: {seen.error}" if seen.error is not None else f"{seen.stop}"
    if expected.stop is not None and (seen.error is not None or seen.stop != expected.stop):
        yield ScriptFailure(expected.line, f"the turn doesn't end with {expected.stop}", (ended,))
    if expected.error is not None and (seen.error is None or expected.error not in seen.error):
        words = f"the agent doesn't answer with an error that has {expected.error!r}"
        yield ScriptFailure(expected.line, words, (ended,))


def _check_tools(expected: ToolsExpected, seen: StepEvents) -> Iterator[ScriptFailure]:
    found = [one for one in seen.tool_calls if _matches(one, expected)]
    if len(found) >= expected.least and (expected.most is None or len(found) <= expected.most):
        return
    facts = {"kind": expected.kind, "title": expected.title, "status": expected.status}
    described = ", ".join(f"{name} {value!r}" for name, value in facts.items() if value is not None)
    calls = counted(len(found), "tool call") + (f" with {described}" if described else "")
    listed = [str(one) for one in seen.tool_calls[:_LISTED]]
    more = len(seen.tool_calls) - len(listed)
    there = [*listed, *([f"and {more} more"] if more else [])] or ["there is no tool call"]
    yield ScriptFailure(expected.line, f"{calls}, not {_format_range(expected)}", tuple(there))


def _matches(call: ToolCall, expected: ToolsExpected) -> bool:
    return (
        expected.kind in (None, call.kind)
        and expected.status in (None, call.status)
        and (expected.title is None or is_like(call.title, expected.title))
    )


def _format_range(expected: ToolsExpected) -> str:
    if expected.least == expected.most:
        return str(expected.least)
    least = f"at least {expected.least}" if expected.least else ""
    most = f"at most {expected.most}" if expected.most is not None else ""
    return " and ".join(filter(None, (least, most)))


def _check_file(expected: FileExpected, seen: StepEvents) -> Iterator[ScriptFailure]:
    name = expected.path
    if seen.folder is None:
        yield ScriptFailure(
            expected.line, f"{name} can't be looked at", ("the agent's files aren't here",)
        )
        return
    path = seen.folder / name
    try:
        now = _hash_file(path)
        if not expected.exists:
            if now is not None:
                yield ScriptFailure(expected.line, f"{name} exists", _quote(_read_text(path)))
            return
        before = seen.before.get(name)
        if expected.unchanged and now != before:
            there = _describe_change(before, now, path)
            yield ScriptFailure(expected.line, f"{name} is not what it was before", there)
        if now is None:
            if not expected.unchanged:
                yield ScriptFailure(expected.line, f"there is no {name}", (f"in {seen.folder}",))
            return
        if expected.sha256 not in (None, now):
            there = (f"it is {now}", *_quote(_read_text(path)))
            yield ScriptFailure(
                expected.line, f"the SHA-256 of {name} is not {expected.sha256}", there
            )
        if expected.words is not None:
            yield from _check_text(expected.words, name, _read_text(path))
    except NoFileError as error:
        yield ScriptFailure(expected.line, f"{name} can't be looked at", (str(error),))


def _describe_change(
    before: str | NoFileError | None, now: str | None, path: Path
) -> tuple[str, ...]:
    if now is None:
        return ("it is gone",)
    if before is None:
        return ("it is new:", *_quote(_read_text(path)))
    if isinstance(before, NoFileError):
        return (f"before, it could not be looked at: {before}",)
    return ("it is now:", *_quote(_read_text(path)))


def _check_findings(expected: FindingsExpected, seen: StepEvents) -> Iterator[ScriptFailure]:
    listed = tuple(
        f"{one.severity} {one.rule.id}: {one.message}" for one in seen.findings[:_LISTED]
    )
    for rule in expected.rules:
        if all(one.rule.id != rule for one in seen.findings):
            words = f"the rule {rule} was not broken"
            yield ScriptFailure(expected.line, words, listed or ("no rule was",))
    for rule in expected.lacks:
        if broken := [one for one in seen.findings if one.rule.id == rule]:
            yield ScriptFailure(
                expected.line,
                f"the rule {rule} was broken",
                tuple(f"{one.message}" for one in broken[:_LISTED]),
            )
    if expected.worst is not None:
        worse = [one for one in seen.findings if one.severity not in _ALLOWED[expected.worst]]
        if worse:
            there = tuple(f"{one.severity} {one.rule.id}: {one.message}" for one in worse[:_LISTED])
            words = f"{counted(len(worse), 'finding')} worse than {expected.worst!r} allows"
            yield ScriptFailure(expected.line, words, there)


def _quote(text: str) -> tuple[str, ...]:
    """Return the lines of a text to quote: the beginning and the end, if it is long."""
    if not text:
        return ("it is empty",)
    if len(text) <= _QUOTED:
        return tuple(text.splitlines())
    half = _QUOTED // 2
    left_out = f"⋯ {len(text) - 2 * half:,} characters ⋯"
    return (*text[:half].splitlines(), left_out, *text[-half:].splitlines())


def file_fingerprints(
    expected: Sequence[Expectation], folder: Path | None
) -> dict[str, str | NoFileError | None]:
    """Return the hashes of the files that a step must not change. Reads files: call it off the
    event loop.
    """
    found: dict[str, str | NoFileError | None] = {}
    for one in expected:
        if folder is not None and isinstance(one, FileExpected) and one.unchanged:
            try:
                found[one.path] = _hash_file(folder / one.path)
            except NoFileError as error:
                found[one.path] = error
    return found


def _hash_file(path: Path) -> str | None:
    """Return a file's SHA-256; None if it doesn't exist. Raises NoFileError if it can't be read."""
    if not os.path.lexists(path):
        return None
    digest = hashlib.sha256()
    try:
        with _open_file(path) as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
    except OSError as error:
        raise NoFileError(error.strerror or str(error)) from None
    return digest.hexdigest()


def _read_text(path: Path) -> str:
    """Return a file's text. Raises NoFileError."""
    try:
        with _open_file(path) as file:
            data = file.read(MOST_READ + 1)
    except OSError as error:
        raise NoFileError(error.strerror or str(error)) from None
    if len(data) > MOST_READ:
        raise NoFileError(f"it is larger than {MOST_READ // 2**20} MiB: expect its sha256 instead")
    return data.decode("utf-8", "replace")


def _open_file(path: Path) -> BinaryIO:
    """Open a regular file, as a FIFO or a device could block forever. Raises NoFileError or
    OSError.
    """
    descriptor = os.open(
        path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NoFileError("it is no file" if not path.is_dir() else "it is a folder")
    return os.fdopen(descriptor, "rb")
