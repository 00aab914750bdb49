"""`acp-tui script --cast`: the script played in the UI, and its screen recorded."""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from acp_tui.cli.output import complain

if TYPE_CHECKING:
    from acp_tui.script.cast.asciicast import Take
    from acp_tui.script.cast.following import Following
    from acp_tui.script.model import Script
    from acp_tui.script.playing import Played, Result

_AGG = "agg"
_LARGEST = 500
_SIZE = (100, 30)
_OWN = ("--auth", "--cast", "--gif", "--size", "--junit", "--format", "--record", "--no-record")
"""Options that the UI doesn't get: it has none of these, or another recording."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("recording of the screen")
    group.add_argument(
        "--cast",
        metavar="FILE",
        type=Path,
        help="play it in the UI, and record the screen as an asciicast",
    )
    group.add_argument("--gif", metavar="FILE", type=Path, help="... and as a GIF (needs agg)")
    group.add_argument(
        "--size",
        metavar="COLUMNSxROWS",
        type=_size,
        help="of the screen (default: 100x30)",
    )


def _size(text: str) -> tuple[int, int]:
    columns, _, rows = text.partition("x")
    if not (columns.isdecimal() and rows.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is no size, such as 100x30")
    size = int(columns), int(rows)
    if not (20 <= size[0] <= _LARGEST and 8 <= size[1] <= _LARGEST):
        raise argparse.ArgumentTypeError(f"from 20x8 to {_LARGEST}x{_LARGEST}, not {text}")
    return size


def check(options: argparse.Namespace) -> None:
    """End the program for what can't be recorded, or before a file of another kind is lost."""
    error = options.parser.error
    if options.record is not None and options.record.exists():
        error(f"--record: {options.record} exists: with --cast a new file is wanted")
    if options.cast is not None and not _is_cast(options.cast):
        error(f"--cast: {options.cast} exists, and is no asciicast")
    if options.gif is not None:
        if shutil.which(_AGG) is None:
            error(
                f"--gif needs {_AGG}, asciinema's GIF generator, on PATH: "
                "https://github.com/asciinema/agg; --cast needs nothing"
            )
        if options.gif.exists() and not _begins(options.gif, b"GIF8"):
            error(f"--gif: {options.gif} exists, and is no GIF")


def _begins(path: Path, data: bytes) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        first = file.read(len(data))
    return first in (data, b"")


def _is_cast(path: Path) -> bool:
    """Whether there is nothing to lose: no file, an empty one, or a cast."""
    if not path.exists():
        return True
    if not path.is_file():
        return False
    with path.open("rb") as file:
        first = file.readline(64 * 1024)
    try:
        header = json.loads(first or b'{"version": 2, "width": 0}')
    except ValueError:
        return False
    return isinstance(header, dict) and header.get("version") == 2 and "width" in header


def play(
    script: "Script", options: argparse.Namespace, tell: "Callable[[Result], None]"
) -> "tuple[Played, Path | None]":
    """Play the script in the UI and write what was shown; return also where it was recorded."""
    from acp_tui.config.paths import recordings_folder
    from acp_tui.config.private_files import make_folder
    from acp_tui.script.cast.driving import Driver
    from acp_tui.script.cast.following import Following
    from acp_tui.script.cast.window import Size, Window

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with TemporaryDirectory(prefix="acp-tui-cast-") as folder:
        keeps = options.record or not options.no_record
        record = options.record
        if record is None and keeps:
            make_folder(recordings_folder())
            name = f"{time.strftime('%Y%m%d-%H%M%S')}-cast-{os.getpid()}.jsonl"
            record = recordings_folder() / name
        elif record is None:
            record = Path(folder) / "cast.jsonl"
        following = Following(record)
        size = Size(*(options.size or _SIZE))
        window = Window(_command(options, record), size)
        driver = Driver(script, window, following, tell, options.auth)
        try:
            driver.play()
        except KeyboardInterrupt:
            driver.interrupt()
        finally:
            end = len(window.written)
            window.close()
            following.catch_up()
        if driver.start:
            from acp_tui.script.cast.asciicast import Take

            take = Take(size, window.written[:end], driver.start, driver.markers)
            _write(take, script, following, options, Path(folder))
        following.close()
        return driver.played, record if keeps else None


def _command(options: argparse.Namespace, record: Path) -> list[str]:
    """Return the UI's command, with the options that are the agent's."""
    from acp_tui.config.programs import PROGRAM

    given = list(options.given)
    given.remove(str(options.script))
    rest: list[str] = []
    while given:
        one = given.pop(0)
        name, _, value = one.partition("=")
        if name not in _OWN:
            rest.append(one)
        elif not value and name != "--no-record":
            del given[:1]
    agent = ["--", *options.agent_command] if options.agent_command else []
    return [*PROGRAM, *rest, "--record", str(record), *agent]


def _write(
    take: "Take",
    script: "Script",
    following: "Following",
    options: argparse.Namespace,
    folder: Path,
) -> None:
    """Write the cast, and the picture that is made of it. Ends the program if a secret could be read."""
    from acp_tui.config.private_files import write_whole
    from acp_tui.log_files import open_log
    from acp_tui.script.cast.asciicast import IDLE, Marker, UnmaskedError
    from acp_tui.script.cast.secrets import Finder, secrets_of
    from acp_tui.wire.report.redaction import Redactor

    opened = open_log(following.path)
    redactor = Redactor()
    take.markers = [
        Marker(at, redactor.text(label, "label"), redactor.text(caption, "caption"))
        for at, label, caption in take.markers
    ]
    texts = [words for one in script.steps for words in (one.prompt, one.caption)]
    texts += [str(one.fill) for step in script.steps for one in step.answers if one.fill]
    texts += [words for one in following.turns for words in (one.text, one.thoughts)]
    finder = Finder(secrets_of(opened.records, opened.facts, texts))
    header = {
        "timestamp": int(time.time()),
        "idle_time_limit": IDLE,
        "title": redactor.text(script.name, "title"),
        "env": {"TERM": "xterm-256color"},
    }
    try:
        text = take.cast(header, finder)
    except UnmaskedError:
        complain("a secret could still be read on the screen: no cast was written", "script")
        raise SystemExit(1) from None
    path = options.cast.absolute() if options.cast is not None else folder / "out.cast"
    write_whole(path, text)
    if options.gif is not None:
        made = subprocess.run([_AGG, str(path), str(options.gif)], stdout=sys.stderr, check=False)
        if made.returncode:
            complain(f"--gif: {_AGG} failed with exit code {made.returncode}", "script")
            raise SystemExit(1)
