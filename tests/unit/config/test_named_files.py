"""Files that a person names: a FIFO is read if somebody writes to it, and not waited for."""

import os
import sys
from pathlib import Path
from threading import Thread

import pytest

from acp_tui.config.policy import load_policy
from acp_tui.config.private_files import read_file
from acp_tui.config.toml_files import ConfigError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs FIFOs")

RULE = b'[[permissions]]\nanswer = "allow"\nkind = "read"\n'


def fifo(folder: Path) -> Path:
    path = folder / "fifo"
    os.mkfifo(path)
    return path


def test_a_fifo_that_nobody_writes_to_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a FIFO that nobody writes to"):
        load_policy(fifo(tmp_path))


def test_a_fifo_that_somebody_writes_to_is_read_to_its_end(tmp_path: Path) -> None:
    theirs, ours = os.pipe()

    def write() -> None:
        with os.fdopen(ours, "wb") as out:
            out.write(RULE * 10_000)

    Thread(target=write).start()
    try:
        assert read_file(Path(f"/dev/fd/{theirs}")) == RULE * 10_000
    finally:
        os.close(theirs)


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_bytes(RULE)
    assert read_file(path) == RULE
    assert len(load_policy(path).rules) == 1
