"""The agent's process: how it starts, talks, and ends with all that it started."""

import os
import signal
import sys
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from acp_tui.client.output_log import LINE_LIMIT
from acp_tui.client.process.agent_process import AgentProcess
from acp_tui.client.process.group import Exit, SpawnError
from tests.hosting import PATIENCE

pytestmark = pytest.mark.anyio

IGNORES_EVERYTHING = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(60)
"""


def python(code: str) -> list[str]:
    return [sys.executable, "-S", "-c", code]


@asynccontextmanager
async def running(argv: list[str], grace: float = 0.1) -> AsyncIterator[AgentProcess]:
    process = await AgentProcess.spawn(argv, "/")
    try:
        yield process
    finally:
        await process.stop(grace)


async def read_all(process: AgentProcess) -> bytes:
    data = b""
    with anyio.fail_after(PATIENCE):
        while chunk := await process.receive():
            data += chunk
    return data


async def stderr_of(code: str) -> list[str]:
    async with running(python(f"import sys; write = sys.stderr.buffer.write; {code}")) as process:
        with anyio.fail_after(PATIENCE):
            return [line async for line in process.stderr_lines()]


def open_descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


# Start


async def test_it_starts_in_its_folder_with_our_environment_and_the_overrides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEPT", "ours")
    monkeypatch.setenv("CHANGED", "ours")
    process = await AgentProcess.spawn(
        ["sh", "-c", "pwd -P; echo $KEPT $CHANGED"], str(tmp_path), {"CHANGED": "theirs"}
    )
    try:
        assert await read_all(process) == f"{tmp_path.resolve()}\nours theirs\n".encode()
    finally:
        await process.stop(2.0)


async def test_no_shell_looks_at_the_arguments() -> None:
    async with running(["printf", "%s", "$HOME; *"]) as process:
        assert await read_all(process) == b"$HOME; *"


async def test_it_leads_a_group_of_its_own() -> None:
    async with running(["cat"]) as process:
        assert os.getpgid(process.pid) == process.pid != os.getpgid(0)


def script(folder: Path, text: str, mode: int) -> str:
    path = folder / "agent"
    path.write_text(text)
    path.chmod(mode)
    return str(path)


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        ([], "empty command"),
        ([""], "empty command"),
        (["no-such-agent"], "'no-such-agent': no such command.*PATH"),
        (["/no/such/agent"], "no such file; check the path"),
        (["./agent-that-is-not-there"], "no such file"),
        (["/usr"], "it is a folder"),
        (["sh", "-c", "nul\0"], "null"),
    ],
)
async def test_a_command_that_cannot_start_says_why(argv: list[str], says: str) -> None:
    with pytest.raises(SpawnError, match=says):
        await AgentProcess.spawn(argv, "/")


@pytest.mark.parametrize(
    ("text", "mode", "says"),
    [
        ("#!/bin/sh\n", 0o644, "not executable; run chmod"),
        ("no shebang\n", 0o755, "no program for this system; a script needs"),
        ("#!/no/such/interpreter\n", 0o755, "its interpreter .* doesn't exist"),
    ],
)
async def test_a_file_that_is_no_program_says_why(
    tmp_path: Path, text: str, mode: int, says: str
) -> None:
    with pytest.raises(SpawnError, match=says):
        await AgentProcess.spawn([script(tmp_path, text, mode)], "/")


@pytest.mark.parametrize(("cwd", "says"), [("gone", "doesn't exist"), ("file", "not a folder")])
async def test_a_bad_folder_is_named(tmp_path: Path, cwd: str, says: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SpawnError, match=f"{cwd}'.*{says}"):
        await AgentProcess.spawn(["cat"], str(tmp_path / cwd))


async def test_the_path_of_the_overrides_is_searched(tmp_path: Path) -> None:
    script(tmp_path, "#!/bin/sh\necho found\n", 0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    process = await AgentProcess.spawn(["agent"], "/", {"PATH": path})
    try:
        assert await read_all(process) == b"found\n"
    finally:
        await process.stop(2.0)


async def test_a_failed_start_leaves_no_descriptor_open() -> None:
    before = open_descriptors()
    for _ in range(20):
        with pytest.raises(SpawnError):
            await AgentProcess.spawn(["no-such-agent"], "/")
    assert open_descriptors() == before


# Bytes


async def test_bytes_go_there_and_back_however_many() -> None:
    sent = os.urandom(1024) * 2_000
    received = b""
    async with running(["cat"]) as process, anyio.create_task_group() as tasks:
        tasks.start_soon(process.send, sent)
        while len(received) < len(sent):
            received += await process.receive()
    assert received == sent


async def test_an_agent_that_closed_its_stdin_is_told_by_the_outcome() -> None:
    async with running(
        python("import os, time; os.close(0); print(1, flush=True); time.sleep(9)")
    ) as p:
        await p.receive()
        assert not await p.send(b"x")


async def test_sending_after_the_exit_is_an_outcome_too() -> None:
    async with running(["true"]) as process:
        await process.wait()
        assert not await process.send(b"x" * 1_000_000)


async def test_stopping_releases_a_send_that_an_agent_never_reads() -> None:
    outcome: list[bool] = []

    async def send(process: AgentProcess) -> None:
        outcome.append(await process.send(b"x" * 10_000_000))

    with anyio.fail_after(PATIENCE):
        async with running(["sleep", "60"]) as process, anyio.create_task_group() as tasks:
            tasks.start_soon(send, process)
            await anyio.wait_all_tasks_blocked()
            await process.stop(0.1)
    assert outcome == [False]


@pytest.mark.slow
async def test_a_flood_of_output_leaves_room_for_other_tasks() -> None:
    received = most = 0

    async def watch() -> None:
        nonlocal most
        while True:
            before = received
            await anyio.lowlevel.checkpoint()
            most = max(most, received - before)

    flood = ["sh", "-c", "head -c 200000000 /dev/zero"]
    async with running(flood) as process, anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        while chunk := await process.receive():
            received += len(chunk)
        tasks.cancel_scope.cancel()
    assert received == 200_000_000
    assert most < 2_000_000  # between two turns of another task


# Stderr


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("write(b'one\\ntwo\\r\\n\\nlast')", ["one", "two", "", "last"]),
        ("write('gr\\u00fcn\\n'.encode())", ["grün"]),
        ("write(b'\\x1b[31mred\\x1b[0m \\x1b]0;title\\x07\\n')", ["red "]),
        ("write(b'bad \\xff byte\\n')", ["bad \ufffd byte"]),
        ("write(b'10%\\r50%\\r100%\\n')", ["100%"]),
        ("write(b'a\\tb\\x00c\\n')", ["a b␀c"]),
        ("pass", []),
    ],
)
async def test_stderr_comes_in_clean_lines(code: str, lines: list[str]) -> None:
    assert await stderr_of(code) == lines


async def test_a_line_cut_by_the_limit_ends_in_an_ellipsis_and_the_next_is_whole() -> None:
    lines = await stderr_of(
        f"write(b'x' * {LINE_LIMIT + 1} + b'\\n' + b'y' * {LINE_LIMIT} + b'\\nz\\n')"
    )
    assert lines == ["x" * LINE_LIMIT + "…", "y" * LINE_LIMIT, "z"]


async def test_a_cut_does_not_damage_a_character() -> None:
    (line,) = await stderr_of(f"write('{'€' * LINE_LIMIT}'.encode())")
    assert line == "€" * (LINE_LIMIT // 3) + "…"


async def test_much_stderr_without_a_newline_costs_no_memory() -> None:
    tracemalloc.start()
    try:
        lines = await stderr_of("[write(b'x' * 1_000_000) for _ in range(40)]")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert lines == ["x" * LINE_LIMIT + "…"]
    assert peak < 2_000_000


async def test_much_stderr_does_not_block_the_agent() -> None:
    async with running(
        python("import sys; sys.stderr.write(('x' * 999 + '\\n') * 4_000); print('done')")
    ) as process:
        counted = 0

        async def count() -> None:
            nonlocal counted
            async for _ in process.stderr_lines():
                counted += 1

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(count)
                assert await read_all(process) == b"done\n"
    assert counted == 4_000


# Exit


@pytest.mark.parametrize(
    ("argv", "ended"),
    [
        (["true"], Exit(0)),
        (["sh", "-c", "exit 3"], Exit(3)),
        (["sh", "-c", "exit 255"], Exit(255)),
        (["sh", "-c", "kill -KILL $$"], Exit(None, "SIGKILL")),
        (["sh", "-c", "kill -SEGV $$"], Exit(None, "SIGSEGV")),
        (["sh", "-c", "kill -HUP $$"], Exit(None, "SIGHUP")),
    ],
)
async def test_the_exit_is_told_by_code_or_signal(argv: list[str], ended: Exit) -> None:
    async with running(argv) as process:
        with anyio.fail_after(PATIENCE):
            assert await process.wait() == ended
            assert await process.stop(2.0) == ended
            assert await process.wait() == ended


@pytest.mark.skipif(not hasattr(signal, "SIGRTMIN"), reason="the system has no real-time signals")
async def test_a_signal_without_a_name_is_told_by_number() -> None:
    number = signal.SIGRTMIN + 3
    async with running(["sh", "-c", f"kill -{number} $$"]) as process:
        assert await process.wait() == Exit(None, f"SIG{number}")


async def test_the_exit_is_told_though_a_grandchild_holds_stdout() -> None:
    async with running(["sh", "-c", "sleep 60 & exit 4"]) as process:
        with anyio.fail_after(PATIENCE):
            assert await process.wait() == Exit(4)


async def test_several_tasks_may_wait_for_the_exit() -> None:
    ended: list[Exit] = []

    async def wait(process: AgentProcess) -> None:
        ended.append(await process.wait())

    async with running(["sleep", "0.1"]) as process, anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(wait, process)
    assert ended == [Exit(0)] * 3


async def test_the_exit_is_seen_where_no_descriptor_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    monkeypatch.delattr(os, "waitid", raising=False)
    async with running(["sh", "-c", "sleep 0.1; exit 5"]) as process:
        with anyio.fail_after(PATIENCE):
            assert await process.wait() == Exit(5)


async def test_an_exit_that_somebody_else_has_taken_is_unknown_not_a_hang() -> None:
    async with running(["sleep", "0.05"]) as process:
        os.waitpid(process.pid, 0)
        with anyio.fail_after(PATIENCE):
            assert await process.wait() == Exit(None)
            assert await process.stop(2.0) == Exit(None)


# Stop


async def test_an_agent_that_leaves_at_the_end_of_its_stdin_is_not_signalled() -> None:
    async with running(["cat"]) as process:
        with anyio.fail_after(PATIENCE):
            assert await process.stop(60) == Exit(0)


async def test_what_an_agent_writes_on_leaving_does_not_hold_it_up() -> None:
    code = (
        "import sys; sys.stdin.read(); [f.write('x' * 1_000_000) for f in (sys.stdout, sys.stderr)]"
    )
    async with running(python(code)) as process:
        with anyio.fail_after(PATIENCE):
            assert await process.stop(60) == Exit(0)


async def test_the_last_words_go_to_those_who_still_read() -> None:
    code = "import sys; sys.stdin.read(); sys.stdout.write('x' * 1_000_000)"
    received = b""

    async def read(process: AgentProcess) -> None:
        nonlocal received
        received = await read_all(process)

    async with running(python(code)) as process, anyio.create_task_group() as tasks:
        tasks.start_soon(read, process)
        await anyio.wait_all_tasks_blocked()
        await process.stop(60)  # it ends by itself, once it has started
    assert len(received) == 1_000_000


async def test_an_agent_that_stays_is_terminated() -> None:
    async with running(["sleep", "60"]) as process:
        assert await process.stop(0.1) == Exit(None, "SIGTERM")


async def test_an_agent_that_ignores_all_is_killed_in_time(
    process_state: Callable[[int], str],
) -> None:
    async with running(python(IGNORES_EVERYTHING)) as process:
        await process.receive()
        started = time.monotonic()
        assert await process.stop(0.2) == Exit(None, "SIGKILL")
        assert time.monotonic() - started >= 0.4
    assert process_state(process.pid) == ""


async def grandchild_of(process: AgentProcess) -> int:
    line = b""
    with anyio.fail_after(PATIENCE):
        while not line.endswith(b"\n"):
            line += await process.receive()
    return int(line)


@pytest.mark.parametrize(
    "code",
    [
        "sleep 60 & echo $!; wait",
        "sleep 60 & echo $!; exit 0",
        "(trap '' TERM; sleep 60) & echo $!; exit 0",
    ],
    ids=["under a living leader", "left behind", "left behind and stubborn"],
)
async def test_grandchildren_end_with_the_agent(code: str, dead: Callable[[int], bool]) -> None:
    async with running(["sh", "-c", code]) as process:
        grandchild = await grandchild_of(process)
    assert dead(grandchild)


async def test_no_zombie_and_no_descriptor_is_left(process_state: Callable[[int], str]) -> None:
    before = open_descriptors()
    async with running(["sh", "-c", "sleep 60 & exit 0"]) as process:
        await process.wait()
    assert process_state(process.pid) == ""
    assert open_descriptors() == before
    with pytest.raises(ChildProcessError):
        os.waitpid(process.pid, os.WNOHANG)


async def test_stopping_completes_when_it_is_cancelled(
    process_state: Callable[[int], str],
) -> None:
    process = await AgentProcess.spawn(python(IGNORES_EVERYTHING), "/")
    await process.receive()
    with anyio.move_on_after(0.05):
        await process.stop(0.2)
    assert process_state(process.pid) == ""


async def test_stopping_twice_at_once_and_once_more_is_the_same_stop() -> None:
    async with running(["sleep", "60"]) as process:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(process.stop, 0.1)
            tasks.start_soon(process.stop, 0.1)
        assert await process.stop(2.0) == Exit(None, "SIGTERM")
        assert await process.receive() == b""


async def test_killing_now_ends_the_whole_group(dead: Callable[[int], bool]) -> None:
    async with running(["sh", "-c", "sleep 60 & echo $!; wait"]) as process:
        grandchild = await grandchild_of(process)
        process.kill_now()
        assert await process.wait() == Exit(None, "SIGKILL")
        assert dead(grandchild)


async def test_killing_now_after_the_stop_signals_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    process = await AgentProcess.spawn(["true"], "/")
    await process.stop(2.0)
    monkeypatch.setattr(os, "killpg", lambda *_: pytest.fail("a stranger may have the id by now"))
    process.kill_now()


async def test_an_exited_agent_keeps_its_id_until_it_is_stopped() -> None:
    async with running(["true"]) as process:
        await process.wait()
        os.killpg(process.pid, 0)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


async def test_where_there_are_no_groups_the_agent_itself_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "killpg")
    async with running(["sleep", "60"]) as process:
        assert await process.stop(0.1) == Exit(None, "SIGTERM")
