"""`acp-tui run --diff-versions`: one prompt in both versions of the protocol."""

import sys
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import anyio

from acp_tui import host
from acp_tui.cli.output import out, out_data
from acp_tui.client.recorder import recorder_at
from acp_tui.log_files import open_log
from acp_tui.wire.compare.steps import Part, parts
from acp_tui.wire.compare.versions import compare_versions, versions_json, versions_text

if TYPE_CHECKING:
    from acp_tui.client.launch import Launch
    from acp_tui.config.settings import Protocol
    from acp_tui.headless.run import TurnOptions

DIFFERS = 1


def diff_versions(launch: "Launch", turn: "TurnOptions", *, json: bool) -> int:
    """Take the turn twice and show both; return 1 if they differ, or how a turn failed.

    What the turns print goes to stderr: stdout has the comparison alone.
    """
    with TemporaryDirectory() as folder:
        said: list[list[Part]] = []
        versions: tuple[Protocol, Protocol] = ("1", "2")
        for version in versions:
            path = Path(folder, f"{version}.jsonl")
            start = replace(launch, protocol=version)
            sys.stderr.write(f"acp-tui: version {version}\n")
            with redirect_stdout(sys.stderr):
                run = partial(host.with_turn, start, recorder_at(path, start), turn, "text")
                code = anyio.run(run)
            if code:
                return code
            said.append(parts(open_log(path).records))
    rows, found = compare_versions(*said)
    if json:
        out_data(versions_json(rows, found) + "\n")
    else:
        for line in versions_text(rows, found):
            out(line)
    return DIFFERS if found.differs else 0
