"""Files for the agent: what is read and written, exactly, and what is refused, in words."""

import codecs
import errno
import os
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from itertools import count
from pathlib import Path

import anyio
import pytest

from acp_tui.client.errors import ServiceError
from acp_tui.client.files import planned_write, text_file
from acp_tui.client.files.planned_write import carry_out_write, plan_write
from acp_tui.client.files.resolved_roots import leads_through_process
from acp_tui.client.files.text_file import is_within, resolve_file
from acp_tui.protocol.jsonrpc import ErrorCode
from tests.file_writes import write as write_text
from tests.hosting import NO_BYTECODE, PATIENCE, eventually

pytestmark = pytest.mark.anyio

TWENTY = "".join(f"line {n}\n" for n in range(1, 21))


async def read_text(
    path: str, line: int | None = None, limit: int | None = None, roots: list[str] | None = None
) -> str:
    return text_file.cut_lines((await text_file.read_text_file(path, roots)).text, line, limit)


async def refusal(
    path: object, says: str, *, write: bool = False, roots: list[str] | None = None
) -> int:
    """Read or write `path`, which must fail within a moment; return the error's code."""
    doing = write_text(str(path), "new", roots) if write else read_text(str(path), roots=roots)
    with anyio.fail_after(PATIENCE), pytest.raises(ServiceError, match=says) as caught:
        await doing
    assert caught.value.error.data == {"path": str(path)}
    assert str(path) in caught.value.error.message
    return caught.value.error.code


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# Read


