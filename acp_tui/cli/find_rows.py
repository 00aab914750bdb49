"""What was found, for a terminal: a head for each recording, and a row for each passage."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby

from acp_tui.cli.output import Painted, Style
from acp_tui.cli.table import fit
from acp_tui.index.search import MARKS, Hit
from acp_tui.text import clean_line

_KIND = 8
_BEFORE = 3
"""The share of a row that may stand before what was found: a third."""


def rows(hits: Sequence[Hit], width: int) -> Iterator[list[str | Painted]]:
    """Put passages of one recording that follow each other under its head, which has the command that opens
    the first. Other rows are no longer than `width`.
    """
    wide = max((len(hit.moment) for hit in hits), default=0)
    for _, group in groupby(hits, key=lambda one: one.recording):
        passages = list(group)
        yield from _head(passages[0], width)
        for one in passages:
            yield _passage(one, wide, width)


def _head(hit: Hit, width: int) -> Iterator[list[str | Painted]]:
    begun = datetime.fromtimestamp(hit.at - hit.since).astimezone()
    facts = [f"{begun:%Y-%m-%d %H:%M}", f"{hit.called} in {hit.cwd}", hit.cost]
    words = " · ".join(clean_line(one) for one in facts if one)
    yield [Painted(fit(words, width).rstrip(), Style.NAME)]
    yield [Painted(f"acp-tui replay {hit.recording.stem} --at '{hit.moment}'", Style.FAINT)]


def _passage(hit: Hit, wide: int, width: int) -> list[str | Painted]:
    before = f"  {hit.moment:<{wide}}  {hit.kind:<{_KIND}} "
    return [before, *_excerpt(hit, width - len(before))]


def _excerpt(hit: Hit, room: int) -> Iterator[str | Painted]:
    """Yield as much of the excerpt as there is room for, and what was found in it."""
    excerpt = " ".join(hit.excerpt.split()).replace(MARKS[1], MARKS[0])
    pieces = [clean_line(piece) for piece in excerpt.split(MARKS[0])]
    most = max(1, room // _BEFORE)
    if len(pieces) > 1 and len(pieces[0]) > most:
        pieces[0] = f"…{pieces[0][-most:]}"
    left = fit("".join(pieces), room).rstrip()
    for at, piece in enumerate(pieces):
        own, left = left[: len(piece)], left[len(piece) :]
        yield Painted(own, Style.BOLD) if at % 2 else own
