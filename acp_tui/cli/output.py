"""Prints the output and errors of commands, colored on a terminal."""

import argparse
import os
import select
import shutil
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, TextIO

from acp_tui.text import clean_line, clean_text

USAGE = 2


class Style(StrEnum):
    """Terminal styles of highlighted words."""

    BOLD = "1"
    FAINT = "2"
    BAD = "31"
    GOOD = "32"
    DOUBTFUL = "33"
    NAME = "36"


class Painted(NamedTuple):
    """Highlighted text; it makes sense without colors, too."""

    text: str
    style: Style


def add_recording(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add the argument that names a recording, or `several` recordings."""
    parser.add_argument(
        "recording",
        metavar="RECORDING",
        nargs="+" if several else None,
        help="a file; or from the list of acp-tui log a number, a name, or the beginning of one",
    )


def finish_command(name: str, recording: str, work: Callable[[], int]) -> int:
    """Run the work of `acp-tui NAME`; report an unusable recording, setting or file; return the
    exit code.
    """
    from acp_tui.config.toml_files import ConfigError
    from acp_tui.recordings.recording import RecordingError

    try:
        code = work()
        sys.stdout.flush()  # while a failure can still be reported
        return code
    except RecordingError as error:
        print_error(f"{recording}: {error}", name)
    except ConfigError as error:
        print_error(str(error), name)
    except BrokenPipeError:
        raise  # `main.run` handles it
    except OSError as error:
        # no file name: the error is about an open file, such as stdout
        where = "" if error.filename is None else f"{error.filename}: "
        print_error(f"{where}{error.strerror or error}", name)
        if not where:
            _drop_output(sys.stdout)
    return USAGE


def discard_unread_output() -> bool:
    """Discard further output to a closed pipe; return whether there was one."""
    gone = [one for one in (sys.stdout, sys.stderr) if _has_no_reader(one)]
    for one in gone:
        _drop_output(one)
    return bool(gone)


def _has_no_reader(stream: TextIO) -> bool:
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(stream.fileno(), 0)
    return bool(poll.poll(0))  # an event mask of 0 reports errors and hang-ups only


def _drop_output(stream: TextIO) -> None:
    """Discard further output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def has_colors(to: TextIO) -> bool:
    """Return whether output may be colored: it is a terminal, and colors aren't turned off."""
    return to.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def out(*parts: str | Painted) -> None:
    """Print one line to stdout, made safe to show."""
    colored = has_colors(sys.stdout)
    sys.stdout.write("".join(_format_part(part, colored) for part in parts).rstrip(" ") + "\n")


def _format_part(part: str | Painted, colored: bool) -> str:
    if isinstance(part, str):
        return clean_line(part)
    text = clean_line(part.text)
    return f"\x1b[{part.style}m{text}\x1b[0m" if colored else text


def out_data(text: str) -> None:
    """Print text for programs to stdout unchanged; on a terminal, made safe to show."""
    if sys.stdout.isatty():
        text = clean_text(text)
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))


def show_progress(words: str = "") -> None:
    """Show progress on stderr, if it is a terminal; without words, clear that line."""
    if sys.stderr.isatty():
        room = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r\x1b[K{words[:room]}")
        sys.stderr.flush()


def is_report(path: Path, begins: str) -> bool:
    """Return whether a file is empty or begins like our reports, so that a new report may replace
    it.
    """
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(begins.encode())) in (b"", begins.encode())


def print_error(words: str, command: str = "") -> None:
    """Print an error of one or more lines to stderr."""
    lines = "\n".join(clean_line(line) for line in words.splitlines())
    sys.stderr.write(f"acp-tui{' ' if command else ''}{command}: {lines}\n")
