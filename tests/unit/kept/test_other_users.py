"""Another user of the machine: gets no answer of a kept run, and is asked nothing."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import anyio
import pytest

from acp_tui.kept.messages import format_hello
from acp_tui.kept.run_places import KeptRunError, RunPlace, claim_name
from tests.unit.kept.kept import kept

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(
        not sys.platform.startswith("linux") or os.getuid() != 0, reason="only root can be others"
    ),
]
NOBODY = 65534
AS_NOBODY = f"""
import os, socket, sys
os.setgroups([])
os.setgid({NOBODY})
os.setuid({NOBODY})
"""
ASKS = """
path, *hellos = sys.argv[1:]
for hello in hellos:
    end = socket.socket(socket.AF_UNIX)
    try:
        end.connect(path)
        end.sendall(hello.encode())
        print(end.recv(1000))
    except OSError as error:
        print(type(error).__name__)
"""
SERVES = f"""
from pathlib import Path
from acp_tui.kept.messages import format_hello
from acp_tui.kept.run_places import claim_name
{AS_NOBODY}
folder = Path(sys.argv[1])
with claim_name(folder, "/tea", "tea") as (place, listener):
    folder.chmod(0o755)
    place.socket.chmod(0o777)
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that others can look into, unlike those of pytest."""
    made = Path(mkdtemp(prefix="acp-tui-"))
    made.chmod(0o755)
    yield made
    rmtree(made)


def asked_by_nobody(place: RunPlace) -> list[str]:
    """Ask a run for everything, each time anew; return what comes of it."""
    hellos = [format_hello(what, "pts/1").decode() for what in ("attach", "status", "send", "stop")]
    ran = subprocess.run(
        [sys.executable, "-I", "-c", AS_NOBODY + ASKS, str(place.socket), *hellos],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    said = ran.stdout.splitlines()
    assert len(said) == len(hellos)
    return said


async def test_they_get_no_answer_even_where_the_socket_is_open_to_them(folder: Path) -> None:
    with claim_name(folder / "kept", "/tea", "tea") as (place, listener):
        async with kept(place.folder) as run, anyio.create_task_group() as tasks:
            tasks.start_soon(run.server.listen, listener)
            said = await anyio.to_thread.run_sync(asked_by_nobody, place)
            assert {*said} == {"PermissionError"}
            place.folder.chmod(0o755)
            place.socket.chmod(0o777)
            said = await anyio.to_thread.run_sync(asked_by_nobody, place)
            assert {*said} <= {"b''", "BrokenPipeError", "ConnectionResetError"}
            assert not run.server.over.is_set()
            tasks.cancel_scope.cancel()


def test_they_are_asked_nothing_that_looks_like_a_run_of_ours(folder: Path) -> None:
    theirs = folder / "kept"
    theirs.mkdir()
    os.chown(theirs, NOBODY, NOBODY)
    argv = [sys.executable, "-c", SERVES, str(theirs)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        with pytest.raises(KeptRunError, match="belongs to another user, and is not used"):
            RunPlace(theirs, "tea").connect()
        with (
            pytest.raises(KeptRunError, match="is not a folder of yours"),
            claim_name(theirs, "/", None),
        ):
            raise AssertionError
        process.communicate()
