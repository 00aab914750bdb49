"""`acp-tui find`: search all recordings."""

import argparse
import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from acp_tui.cli.options.values import parse_age
from acp_tui.cli.output import USAGE, Painted, Style, out, out_data, print_error, show_progress
from acp_tui.cli.repeat_commands import resume_arguments
from acp_tui.cli.table import fit_cells, terminal_width
from acp_tui.config.paths import PROGRAM, archive_file, recordings_folder
from acp_tui.index.index import Index
from acp_tui.index.search import MARKS, Hit, QueryError, find_passages, parse_query
from acp_tui.store.recordings import recordings_in
from acp_tui.text import clean_line

NOTHING = 1
"""The exit code if nothing was found."""
_EPILOG = """\
A passage matches if it has all WORDS. The last one may be incomplete; "some words" are a phrase. The kind of
a passage is prompt, message, thought, tool, command, file (a path), change (lines that a diff adds or removes,
or a file that is written), input (what a tool was given), error, stderr or finding. Files that an
agent read and results of tools aren't searched; of a passage, only the first 100,000 characters are, and of a
recording's changes and inputs the first 2,000,000.

  acp-tui find                             a screen: Enter opens the moment, Alt+R resumes the session
  acp-tui find kind:command git push       what was run
  acp-tui find kind:change brew_time       which changes had it
  acp-tui find kind:prompt agent:gemini in:~/project --since 7d

The index follows the recordings: what is deleted there is no longer found. Only you can read its file;
--forget removes it.

exit codes: 0 found; 1 nothing found; 2 usage, or an index that can't be read"""
_KIND = 8
"""Width of a passage's kind, in columns."""
_BEFORE = 3
"""Divisor of the row's width: the text before a match may take up to a third of it."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.description = "Search all recordings for what agents and you said and did."
    parser.epilog = _EPILOG
    parser.add_argument("words", metavar="WORDS", nargs="*", help="what to find; see below")
    parser.add_argument(
        "--since", metavar="AGE", type=parse_age, help="not older than 90m, 12h, 7d or 2w"
    )
    parser.add_argument("-n", metavar="N", dest="most", type=int, default=20, help="at most N (20)")
    parser.add_argument("--json", action="store_true", help="print a JSON object for each passage")
    parser.add_argument("--forget", action="store_true", help="remove the index")


def execute(options: argparse.Namespace) -> int:
    """Search and print the hits, or show the search screen."""
    file = archive_file()
    if options.forget:
        file.unlink(missing_ok=True)
        return 0
    since = time.time() - options.since if options.since else 0.0
    try:
        query = parse_query(" ".join(options.words), since=since)
    except QueryError as error:
        options.parser.error(str(error))
    if not options.words and not options.json and sys.stdin.isatty() and sys.stdout.isatty():
        return _show_screen(file, since)
    try:
        with Index.open(file) as index:
            index.update(recordings_in(recordings_folder()), _show_reading)
            hits = find_passages(index, query, options.most)
    except (OSError, sqlite3.Error) as error:
        print_error(f"{str(file)!r}: {error}; --forget removes the index", "find")
        return USAGE
    return _print_hits(hits, options)


def _show_screen(file: Path, since: float) -> int:
    """Show the search screen, and show it again after each replay that the user opened from it."""
    import anyio

    from acp_tui.cli.screen import prepare_look

    # before modules with key bindings are imported
    theme = prepare_look(argparse.Namespace(theme=None)) or ""
    from acp_tui.ui.find.app import FindApp

    written = ""
    while True:
        app = FindApp(file, recordings_folder(), written, since, theme)
        app.survives_faults = True
        chosen = anyio.run(app.run_async)
        if chosen is None:
            return app.return_code or 0
        written = chosen.written
        if chosen.resume:
            return _resume_session(chosen.hit)
        replay = ["replay", str(chosen.hit.recording), "--at", chosen.hit.moment]
        subprocess.run([*PROGRAM, *replay], check=False)


def _resume_session(hit: Hit) -> int:
    """Resume the session with the recorded agent; return the exit code."""
    if not Path(hit.cwd).is_dir():
        print_error(f"its folder is gone: {hit.cwd!r}", "find")
        return USAGE
    return subprocess.run([*PROGRAM, *resume_arguments(hit)], check=False).returncode


def _show_reading(done: int, total: int) -> None:
    if total > 1:
        show_progress("" if done == total else f"reading recordings: {done} of {total}")


def hit_rows(hits: Sequence[Hit], width: int) -> Iterator[list[str | Painted]]:
    """Yield rows: each recording's consecutive passages below a heading and the command that opens
    the first.

    Rows without a command are at most `width` cells wide.
    """
    wide = max((len(hit.moment) for hit in hits), default=0)
    for _, group in groupby(hits, key=lambda one: one.recording):
        passages = list(group)
        yield from _format_head(passages[0], width)
        for one in passages:
            before = f"  {one.moment:<{wide}}  {one.kind:<{_KIND}} "
            yield [before, *_format_excerpt(one, width - len(before))]


def _format_head(hit: Hit, width: int) -> Iterator[list[str | Painted]]:
    begun = datetime.fromtimestamp(hit.at - hit.since).astimezone()
    facts = [f"{begun:%Y-%m-%d %H:%M}", f"{hit.agent_name} in {hit.cwd}", hit.cost]
    words = " · ".join(clean_line(one) for one in facts if one)
    yield [Painted(fit_cells(words, width).rstrip(), Style.NAME)]
    yield [Painted(f"acp-tui replay {hit.recording.stem} --at '{hit.moment}'", Style.FAINT)]


def _format_excerpt(hit: Hit, room: int) -> Iterator[str | Painted]:
    """Yield the excerpt cut to `room` cells, with the matches marked."""
    excerpt = " ".join(hit.excerpt.split()).replace(MARKS[1], MARKS[0])
    pieces = [clean_line(piece) for piece in excerpt.split(MARKS[0])]
    most = max(1, room // _BEFORE)
    if len(pieces) > 1 and len(pieces[0]) > most:
        pieces[0] = f"…{pieces[0][-most:]}"
    left = fit_cells("".join(pieces), room).rstrip()
    for at, piece in enumerate(pieces):
        own, left = left[: len(piece)], left[len(piece) :]
        yield Painted(own, Style.BOLD) if at % 2 else own


def _print_hits(hits: list[Hit], options: argparse.Namespace) -> int:
    if options.json:
        for hit in hits:
            out_data(json.dumps(hit_object(hit)) + "\n")
    elif sys.stdout.isatty():
        for row in hit_rows(hits, terminal_width()):
            out(*row)
    else:
        for hit in hits:
            when = datetime.fromtimestamp(hit.at).astimezone()
            excerpt = " ".join(hit.excerpt.replace(MARKS[0], "").replace(MARKS[1], "").split())
            out(f"{when:%Y-%m-%d %H:%M}  {hit.kind:<{_KIND}} {excerpt}")
            cost = f", {hit.cost}" if hit.cost else ""
            place = f"'{hit.moment}'" if hit.frame else hit.moment
            replay = f"acp-tui replay {hit.recording.stem} --at {place}"
            out(f"    {hit.agent_name} in {hit.cwd}{cost}  {replay}")
    if not hits:
        print_error("nothing found", "find")
    return 0 if hits else NOTHING


def hit_object(hit: Hit) -> dict[str, object]:
    """Return a hit as a JSON object."""
    return {
        "recording": str(hit.recording),
        "kind": hit.kind.value,
        "text": hit.text,
        "time": datetime.fromtimestamp(hit.at, UTC).isoformat(timespec="seconds"),
        "turn": hit.turn,
        "frame": hit.frame or None,
        "session": hit.session_id or None,
        "agent": hit.agent,
        "version": hit.version,
        "command": list(hit.command),
        "folder": hit.cwd,
        "costs": hit.costs,
    }
