"""`acp-tui stats`: print statistics of one recording, or of thousands."""

import argparse
import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.export import find_recordings
from acp_tui.cli.options.values import parse_age
from acp_tui.cli.output import finish_command, out, print_error
from acp_tui.cli.table import fit_cells
from acp_tui.config.paths import archive_file, recordings_folder
from acp_tui.debug.log import percentile
from acp_tui.formatting import counted, duration, exact_duration, narrow_size
from acp_tui.recordings.recorded_numbers import COUNTERS, DURATIONS, HEADS, RATE, SHARES, Numbers
from acp_tui.recordings.recording import RecordingError
from acp_tui.store.recordings import recordings_in
from acp_tui.text import clean_line

if TYPE_CHECKING:
    from acp_tui.index.index import Index

_NAME, _COUNT, _SPAN = 42, 8, 10
_MOST_LISTED = 40
"""Most findings, messages and table rows that are listed."""
_EPILOG = """\
A folder means all recordings in it; without FILE it is acp-tui's own folder, and the index of acp-tui find
has the numbers: a recording is read again only if its size or time has changed.

  acp-tui stats 1                the last run
  acp-tui stats --since 7d       everything recorded here in a week
  acp-tui stats DIR --json       for programs

exit codes: 0; 2 usage, or nothing that can be read"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.description = (
        "Show statistics of recordings: latencies, time to the first chunk, chunks a second,\n"
        "tools, permissions, tokens, findings."
    )
    parser.epilog = _EPILOG
    parser.add_argument(
        "recording",
        metavar="FILE",
        nargs="*",
        help="a file or a folder; or from the list of acp-tui log a number, a name, or its beginning",
    )
    parser.add_argument(
        "--since",
        metavar="TIME",
        type=parse_age,
        help="only what was written in the last 30m, 12h, 7d or 2w",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def execute(options: argparse.Namespace) -> int:
    """Print the statistics."""
    names = " ".join(options.recording) or "recordings"
    return finish_command("stats", names, lambda: _print_stats(options))


def print_numbers(files: Sequence[Path], *, as_json: bool = False) -> int:
    """Read recordings, and print their statistics."""
    from acp_tui.index.index import Index

    with Index.in_memory() as index:
        for path in files:
            if not path.exists():
                print_error(f"{path}: No such file or directory; left out", "stats")
        index.update([*files])
        return _print_index(index, as_json=as_json)


def _print_index(index: "Index", *, as_json: bool, since: float = 0.0) -> int:
    """Print the statistics of an index."""
    from acp_tui.index.numbers import number_parts

    for path, why in index.unreadable(since):
        print_error(f"{path}: {why}; left out", "stats")
    found = next((one for _, one in number_parts(index.database, since=since)), Numbers())
    if not found.sums["recordings"]:
        raise RecordingError("no recording could be read: acp-tui log lists those that are there")
    if as_json:
        out(json.dumps(_make_object(found)))
        return 0
    for line in stats_text(found):
        out(line)
    return 0


def stats_text(found: Numbers) -> Iterator[str]:
    """Format the statistics as lines."""
    sums = found.sums
    told = (
        counted(sums["recordings"], "recording"),
        counted(sums["turns"], "turn"),
        duration(sums["seconds"]),
    )
    yield ", ".join(told)
    for name, way in (("to the agent", "out"), ("from the agent", "in")):
        size = narrow_size(sums[f"bytes {way}"])
        yield f"{sums[f'frames {way}']:,} frames {name}, {size} bytes"
    yield f"{sums['unanswered']:,} requests without an answer, {sums['orphans']:,} orphan answers"
    yield f"agents: {_format_list(found.agents)}"
    if found.tokens:
        yield "tokens: " + ", ".join(f"{count:,} {name}" for name, count in found.tokens.items())
    if found.models:
        yield f"tokens by model: {_format_list(found.models)}"
    if found.subagent_tokens:
        yield f"tokens of subagents: {_format_list(found.subagent_tokens)}"
    if found.quota:
        most = ", ".join(f"{max(used):.0f}% of the {name}" for name, used in found.quota.items())
        yield f"quota, at most: {clean_line(most)}"
    if found.outcomes:
        yield f"permissions: {_format_list(found.outcomes)}"
    spans = {name: one for name, one in found.spans.items() if name != RATE}
    yield from _format_table("answered", found.answers)
    yield from _format_table("", spans)
    yield from _format_table("subagents", found.subagents)
    yield from _format_table("tools", {found.tool(name): one for name, one in found.tools.items()})
    if RATE in found.spans:
        yield ""
        rates = (
            f"{head} {value:,.0f}"
            for head, value in zip(HEADS, _find_percentiles(found.spans[RATE]), strict=True)
        )
        yield f"{RATE}: {', '.join(rates)}"
    yield from _format_counts("findings, and whose", found.findings)
    yield from _format_counts("messages", found.messages)


def _format_table(title: str, durations: dict[str, list[float]]) -> Iterator[str]:
    if not durations:
        return
    yield ""
    heads = "".join(f"{head:>{_SPAN}}" for head in HEADS)
    yield f"{title:<{_NAME}}{'count':>{_COUNT}}{heads}"
    ordered = sorted(durations.items(), key=lambda one: -max(one[1]))
    for name, values in ordered[:_MOST_LISTED]:
        spans = "".join(f"{exact_duration(one):>{_SPAN}}" for one in _find_percentiles(values))
        yield f"{fit_cells(clean_line(name), _NAME)}{len(values):>{_COUNT},}{spans}"
    yield from _count_rest(len(ordered))


def _find_percentiles(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    return [percentile(ordered, share) for share in SHARES]


def _format_counts(title: str, counts: dict[str, int]) -> Iterator[str]:
    if not counts:
        return
    yield ""
    yield title
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    for name, count in ordered[:_MOST_LISTED]:
        yield f"{count:>{_COUNT},} {clean_line(name)}"
    yield from _count_rest(len(ordered))


def _count_rest(count: int) -> Iterator[str]:
    if count > _MOST_LISTED:
        yield f"{'':>{_COUNT}} and {count - _MOST_LISTED:,} more: --json lists them"


def _format_list(counts: dict[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    words = [f"{clean_line(name)} ({count:,})" for name, count in ordered[:_MOST_LISTED]]
    return ", ".join([*words, *(["..."] if len(ordered) > _MOST_LISTED else [])])


def _make_object(found: Numbers) -> dict[str, object]:
    """Return the statistics as a JSON object, with percentiles instead of all durations."""
    plain: dict[str, object] = {name: dict(getattr(found, name)) for name in COUNTERS}
    for name in DURATIONS:
        plain[name] = {
            key: {"count": len(one)} | dict(zip(HEADS, _find_percentiles(one), strict=True))
            for key, one in getattr(found, name).items()
        }
    return plain


def _print_stats(options: argparse.Namespace) -> int:
    oldest = 0.0 if options.since is None else time.time() - options.since
    if not options.recording:
        return _print_all_stats(oldest, as_json=options.json)
    files = list(find_recordings(options.recording))
    if options.since is not None:
        files = [one for one in files if one.exists() and one.stat().st_mtime >= oldest]
        if not files:
            raise RecordingError("nothing was recorded since then")
    return print_numbers(files, as_json=options.json)


def _print_all_stats(since: float, *, as_json: bool) -> int:
    """Update the index, and print the statistics of all recordings."""
    from acp_tui.index.index import Index

    file = archive_file()
    try:
        with Index.open(file) as index:
            index.update(recordings_in(recordings_folder()))
            return _print_index(index, as_json=as_json, since=since)
    except sqlite3.Error as error:
        words = f"{str(file)!r}: {error}; acp-tui find --forget removes the index"
        raise RecordingError(words) from None
