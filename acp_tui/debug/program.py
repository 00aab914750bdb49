"""What `acp-tui log`, `replay`, `export` and `policy` share: how they read arguments, speak and end."""

import argparse
import os
import sys
from collections.abc import Callable

from acp_tui.config.errors import ConfigError
from acp_tui.text import clean, clean_line
from acp_tui.wire.recording import RecordingError

USAGE = 2


def parser(name: str, description: str, epilog: str | None = None) -> argparse.ArgumentParser:
    """The parser of `acp-tui NAME`."""
    return argparse.ArgumentParser(
        f"acp-tui {name}",
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_recording(parser: argparse.ArgumentParser) -> None:
    """The argument that names what is read."""
    parser.add_argument(
        "recording",
        metavar="RECORDING",
        help="a file, or of the list of acp-tui log a number, a name or how it begins",
    )


def finish(name: str, recording: str, work: Callable[[], int]) -> int:
    """Do the work of `acp-tui NAME`; the exit code. What can't be used is told in words."""
    try:
        return work()
    except RecordingError as error:
        complain(name, f"{recording}: {error}")
    except ConfigError as error:
        complain(name, str(error))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # `| head` has enough
        return 0
    except OSError as error:
        complain(name, f"{error.filename}: {error.strerror}")
    return USAGE


def out(line: str) -> None:
    """One line on stdout, made safe to show."""
    sys.stdout.write(clean_line(line) + "\n")


def out_data(text: str) -> None:
    """Write text for programs to stdout as it is; made safe to show where that is a terminal."""
    if sys.stdout.isatty():
        text = clean(text)
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))


def complain(name: str, words: str) -> None:
    """Tell the person on stderr, on one line or several."""
    lines = "\n".join(clean_line(line) for line in words.splitlines())
    sys.stderr.write(f"acp-tui {name}: {lines}\n")
