"""The recorders that the options ask for."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
    from acp_tui.client.recorder import recorder_at

    made = None
    try:
        made = recorder_at(path, launch) if path is not None else new_recorder(launch)
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
    return None if options.no_record else new_recorder


def new_recorder(launch: "Launch") -> "Recorder":
    """Make a recorder in the folder of recordings, of which the settings limit the number.

    Where these can't be read, nothing is deleted. Raises OSError.
    """
    from acp_tui.client.recorder import recorder_in
    from acp_tui.config.errors import ConfigError
    from acp_tui.config.paths import recordings_folder, settings_file
    from acp_tui.config.settings import RecordingSettings, load_settings

    try:
        room = load_settings(settings_file()).recordings
    except ConfigError:
        room = RecordingSettings(kept=sys.maxsize, gigabytes=1e6)
    return recorder_in(recordings_folder(), launch, room.kept, room.limit)
