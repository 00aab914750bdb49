"""Extensions from other packages (rules, log importers, tool call views), found by entry points and
loaded on demand.

One that can't be loaded, or raises, is reported by name, and switched off until the next start.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from acp_tui.state.entries import ToolCallEntry

if TYPE_CHECKING:  # importing what extensions extend takes time
    from importlib.metadata import EntryPoint

    from acp_tui.debug.lint.linter import Linter
    from acp_tui.protocol.events import Record
    from acp_tui.recordings.log_formats import Entry, Format

RULES = "acp_tui.rules"
IMPORTERS = "acp_tui.importers"
VIEWS = "acp_tui.tool_call_views"


@dataclass(frozen=True, slots=True)
class ViewContext:
    """What a view of tool calls may use: the session's folder."""

    cwd: str


class ToolCallView(Protocol):
    """An extension that formats some tool calls as lines."""

    def matches(self, entry: ToolCallEntry) -> bool:
        """Return whether the view formats this tool call."""

    def lines(self, entry: ToolCallEntry, context: ViewContext) -> "list[str | tuple[str, str]]":
        """Return the lines: texts, or pairs of a text and its style."""


@dataclass(slots=True)
class Extension:
    """A loaded extension; `name` identifies it and its package."""

    name: str
    value: Any
    is_off: bool = False


def write_to_stderr(words: str) -> None:
    """Report something when there is no screen."""
    sys.stderr.write(f"acp-tui: {words}\n")


class Extensions:
    """The extensions of this process. `report` gets a message about each that is switched off."""

    def __init__(self) -> None:
        self.report: Callable[[str], None] = write_to_stderr
        self._loaded: dict[str, list[Extension]] = {}

    def of(self, group: str) -> list[Extension]:
        """Return the extensions of a group that aren't switched off, loading them on the first
        call.
        """
        if group not in self._loaded:
            self._loaded[group] = []
            self._loaded[group] += self._load_group(group)
        return [one for one in self._loaded[group] if not one.is_off]

    def switch_off(self, extension: Extension, error: BaseException) -> None:
        """Switch an extension off, and report why."""
        if not extension.is_off:
            extension.is_off = True
            self._report_off(extension.name, error)

    def linter(self) -> "Linter":
        """Return a linter with our own rules and those of extensions."""
        from acp_tui.debug.lint.checker import ExtraChecker
        from acp_tui.debug.lint.linter import Linter

        return Linter(
            ExtraChecker(one.value, partial(self.switch_off, one)) for one in self.of(RULES)
        )

    def formats(self) -> "list[Format]":
        """Return the log formats that extensions import."""
        return [self._guarded(one) for one in self.of(IMPORTERS)]

    def view_of(self, entry: ToolCallEntry) -> Extension | None:
        """Return the extension that formats a tool call, or None."""
        for one in self.of(VIEWS):
            try:
                if one.value.matches(entry):
                    return one
            except Exception as error:
                self.switch_off(one, error)
        return None

    def _load_group(self, group: str) -> Iterator[Extension]:
        from importlib.metadata import entry_points

        for point in sorted(entry_points(group=group), key=lambda one: one.name):
            try:
                value = point.load()
                _check_value(group, value)
            except (Exception, SystemExit) as error:
                self._report_off(_name(point), error)
            else:
                yield Extension(_name(point), value)

    def _guarded(self, extension: Extension) -> "Format":
        from acp_tui.recordings.log_formats import Format
        from acp_tui.recordings.recording import RecordingError

        form: Format = extension.value

        def fits(entry: "Entry") -> bool:
            try:
                return not extension.is_off and bool(form.fits(entry))
            except Exception as error:
                self.switch_off(extension, error)
                return False

        def read(entries: "list[Entry]", around: "Entry") -> "Iterator[Record]":
            try:
                yield from form.read(entries, around)
            except RecordingError:
                raise
            except Exception as error:
                self.switch_off(extension, error)
                raise RecordingError(f"the extension {extension.name} could not read it") from error

        return Format(form.name, form.about, fits, read)

    def _report_off(self, name: str, error: BaseException) -> None:
        self.report(f"The extension {name} is switched off: {type(error).__name__}: {error}")


def _name(point: "EntryPoint") -> str:
    return f"{point.name} ({point.dist.name})" if point.dist is not None else point.name


def _check_value(group: str, value: Any) -> None:
    """Raise TypeError for a value that isn't an extension of this group."""
    from acp_tui.debug.lint.checker import Checker
    from acp_tui.recordings.log_formats import Format

    if group == RULES and not (isinstance(value, type) and issubclass(value, Checker)):
        raise TypeError("no subclass of Checker")
    if group == IMPORTERS and not isinstance(value, Format):
        raise TypeError("no Format")
    if group == VIEWS and not (
        callable(getattr(value, "matches", None)) and hasattr(value, "lines")
    ):
        raise TypeError("no object with matches and lines")


extensions = Extensions()
"""The extensions of this process."""
