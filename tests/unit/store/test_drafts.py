"""Drafts in files: kept while a run lasts, found by the next one, thrown away in the end."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from acp_tui.store.drafts import DRAFT_LIFETIME, Drafts, StoredDraft
from acp_tui.store.files_in_use import HAS_LOCKS

pytestmark = pytest.mark.skipif(not HAS_LOCKS, reason="drafts come back where files have locks")
HERE = ("/work", "agent", "--acp")
DRAFT = StoredDraft("s1", ("one", "two"), "half \ud800 ☕")
WRITE = f"""
import sys, time
from pathlib import Path
from acp_tui.store.drafts import Drafts, StoredDraft
Drafts(Path(sys.argv[1])).save({{{HERE!r}: [StoredDraft(None, (), "theirs")]}})
print("saved", flush=True)
if len(sys.argv) > 2: time.sleep(60)
"""


def another_run(folder: Path, *stays: str) -> "subprocess.Popen[bytes]":
    """A run that leaves a draft behind, or stays."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITE, str(folder), *stays], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"saved\n"
    if not stays:
        process.wait()
    return process


def test_what_was_left_behind_is_found_by_its_place_and_taken_over_once(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "drafts"
    assert Drafts(folder).leftover_drafts(HERE) == []
    with another_run(folder):
        pass
    drafts = Drafts(folder)
    assert drafts.leftover_drafts(("/else", *HERE[1:])) == []
    (left,) = drafts.leftover_drafts(HERE)
    assert left.drafts == [StoredDraft(None, (), "theirs")]
    assert abs(left.at - time.time()) < 60
    drafts.replace({HERE: [DRAFT]}, [left])
    assert not left.path.exists()
    assert drafts.leftover_drafts(HERE) == []  # what is ours was not left behind
    (file,) = folder.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


def test_what_a_run_that_goes_on_keeps_is_its_own(tmp_path: Path) -> None:
    with another_run(tmp_path, "stays") as process:
        assert Drafts(tmp_path).leftover_drafts(HERE) == []
        process.kill()
        process.wait()
        (left,) = Drafts(tmp_path).leftover_drafts(HERE)
        assert left.drafts[0].text == "theirs"


def test_what_is_closed_is_left_behind_for_whoever_comes_next(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path)
    drafts.save({HERE: [DRAFT]})
    drafts.close()
    drafts.save({HERE: []})
    (left,) = Drafts(tmp_path).leftover_drafts(HERE)
    assert left.drafts == [DRAFT]


def test_what_is_kept_comes_back_as_it_was_and_what_was_sent_does_not(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path)
    drafts.save({HERE: [DRAFT], ("/else",): [DRAFT]})
    drafts.save({HERE: [DRAFT]})
    (path,) = tmp_path.iterdir()
    (tmp_path / path.name.replace(f"-{os.getpid()}", "-1")).write_bytes(path.read_bytes())
    (left,) = drafts.leftover_drafts(HERE)
    assert left.drafts == [DRAFT]


def test_without_anything_to_keep_there_is_no_file(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path)
    drafts.save({HERE: [DRAFT]})
    drafts.save({HERE: []})
    assert list(tmp_path.iterdir()) == []


def test_broken_and_old_files_do_no_harm(tmp_path: Path) -> None:
    with another_run(tmp_path):
        pass
    (left,) = Drafts(tmp_path).leftover_drafts(HERE)
    broken = left.path.with_name(left.path.name.replace("-", "-9"))
    for content in (b"{", b"[]", b'{"at": 1, "drafts": [{}]}', b"\xff"):
        broken.write_bytes(content)
        assert Drafts(tmp_path).leftover_drafts(HERE) == [left]
    old = time.time() - DRAFT_LIFETIME - 1
    os.utime(left.path, (old, old))
    assert Drafts(tmp_path).leftover_drafts(HERE) == []
    assert not left.path.exists()


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=r"Not a directory|File exists"):
        Drafts(tmp_path / "file" / "drafts").save({HERE: [DRAFT]})
