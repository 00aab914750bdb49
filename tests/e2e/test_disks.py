"""Disks that are full, read-only, or somebody else's: real ones, mounted for one process only."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.examples import parametrize
from tests.fake_agent.script import Played, Script
from tests.hosting import command

NAMESPACE = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
ON_DISK = """
disk=$1 then=$2; shift 2
mount -t tmpfs -o size=1m tmpfs "$disk" || exit 99
cd "$disk" && eval "$then"
"$@"; code=$?
cd "$disk" && find . -type f -exec sh -c 'echo "$0 $(head -c 20 "$0")"' {} \\; | sort > "$disk.left"
exit $code
"""
OLD = 'printf old > "$disk/old.txt"'
READ_ONLY = 'mount -o remount,ro "$disk"'


@dataclass(frozen=True)
class Ran:
    """What came of a run; `left` is what lay on the disk then, each file with its first bytes."""

    code: int
    err: str
    left: list[str]


Run = Callable[..., Ran]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Do one turn with a disk of 1 MB at `disk`, which `then` is done to."""
    disk = tmp_path / "disk"
    disk.mkdir()
    probe = [*NAMESPACE, "mount", "-t", "tmpfs", "tmpfs", str(disk)]
    try:
        mounted = subprocess.run(probe, capture_output=True).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("needs unshare(1), and leave to mount in a namespace of one's own")

    def run(
        script: Script, then: str, *options: str, within: Sequence[str] = (), **env: str
    ) -> Ran:
        argv = command(*options, argv=script.argv(tmp_path))
        shell = ["sh", "-c", ON_DISK, "sh", str(disk), then]
        ran = subprocess.run(
            [*NAMESPACE, *shell, *within, *argv],
            capture_output=True,
            text=True,
            env={**os.environ, **env},
            timeout=60,
        )
        assert "Traceback" not in ran.stderr
        Played(tmp_path).check()
        left = (tmp_path / "disk.left").read_text().splitlines()
        return Ran(ran.returncode, ran.stderr, left)

    return run


STORES = {
    "trust": "from acp_tui.config.trust import TrustStore;"
    "TrustStore(Path('s/trusted.json')).trust(b'x', Path('y' * 5000))",
    "rules": "from acp_tui.store.project_rules import ProjectRules;"
    "from acp_tui.policy.rules import read_rule;"
    "ProjectRules(Path('s')).add_rule(read_rule({'answer': 'reject', 'command': 'x' * 5000,"
    " 'scope': 'project', 'where': '/w'}))",
    "drafts": "from acp_tui.store.prompts import StoredDraft, Drafts;"
    "Drafts(Path('s')).save({('p',): [StoredDraft('s', (), 'y' * 5000)]})",
    "recording": "from acp_tui.client.recorder import recorder_in;"
    "from acp_tui.client.launch import Launch; recorder_in(Path('s'), Launch(('a',), '/'))",
    "export": "from acp_tui.ui.new_files import write_beside;"
    "write_beside(Path('s/export.md'), 'y' * 5000)",
    "report": "from acp_tui.cli.log import write_bug_report; write_bug_report(Path('s/r.zip'), {'a': 'y'})",
}


@parametrize(2, "store", STORES)
def test_what_we_write_ourselves_leaves_nothing_half_written_on_a_full_disk(
    run: Run, tmp_path: Path, store: str
) -> None:
    code = f"from pathlib import Path; {STORES[store]}"
    fill = "mkdir s; cat /dev/zero > fill 2> /dev/null"
    shell = ["sh", "-c", ON_DISK, "sh", str(tmp_path / "disk"), fill, sys.executable, "-c", code]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    ran = subprocess.run([*NAMESPACE, *shell], capture_output=True, text=True, env=env, timeout=60)
    assert ran.returncode == 1
    told = ran.stderr.splitlines()[-1]
    assert told.startswith("OSError: [Errno 28] No space left on device: 's/"), told
    assert [one.split()[0] for one in (tmp_path / "disk.left").read_text().splitlines()] == [
        "./fill"
    ]


def write_both(script: Script, path: Path, content: str, other: str = "next.txt") -> Script:
    """Write one file; then another one, small enough for any disk."""
    for one, text in ((path, content), (path.with_name(other), "next")):
        params = {"sessionId": "s1", "path": str(one), "content": text}
        script.request("fs/write_text_file", params, save=one.stem).expect_answer(one.stem)
    return script


def test_what_is_written_to_a_full_or_read_only_disk_leaves_the_old_file_and_that_is_said(
    run: Run, tmp_path: Path
) -> None:
    disk, remounted = tmp_path / "disk", tmp_path / "remounted"
    path = disk / "old.txt"
    script = write_both(Script().handshake().prompt(), path, "x" * 2**21)
    remount = f'disk="{disk}"; {READ_ONLY} && touch "{remounted}"'
    script.spawn(["sh", "-c", remount]).until(remounted)
    script = write_both(script, path, "new", "new.txt").end_turn()
    ran = run(script, OLD, "--no-record", "--cwd", str(disk))
    assert (ran.code, ran.left) == (0, ["./next.txt next", "./old.txt old"])
    told = [one for one in Played(tmp_path).messages if "method" not in one]
    errors = [one.get("error", {"message": ""})["message"] for one in told]
    full, none, protected, read_only = errors
    assert "No space left on device" in full
    assert none == ""
    assert "it is write-protected" in protected
    assert "Read-only file system" in read_only


def test_a_full_state_disk_ends_the_recording_and_the_backups_but_not_the_turn(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "large.txt"
    path.write_text("x" * 2**21)
    script = Script().handshake().prompt().chunk("y" * 2**21)
    params = {"sessionId": "s1", "path": str(path), "content": "new"}
    script.request("fs/write_text_file", params, save="w").expect_answer("w", result={}).end_turn()
    state = str(tmp_path / "disk")
    ran = run(script, ":", "--cwd", str(tmp_path), XDG_STATE_HOME=state)
    assert ran.code == 0
    assert path.read_text() == "new"
    assert "It can't be undone: no backup (No space left on device)." in ran.err
    assert "the recording has stopped: No space left on device" in ran.err
    recording, *others = ran.left
    assert recording.startswith("./acp-tui/recordings/")
    # It is noted in the background, before the disk is full or never, and not in part.
    assert all(one.startswith("./acp-tui/seen_agents.json {") for one in others)


NOT_OURS = "mkdir acp-tui; chown 1234 . acp-tui; chmod 700 ."


@parametrize(1, "then", [READ_ONLY, "printf x > acp-tui", NOT_OURS])
def test_a_state_folder_that_cannot_be_written_is_said_and_the_turn_goes_on(
    run: Run, tmp_path: Path, then: str
) -> None:
    within = []
    if then == NOT_OURS:
        if os.geteuid() != 0:
            pytest.skip("only root can make a folder of somebody else")
        within = ["unshare", "--user", "--map-root-user"]  # root, but not over 1234's files
    path = tmp_path / "old.txt"
    path.write_text("old")
    script = write_both(Script().handshake().prompt(), path, "new").end_turn()
    state = str(tmp_path / "disk")
    ran = run(script, then, "--cwd", str(tmp_path), within=within, XDG_STATE_HOME=state)
    assert (ran.code, path.read_text()) == (0, "new")
    assert "this is not recorded" in ran.err
    assert "no backup" in ran.err
