"""The recorders that the options ask for."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.output import USAGE, complain

if TYPE_CHECKING:
    from acp_tui.client.launch import Launch
    from acp_tui.client.recorder import Recorder


@contextmanager
def recorder(
    options: argparse.Namespace,
    launch: "Launch",
    path: Path | None,
    troubles: list[str],
    *,
    told: bool = False,
) -> "Iterator[Recorder | None]":
    """Open the recorder of a named file, or of a new one.

    If there is none, the reason is added to `troubles`. A recording that failed is reported at the
    end, unless the person was `told` already.
    """
    if options.no_record:
        yield None
        return
    from acp_tui.client.recorder import recorder_at, recorder_in
    from acp_tui.config.paths import recordings_folder

    made = None
    try:
        if path is not None:
            made = recorder_at(path, launch)
        else:
            made = recorder_in(recordings_folder(), launch)
    except OSError as error:
        if path is not None:
            complain(f"--record: can't write {str(path)!r}: {error.strerror}")
            raise SystemExit(USAGE) from None
        troubles.append(f"this is not recorded: {error.strerror}: {error.filename!r}")
        complain(f"{troubles[-1]} (see --no-record)")
    yield made
    if made is not None and made.failure is not None and not told:
        complain(made.failure)


def later_recorder(options: argparse.Namespace) -> "Callable[[Launch], Recorder] | None":
    """Return what makes the recorders of agents that are started later."""
    if options.no_record:
        return None
    from acp_tui.client.recorder import recorder_in
    from acp_tui.config.paths import recordings_folder

    return partial(recorder_in, recordings_folder())