@pytest.mark.parametrize(
    ("text", "line", "limit", "found"),
    [
        (TWENTY, 10, 5, "line 10\nline 11\nline 12\nline 13\nline 14\n"),
        (TWENTY, None, None, TWENTY),
        (TWENTY, None, 2, "line 1\nline 2\n"),
        (TWENTY, 20, None, "line 20\n"),
        (TWENTY, 19, 99, "line 19\nline 20\n"),
        (TWENTY, 21, None, ""),
        (TWENTY, 10**12, 10**12, ""),
        (TWENTY, 0, 1, "line 1\n"),
        (TWENTY, 1, 0, ""),
        ("no newline", 1, 1, "no newline"),
        ("a\r\nb\r\nc", 2, 1, "b\r\n"),
        ("a\rb\x0bc\x0cd\x85e\u2028f\ng", 2, None, "g"),
        ("", 1, 1, ""),
        ("", None, None, ""),
    ],
)
async def test_lines_are_cut_exactly(
    tmp_path: Path, text: str, line: int | None, limit: int | None, found: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(text.encode())
    assert await read_text(str(path), line, limit) == found


async def test_a_missing_file_is_said_with_its_own_code(tmp_path: Path) -> None:
    assert await refusal(tmp_path / "no", "No such file") == ErrorCode.RESOURCE_NOT_FOUND


async def test_a_file_below_a_file_is_missing_too(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert await refusal(tmp_path / "file/x", "No such file") == ErrorCode.RESOURCE_NOT_FOUND


async def test_a_link_to_nothing_says_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("gone")
    code = await refusal(tmp_path / "link", f"symbolic link to {tmp_path.resolve()}/gone")
    assert code == ErrorCode.RESOURCE_NOT_FOUND


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("path", ["file", "./file", "../file", "~/file", ""])
async def test_a_relative_path_is_refused(path: str, write: bool) -> None:
    assert await refusal(path, "must be absolute", write=write) == ErrorCode.INVALID_PARAMS


@pytest.mark.parametrize("write", [False, True])
async def test_a_path_with_a_nul_is_refused(tmp_path: Path, write: bool) -> None:
    code = await refusal(f"{tmp_path}/a\0b", "NUL", write=write)
    assert code == ErrorCode.INVALID_PARAMS


def make_folder(path: Path) -> None:
    path.mkdir()


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


def make_link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize(
    ("make", "says"),
    [
        (make_folder, "it is a folder"),
        (make_fifo, "it is a FIFO"),
        (make_socket, "it is a socket"),
        (make_link_to_device, "it is a device"),
    ],
)
async def test_what_is_no_regular_file_is_neither_opened_nor_replaced(
    tmp_path: Path, make: Callable[[Path], None], says: str, write: bool
) -> None:
    path = tmp_path / "it"
    make(path)
    before = path.lstat()
    assert await refusal(path, says, write=write) == ErrorCode.INVALID_PARAMS
    assert path.lstat().st_ino == before.st_ino
    assert names(tmp_path) == ["it"]


async def test_reading_a_fifo_does_not_wake_its_writer(
    tmp_path: Path, process_state: Callable[[int], str]
) -> None:
    os.mkfifo(tmp_path / "fifo")
    with subprocess.Popen(["sh", "-c", f"echo x > {tmp_path}/fifo"]) as writer:
        await eventually(lambda: process_state(writer.pid) == "S")  # it waits for a reader
        await refusal(tmp_path / "fifo", "FIFO")
        assert writer.poll() is None
        writer.kill()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\x7fELF\x02\x01\x01\0\0\0", "binary"),
        (b"x" * 8000 + b"\0", "binary"),
        ("grün".encode("latin-1"), r"not UTF-8 text \(byte 0xfc at offset 2\)"),
        (codecs.BOM_UTF8 + b"\xff", "byte 0xff at offset 3"),
        (codecs.BOM_UTF16_LE + b"a", "not UTF-16-LE"),
    ],
)
async def test_what_is_no_text_is_refused_not_mangled(
    tmp_path: Path, data: bytes, says: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    assert await refusal(path, says) == ErrorCode.INVALID_PARAMS


async def test_a_file_over_the_size_limit_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(text_file.SIZE_LIMIT + 1)
    assert await refusal(path, "too large: over 64 MiB") == ErrorCode.INVALID_PARAMS
    path.write_bytes(b"x" * 2**20)
    assert len(text_file.read_file_now(str(path), None, 2**20).text) == 2**20
    with pytest.raises(ServiceError, match="too large"):
        text_file.read_file_now(str(path), None, 2**20 - 1)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system has no /proc")
async def test_a_file_of_proc_is_read_though_it_has_no_size() -> None:
    assert (await read_text("/proc/self/status")).startswith("Name:")


@pytest.mark.skipif(not Path("/proc/kmsg").exists(), reason="the system has no /proc/kmsg")
async def test_a_file_that_would_block_is_refused() -> None:
    await refusal("/proc/kmsg", "without waiting|Operation not permitted|Permission denied")


UNPRIVILEGED = """
import anyio, hashlib, os, sys
from acp_tui.client.errors import ServiceError
from acp_tui.client.files.text_file import is_within, read_text_file
from tests.file_writes import write

async def main(*words):
    await is_within("/", [])  # what it imports may be out of reach afterwards
    if os.getuid() == 0:
        os.setgroups([]); os.setgid(65534); os.setuid(65534)
    for action, path in zip(words[::2], words[1::2]):
        try:
            done = await (read_text_file(path) if action == "read" else write(path, "new"))
        except ServiceError as error:
            print(int(error.error.code), error.error.message)
        else:
            print("done", *getattr(done, "remarks", ()))

anyio.run(main, *sys.argv[1:])
"""


def unprivileged(*actions: tuple[str, Path]) -> list[str]:
    """Read or write as a user whom permissions hold back, which the tests' user may not be."""
    ran = subprocess.run(
        [sys.executable, "-c", UNPRIVILEGED, *(str(word) for action in actions for word in action)],
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.splitlines()


@pytest.fixture
def open_path() -> Iterator[Path]:
    """A folder that every user can get to and write in."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


async def test_permissions_are_told_in_words(open_path: Path) -> None:
    secret, locked = open_path / "secret", open_path / "locked"
    secret.write_text("old")
    secret.chmod(0o000)
    locked.mkdir()
    locked.chmod(0o555)
    guarded = open_path / "guarded"
    guarded.write_text("old")
    guarded.chmod(0o444)
    blind = open_path / "blind"
    blind.write_text("old")
    blind.chmod(0o222)
    done, *refused = unprivileged(
        ("write", blind), ("read", secret), ("write", guarded), ("write", locked / "new")
    )
    assert done.startswith("done")
    assert refused == [
        f"-32603 {secret}: can't read it: Permission denied",
        f"-32603 {guarded}: it is write-protected",
        f"-32603 {locked / 'new'}: can't write it: Permission denied",
    ]
    assert guarded.read_text() == "old"


# Write


async def test_a_new_file_is_made_with_its_folders_and_the_umask(
    tmp_path: Path, umask: None
) -> None:
    path = tmp_path / "a/b/file.txt"
    await write_text(str(path), "text\r\n")
    assert path.read_bytes() == b"text\r\n"
    assert mode(path) == 0o640
    assert names(path.parent) == ["file.txt"]


@pytest.mark.parametrize("bits", [0o600, 0o755, 0o777, 0o2644, 0o1755])
async def test_an_existing_file_keeps_its_mode(tmp_path: Path, bits: int, umask: None) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(bits)
    await write_text(str(path), "new")
    assert (path.read_text(), mode(path)) == ("new", bits)


@pytest.mark.parametrize("bits", [0o4755, 0o2755, 0o6711, 0o4600])
async def test_a_new_text_does_not_run_with_the_rights_of_a_files_owner_or_group(
    tmp_path: Path, bits: int
) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(bits)
    written = await write_text(str(path), "new")
    assert (path.read_text(), mode(path)) == ("new", bits & 0o777)
    assert "not of its owner or group" in " ".join(written.remarks)


async def test_a_write_of_what_a_file_holds_already_leaves_it_alone(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one\r\ntwo\r\n")
    path.chmod(0o4755)
    os.utime(path, (1, 1))
    before = path.stat()
    for text in ("one\r\ntwo\r\n", "one\ntwo\n"):
        written = await write_text(str(path), text)
        assert written.planned.is_same
    now = path.stat()
    assert (now.st_ino, now.st_mtime_ns, now.st_mode) == (before.st_ino, 10**9, before.st_mode)
    path.chmod(0o400)
    if os.getuid() != 0:
        await refusal(path, "write-protected", write=True)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
async def test_an_existing_file_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    os.chown(path, 1234, 2345)
    await write_text(str(path), "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a file of somebody else")
async def test_a_file_that_changes_hands_gives_nobody_more_rights(open_path: Path) -> None:
    """It loses the set-user-ID bit, and its new group gets no more than everybody had."""
    program, grouped = open_path / "program", open_path / "grouped"
    for path, bits in ((program, 0o4777), (grouped, 0o676)):
        path.write_text("old")
        path.chmod(bits)
    for said in unprivileged(("write", program), ("write", grouped)):
        assert said.endswith("It belonged to somebody else; it is yours now.")
    assert (program.read_text(), mode(program)) == ("new", 0o777)
    assert (grouped.read_text(), mode(grouped)) == ("new", 0o666)


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="this system tells no attributes")
async def test_an_existing_file_keeps_its_extended_attributes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    try:
        os.setxattr(path, "user.colour", b"blue")
    except OSError:
        pytest.skip("this file system keeps no attributes")
    await write_text(str(path), "new")
    assert os.getxattr(path, "user.colour") == b"blue"


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="this system tells no attributes")
async def test_the_access_list_of_a_folder_opens_no_file_that_was_closed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o640)
    owner, user, group, mask, others = 1, 2, 4, 16, 32
    nobody = 0xFFFFFFFF
    entries = [(owner, 7, nobody), (user, 7, 1234), (group, 7, nobody), (mask, 7, nobody)]
    entries.append((others, 0, nobody))
    packed = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *one) for one in entries)
    try:
        os.setxattr(tmp_path, "system.posix_acl_default", packed)
    except OSError:
        pytest.skip("this file system keeps no access lists")
    await write_text(str(path), "new")
    assert (path.read_text(), mode(path)) == ("new", 0o640)
    assert "system.posix_acl_access" not in os.listxattr(path)


async def test_other_names_of_a_file_keep_the_old_text_which_is_said(tmp_path: Path) -> None:
    path, other = tmp_path / "file", tmp_path / "other"
    path.write_text("old")
    os.link(path, other)
    written = await write_text(str(path), "new")
    assert (path.read_text(), other.read_text()) == ("new", "old")
    assert "hard links" in " ".join(written.remarks)


@pytest.mark.parametrize(
    ("old", "new", "stored"),
    [
        ("a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"),
        ("a\r\nb\n", "a\nc\n", "a\nc\n"),
        ("a\r\nb\r", "a\nc\n", "a\nc\n"),
        ("a\r\n", "a\nc\r\n", "a\nc\r\n"),
        ("a\n", "a\r\nc\r\n", "a\r\nc\r\n"),
        ("a\r\n", "no newline", "no newline"),
        ("a", "a\nb\n", "a\nb\n"),
    ],
)
async def test_line_ends_are_kept_where_the_file_has_one_kind_and_it_is_said(
    tmp_path: Path, old: str, new: str, stored: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(old.encode())
    written = await write_text(str(path), new)
    assert path.read_bytes() == stored.encode()
    assert ("CRLF" in " ".join(written.remarks)) == (stored != new)


@pytest.mark.parametrize("data", ["grün".encode("latin-1"), b"\x7fELF\0", b"x\xfe" * 9000])
async def test_what_could_not_be_read_is_not_written_over(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    assert await refusal(path, "UTF-8|binary", write=True) == ErrorCode.INVALID_PARAMS
    assert path.read_bytes() == data


async def test_a_text_or_a_file_over_the_size_limit_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    monkeypatch.setattr(planned_write, "SIZE_LIMIT", 3)
    await write_text(str(path), "new")
    path.unlink()
    monkeypatch.setattr(planned_write, "SIZE_LIMIT", 2)
    assert await refusal(path, "too large", write=True) == ErrorCode.INVALID_PARAMS
    path.write_text("old")
    assert await refusal(path, "too large", write=True) == ErrorCode.INVALID_PARAMS
    assert path.read_text() == "old"


async def test_a_file_that_has_changed_since_it_was_looked_at_is_not_written(
    tmp_path: Path,
) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    planned = await plan_write(str(path), "new")
    path.write_text("somebody else's")
    assert carry_out_write(planned) is None
    assert path.read_text() == "somebody else's"
    assert names(tmp_path) == ["file"]


async def test_a_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    target, link = tmp_path / "deep/target", tmp_path / "link"
    target.parent.mkdir()
    target.write_text("old")
    link.symlink_to("deep/target")
    written = await write_text(str(link), "new")
    assert written.planned.place == target.resolve()
    assert written.remarks == (f"{link} is a link to it.",)
    assert link.is_symlink()
    assert target.read_text() == "new"


async def test_a_link_to_nothing_makes_its_target(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("later")
    await write_text(str(tmp_path / "link"), "new")
    assert (tmp_path / "later").read_text() == "new"
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("write", [False, True])
async def test_links_in_a_circle_are_refused(tmp_path: Path, write: bool) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    code = await refusal(tmp_path / "a", "Too many levels", write=write)
    assert code == ErrorCode.INTERNAL_ERROR
    assert (tmp_path / "a").is_symlink()


async def test_readers_see_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with path.open() as reader:
        await write_text(str(path), "new")
        assert reader.read() == "old"


@pytest.mark.parametrize("failing", ["fsync", "replace", "fchmod"])
async def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def no_space(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "file"
    path.write_text("old")
    monkeypatch.setattr(os, failing, no_space)
    code = await refusal(path, "can't write it: No space left on device", write=True)
    assert code == ErrorCode.INTERNAL_ERROR
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file"]


def run_code(code: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process, with a path as its argument."""
    argv, env = [sys.executable, "-c", code, str(path)], {**os.environ, **NO_BYTECODE}
    return subprocess.run(argv, capture_output=True, text=True, env=env, check=False)


FULL_DISK = """
import anyio, resource, signal, sys
from tests.file_writes import write
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
anyio.run(write, sys.argv[1], "x" * 100_000)
"""
"""The size limit of a process stands in for a full disk: the write itself fails midway."""
KILLED = """
import anyio, os, signal, sys
from tests.file_writes import write
from acp_tui.client.process.watchdog import watchdog
watchdog.start()
os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
anyio.run(write, sys.argv[1], "new")
"""
WATCHED = pytest.mark.skipif(not hasattr(os, "posix_spawn"), reason="without it, nothing watches")


@pytest.mark.parametrize(
    ("code", "ended", "said"),
    [
        pytest.param(FULL_DISK, 1, "can't write it: File too large", id="full disk"),
        pytest.param(KILLED, -signal.SIGKILL, "", id="killed", marks=WATCHED),
    ],
)
async def test_a_write_that_ends_midway_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, code: str, ended: int, said: str
) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    ran = run_code(code, path)
    assert ran.returncode == ended
    assert said in ran.stderr
    await eventually(lambda: names(tmp_path) == ["file"])
    assert path.read_text() == "old"


@WATCHED
async def test_being_killed_leaves_no_backups(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path;"
        "from acp_tui.client.files.history import Backups;"
        "from acp_tui.client.process.watchdog import watchdog; watchdog.start();"
        "Backups(Path(sys.argv[1])).store(1, b'secret');"
        "print(*os.listdir(sys.argv[1]), flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    ran = run_code(code, tmp_path)
    assert (len(ran.stdout.split()), ran.returncode) == (1, -signal.SIGKILL)
    await eventually(lambda: not names(tmp_path))


@pytest.mark.parametrize("target", ["loop", "../{}/loop", "loop/loop"])
def test_a_path_through_links_that_lead_in_circles_is_never_inside(
    tmp_path: Path, target: str
) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(target.format(tmp_path.name))
    assert leads_through_process(str(loop / "a"))
    (tmp_path / "link").symlink_to(".")
    assert not leads_through_process(str(tmp_path / "link/link/a"))


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc")
def test_a_file_of_another_process_is_never_inside_though_this_one_has_none() -> None:
    for path in (
        "/proc/self/fd/999",
        "/dev/fd/999/../../../..",
        "/proc/99999999/cwd/..",
        "/proc/1/cwd",
    ):
        assert leads_through_process(path)
    for path in ("/proc/self", "/proc/self/status", "/proc/cpuinfo", "/dev/null"):
        assert not leads_through_process(path)


async def test_a_file_in_the_way_of_a_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    await refusal(tmp_path / "file/below", "Not a directory", write=True)


async def test_the_name_of_a_folder_is_refused(tmp_path: Path) -> None:
    await refusal(f"{tmp_path}/new/", "name of a folder", write=True)
    assert names(tmp_path) == []


async def test_a_very_long_name_leaves_room_for_the_temporary_one(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    await write_text(str(path), "new")
    assert path.read_text() == "new"
    await refusal(tmp_path / ("n" * 256), "File name too long", write=True)


async def test_a_path_longer_than_the_system_takes_is_written_and_read(tmp_path: Path) -> None:
    path = str(tmp_path) + 25 * f"/{'x' * 200}" + "/file"
    await write_text(path, "new", [str(tmp_path.resolve())])
    assert await read_text(path) == "new"
    with pytest.raises(ServiceError, match="No such file"):
        await read_text(f"{path}s")


async def test_lone_surrogates_are_replaced_which_is_said(tmp_path: Path) -> None:
    path = tmp_path / "file"
    written = await write_text(str(path), "a\ud800b\udfffc😀")
    assert "no file can hold" in written.remarks[0]
    assert path.read_text(encoding="utf-8") == "a\ufffdb\ufffdc😀"


@pytest.mark.parametrize(
    ("codec", "mark"),
    [
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("utf-32-le", codecs.BOM_UTF32_LE),
        ("utf-32-be", codecs.BOM_UTF32_BE),
    ],
)
@pytest.mark.parametrize("content", ["grün 😀\n", "\ufeffgrün 😀\n"])
async def test_a_byte_order_mark_is_hidden_from_the_agent_and_kept_in_the_file(
    tmp_path: Path, codec: str, mark: bytes, content: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(mark + "old €\n".encode(codec))
    assert await read_text(str(path)) == "old €\n"
    await write_text(str(path), content)
    assert path.read_bytes() == mark + "grün 😀\n".encode(codec)


# The boundary


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A root with links out of it and into it, and what lies beside it."""
    tmp_path = tmp_path.resolve()
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "file").write_text("inside")
    (tmp_path / "root-like").mkdir()
    (tmp_path / "secret").write_text("outside")
    (root / "out").symlink_to("..")
    (root / "leak").symlink_to(tmp_path / "secret")
    (root / "in").symlink_to("sub")
    (tmp_path / "door").symlink_to("root")
    return tmp_path


@pytest.mark.parametrize(
    ("path", "is_inside"),
    [
        ("root", True),
        ("root/", True),
        ("root/file", True),
        ("root/new/deep/file", True),
        ("root/in/new", True),
        ("root/sub/../file", True),
        ("door/file", True),
        ("root/out/root/file", True),
        ("root/..", False),
        ("root/../secret", False),
        ("root/new/../../secret", False),
        ("root/leak", False),
        ("root/out/secret", False),
        ("root/out/new", False),
        ("root/in/../../secret", False),
        ("root-like/file", False),
        ("secret", False),
        ("", False),
    ],
)
async def test_a_path_is_inside_only_where_it_really_leads(
    world: Path, path: str, is_inside: bool
) -> None:
    assert await is_within(f"{world}/{path}", [str(world / "root")]) is is_inside


async def test_any_root_will_do_if_it_is_no_link(world: Path) -> None:
    path = str(world / "root/file")
    assert await is_within(path, [str(world / "root-like"), str(world / "root")])
    assert await is_within(path, ["/"])
    assert not await is_within(path, [])
    assert not await is_within(path, [str(world / "door")])


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("root", ["root", "root/file"])
async def test_a_root_that_was_swapped_for_a_link_lets_nothing_pass(
    world: Path, root: str, write: bool
) -> None:
    path, secret = world / "root/file", world / "secret"
    if root == "root":
        (world / "root").rename(world / "away")
        (world / "root").symlink_to(world)
        path = world / "root/secret"
    else:
        path.unlink()
        path.symlink_to(secret)
    await refusal(path, "outside the session's", write=write, roots=[str(world / root)])
    assert secret.read_text() == "outside"


async def test_a_relative_path_is_never_inside(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(world / "root")
    assert not await is_within("file", [str(world / "root")])


async def test_resolving_follows_links_as_far_as_the_path_exists(world: Path) -> None:
    real = world.resolve()
    assert await resolve_file(f"{world}/root/in/../new/x") == real / "root/new/x"
    assert await resolve_file(f"{world}/root/leak") == real / "secret"


@pytest.mark.parametrize("write", [False, True])
async def test_with_roots_a_link_that_leads_out_is_refused(world: Path, write: bool) -> None:
    roots = [str(world / "root")]
    code = await refusal(world / "root/leak", "outside the session's", write=write, roots=roots)
    assert code == ErrorCode.INVALID_PARAMS
    assert (world / "secret").read_text() == "outside"


async def test_with_roots_what_is_inside_passes(world: Path) -> None:
    roots = [str(world / "root")]
    assert await read_text(str(world / "door/file"), roots=roots) == "inside"
    await write_text(str(world / "root/in/new"), "x", roots)
    assert (world / "root/sub/new").read_text() == "x"


async def test_a_root_may_be_a_single_file_even_one_to_be_made(world: Path) -> None:
    new = world / "root-like/new"
    await write_text(str(new), "one", [str(new)])
    await write_text(str(new), "two", [str(new)])
    assert await read_text(str(new), roots=[str(new)]) == "two"
    await refusal(world / "secret", "outside", roots=[str(new)])
    await refusal(world / "root-like/other", "outside", write=True, roots=[str(new)])


@pytest.mark.parametrize("ask", [lambda path: is_within(path, ["/"]), resolve_file])
async def test_a_path_that_cannot_exist_is_refused_before_anybody_is_asked(
    ask: Callable[[str], Awaitable[object]],
) -> None:
    with pytest.raises(ServiceError, match="NUL"):
        await ask("/a\0b")


async def test_a_path_through_what_is_not_ours_to_follow_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As /proc/1/root is, depending on the system, and on Python's version."""

    def refuse(path: str) -> Path:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("acp_tui.client.files.safe_paths.resolve_path", refuse)
    with pytest.raises(ServiceError, match="can't tell where it is: Permission denied"):
        await is_within("/proc/1/root/file", ["/"])


async def test_nothing_is_made_outside_the_roots(world: Path) -> None:
    path = world / "root/out/new/file"
    await refusal(path, "outside", write=True, roots=[str(world / "root")])
    assert not (world / "new").exists()


async def test_a_folder_swapped_for_a_link_in_the_last_moment_is_noticed(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = world / "root/sub"
    really_open = os.open

    def open_after_swap(path: object, *args: object, **more: object) -> int:
        if path == "sub" and not folder.is_symlink():
            folder.rmdir()
            folder.symlink_to(world / "root-like")
        return really_open(path, *args, **more)  # type: ignore[arg-type,call-overload,no-any-return]

    monkeypatch.setattr(os, "open", open_after_swap)
    monkeypatch.setattr(os, "supports_dir_fd", {open_after_swap})
    await refusal(folder / "new", "outside", write=True, roots=[str(world / "root")])
    assert names(world / "root-like") == []


SWAPPING = """
import os, shutil, sys
sub, outside = sys.argv[1:]

def insist(do, *names):
    try:
        do(*names)
    except OSError:  # in between, the name was free, and a folder was made there
        shutil.rmtree(sub, ignore_errors=True)
        insist(do, *names)

print(flush=True)
while True:
    os.rename(sub, sub + ".away")
    insist(os.symlink, outside, sub)
    os.unlink(sub)
    insist(os.rename, sub + ".away", sub)
"""


@pytest.mark.slow
async def test_a_folder_swapped_for_a_link_all_the_time_never_leads_outside(world: Path) -> None:
    sub, outside = world / "root/sub", world / "root-like"
    (outside / "file").write_text("outside")
    (sub / "file").write_text("inside")
    root, path = [str(world / "root")], str(sub / "file")
    command = [sys.executable, "-c", SWAPPING, str(sub), str(outside)]
    done = {"read": 0, "write": 0, "refused": 0}
    with subprocess.Popen(command, stdout=subprocess.PIPE) as swapping:
        try:
            assert swapping.stdout is not None
            swapping.stdout.readline()
            with anyio.move_on_after(5):  # on a busy machine with a slow disk it is only a few
                for number in count():
                    if min(done.values()) >= 20:
                        break
                    try:
                        if number % 2:
                            await write_text(path, "inside", root)
                            done["write"] += 1
                        else:
                            assert await read_text(path, roots=root) == "inside"
                            done["read"] += 1
                        await write_text(f"{sub}/new{number}/file", "new", root)
                    except ServiceError:
                        done["refused"] += 1
            assert swapping.poll() is None
        finally:
            swapping.kill()
    assert sum(done.values()) > 0
    assert (names(outside), (outside / "file").read_text()) == (["file"], "outside")


async def test_without_folder_descriptors_writing_works_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "supports_dir_fd", set())
    path = tmp_path / "a/file"
    await refusal(path, "no such file|not found|No such file")
    assert names(tmp_path) == []
    await write_text(str(path), "one", [str(tmp_path)])
    await write_text(str(path), "two", [str(tmp_path)])
    assert path.read_text() == "two"
    assert names(path.parent) == ["file"]


@pytest.mark.parametrize("supported", [True, False], ids=["descriptors", "paths"])
async def test_the_name_of_a_written_file_is_synced_to_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, supported: bool
) -> None:
    synced = list[int]()
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino))
    if not supported:
        monkeypatch.setattr(os, "supports_dir_fd", set())
    await write_text(str(tmp_path / "file"), "new")
    assert synced == [(tmp_path / "file").stat().st_ino, tmp_path.stat().st_ino]
