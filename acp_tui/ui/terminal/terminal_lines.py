"""A terminal as lines: the command, its output, and its end (ACP: Terminals)."""

import codecs
from collections.abc import Iterator
from time import perf_counter

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from acp_tui.formatting import counted, with_duration
from acp_tui.state.input_parts import command_line
from acp_tui.state.state import Terminal
from acp_tui.text import clean_line, reveal_escapes
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.lines.text_lines import StyledSpan, crop_spans, draw_spans, wrapped_rows
from acp_tui.ui.terminal.screen import MOST_UNREAD, Line, TerminalScreen
from acp_tui.ui.terminal.stream import TerminalStream

PIECE = 16 * 1024
"""Bytes decoded at a time."""
STATE_CELLS = 40
"""Cells that the row above may need beside a command."""
HEAD_ROWS = 3
"""Most rows of a long command, unless everything is shown."""


class TerminalLines:
    """A terminal: its last `tail` lines of output, or all that is kept if that is None.

    Unless everything is shown, its folder is left out if it is `cwd`.
    """

    def __init__(
        self, terminal: Terminal, *, tail: int | None = 10, cwd: str | None = None
    ) -> None:
        self._terminal = terminal
        self._cwd = cwd
        self._above = ""
        self._is_success_shown = False
        self._tail = tail
        self._width = 0
        self._head: list[list[StyledSpan]] = []
        self._screen = TerminalScreen(80)
        self._rows: list[Line] = []
        self._foot: list[list[StyledSpan]] = []
        self._start_playing()

    def omit_shown_above(self, words: str, is_success_shown: bool) -> None:
        """Leave out the command and success that the row above shows, unless all is shown."""
        self._above, self._is_success_shown = words, is_success_shown

    def _start_playing(self) -> None:
        """Start playing all output from the beginning, as for another width."""
        size = self._terminal.size
        self._shape = self._terminal.version, size
        columns = size[0] if size is not None else self._width
        self._screen = TerminalScreen(max(2, min(columns, self._width)))
        self._stream = TerminalStream(self._screen)
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._skipped = self._read_to = self._terminal.dropped
        self._has_started = False
        self._unread = bytearray()
        self._playing: Iterator[None] = iter(())

    @property
    def height(self) -> int:
        return len(self._head) + len(self._rows) + len(self._foot)

    def lay_out(self, width: int, until: float) -> bool:
        shape = self._terminal.version, self._terminal.size
        if width != self._width or shape != self._shape:
            self._width = width
            self._start_playing()
        self._read_output()
        done = self._play_output(until)
        self._collect_rows()
        return done

    def _read_output(self) -> None:
        """Queue new output for playing; if there is too much, start over with its last part."""
        terminal = self._terminal
        end = terminal.dropped + terminal.stored_bytes
        is_cut = end - self._read_to > terminal.stored_bytes
        if is_cut or end - self._read_to + len(self._unread) > MOST_UNREAD:
            self._start_playing()
            self._skipped = self._read_to = end - min(MOST_UNREAD, terminal.stored_bytes)
        if end == self._read_to:
            return
        self._unread += _last(terminal, end - self._read_to)
        self._read_to = end
        if self._skipped and not self._has_started:
            # Skip to the next line, so that a cut escape sequence isn't taken for text.
            end = self._unread.find(b"\n", 0, PIECE) + 1
            del self._unread[:end]
            self._skipped += end
        self._has_started = True

    def _play_output(self, until: float) -> bool:
        while True:
            for _ in self._playing:
                if perf_counter() > until:
                    return False
            piece = bytes(self._unread[:PIECE])
            del self._unread[:PIECE]
            last = not self._unread and self._terminal.ended is not None
            text = self._decoder.decode(piece, final=last)
            if not text and not self._unread:
                if last:
                    self._stream.finish()
                return True
            self._playing = self._stream.play(text)

    def _collect_rows(self) -> None:
        """Collect the rows: the command, the last rows of its output, and its end."""
        self._head = self._command()
        output = [*self._screen.scrollback, *self._screen.rows()]
        missing = _describe_missing(self._skipped, self._screen.lost)
        if self._tail is not None and len(output) > self._tail + 1:
            which = "are kept (Enter shows them)" if missing else "(Enter shows all)"
            hint = f"… {len(output) - self._tail:,} earlier lines {which}"
            self._head.append([StyledSpan(hint[: self._width], "muted", {"toggle": True})])
            output = output[-self._tail :] if self._tail else []
        elif missing:
            self._head.append([StyledSpan(missing[: self._width], "muted")])
        self._rows = output
        self._foot = self._draw_end()

    def _command(self) -> list[list[StyledSpan]]:
        terminal = self._terminal
        command = command_line(terminal)
        name = f"terminal {terminal.named}" if terminal.named else ""
        heading = f"$ {command}" if command or not terminal.display else name
        if terminal.by_person:
            heading = f"You ran: {command}"
        lines = self._wrapped(heading, "strong") if heading and not self._is_above(command) else []
        if terminal.cwd is not None and (self._tail is None or terminal.cwd != self._cwd):
            lines += self._wrapped(f"  in {terminal.cwd}", "muted")
        return lines

    def _is_above(self, command: str) -> bool:
        """Return whether the row above shows the whole command, and nothing else."""
        fits = cell_len(self._above) + STATE_CELLS <= self._width
        is_shown = bool(command) and self._above.strip("`") == command
        return self._tail is not None and is_shown and fits

    def _wrapped(self, text: str, style: str) -> list[list[StyledSpan]]:
        text = clean_line(reveal_escapes(text))
        wrapped: list[list[StyledSpan]] = []
        last = 0
        for start, end in wrapped_rows(text, max(1, self._width)):
            if self._tail is not None and len(wrapped) == HEAD_ROWS:
                wrapped[-1] = crop_spans([StyledSpan(text[last:end], style)], self._width)
                break
            wrapped.append([StyledSpan(text[start:end], style)])
            last = start
        return wrapped

    def _draw_end(self) -> list[list[StyledSpan]]:
        terminal = self._terminal
        if terminal.ended is None:
            return []
        if terminal.signal is not None:
            mark, text, style = "✗", f"killed by {clean_line(terminal.signal)}", "error"
        elif terminal.exit_code == 0:
            if self._is_success_shown and self._tail is not None:
                return []
            mark, text, style = "✓", "exit 0", "success"
        elif terminal.exit_code is not None:
            mark, text, style = "✗", f"exit {terminal.exit_code}", "error"
        else:
            mark, text, style = "•", "ended", "muted"
        time = with_duration(" ", terminal.ended - terminal.at)
        return [[StyledSpan(f"{mark} {text}", style), StyledSpan(time, "muted")]]

    def strip(self, y: int, palette: Palette) -> Strip:
        at = y - len(self._head)
        if at < 0:
            strip = draw_spans(self._head[y], palette)
        elif at < len(self._rows):
            base = palette["text"]
            strip = Strip([Segment(text, base + style) for text, style in self._rows[at]])
        else:
            strip = draw_spans(self._foot[at - len(self._rows)], palette)
        return strip if strip.cell_length <= self._width else strip.crop(0, self._width)

    def is_client_note(self, y: int) -> bool:
        """Return whether row `y` is ours, the command or its end, and not output."""
        return not 0 <= y - len(self._head) < len(self._rows)

    def plain(self, y: int) -> str:
        at = y - len(self._head)
        if at < 0:
            return "".join(span.text for span in self._head[y])
        if at < len(self._rows):
            return "".join(text for text, _ in self._rows[at])
        return "".join(span.text for span in self._foot[at - len(self._rows)])

    def source(self, first: int, last: int) -> str:
        return "\n".join(self.plain(y) for y in range(first, min(last + 1, self.height)))


def _last(terminal: Terminal, size: int) -> bytes:
    """Return the last `size` bytes of the terminal's output."""
    parts: list[bytes] = []
    missing = size
    for part in reversed(terminal.parts):
        if missing <= 0:
            break
        parts.append(part[-missing:])
        missing -= len(parts[-1])
    return b"".join(reversed(parts))


def _describe_missing(left_out: int, lost: int) -> str:
    """Return a note about output that isn't shown; "" if all is."""
    said = []
    if left_out:
        said.append(f"{left_out:,} bytes")
    if lost:
        said.append(counted(lost, "line"))
    return f"⋯ not shown, too much: {' and '.join(said)}" if said else ""
