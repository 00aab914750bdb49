"""The agent's terminals: what runs, what is kept of its output, and how all of it ends."""

import os
import sys
import time
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from acp_tui.client import terminals as module
from acp_tui.client.errors import ServiceError
from acp_tui.client.terminals import HIGHEST_LIMIT, MOST_TERMINALS, OutputTail, Terminals
from acp_tui.protocol.events import LocalEvent
from acp_tui.protocol.json_decoder import LONGEST_LINE
from acp_tui.protocol.jsonrpc import ErrorCode, Response, encode
from acp_tui.protocol.process_events import OutputOmitted, TerminalExited, TerminalOutput
from acp_tui.protocol.requests import CreateTerminalParams, EnvVariable, TerminalExitStatus
from tests.hosting import PATIENCE, eventually

pytestmark = pytest.mark.anyio


class Bench:
    """Terminals whose events are kept, with a short way to make one."""

    def __init__(self, terminals: Terminals, events: list[LocalEvent]) -> None:
        self.terminals = terminals
        self.events = events

    async def create(self, command: str, *args: str, **more: object) -> str:
        params = CreateTerminalParams(
            session_id="s",
            command=command,
            args=list(args),
            **more,  # type: ignore[arg-type]
        )
        return (await self.terminals.create(params, "/")).terminal_id

    async def run(self, command: str, *args: str, **more: object) -> str:
        """Run to the end; return the output."""
        terminal_id = await self.create(command, *args, **more)
        with anyio.fail_after(PATIENCE):
            await self.terminals.wait_for_exit(terminal_id)
        return self.terminals.output(terminal_id).output

    async def until_output(self, terminal_id: str, ending: str = "\n") -> str:
        await eventually(lambda: self.terminals.output(terminal_id).output.endswith(ending))
        return self.terminals.output(terminal_id).output

    def emitted(self, terminal_id: str) -> bytes:
        return b"".join(
            event.data
            for event in self.events
            if isinstance(event, TerminalOutput) and event.terminal_id == terminal_id
        )


@asynccontextmanager
async def open_bench() -> AsyncIterator[Bench]:
    events: list[LocalEvent] = []
    async with anyio.create_task_group() as tasks:
        terminals = Terminals(tasks, lambda: 42.0, events.append)
        try:
            yield Bench(terminals, events)
        finally:
            await terminals.close_all()


async def refused(says: str, doing: Awaitable[object]) -> int:
    """Await what must fail so; return the error's code."""
    with pytest.raises(ServiceError, match=says) as caught:
        await doing
    return caught.value.error.code


async def output(terminals: Terminals, terminal_id: str) -> object:
    return terminals.output(terminal_id)


# Start


async def test_arguments_are_given_as_they_are() -> None:
    async with open_bench() as bench:
        assert await bench.run("printf", "%s|", "a b", "$HOME", "*") == "a b|$HOME|*|"


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("echo one && echo two | tr t T", "one\nTwo\n"),
        ("echo $((6 * 7))", "42\n"),
        ("cd /usr; pwd", "/usr\n"),
        ("pwd", "/\n"),
    ],
)
async def test_a_command_line_without_arguments_goes_through_a_shell(
    line: str, output: str
) -> None:
    async with open_bench() as bench:
        assert await bench.run(line) == output


async def test_a_program_without_arguments_needs_no_shell(tmp_path: Path) -> None:
    program = tmp_path / "with space; exit 9"
    program.write_text("#!/bin/sh\necho $#\n")
    program.chmod(0o755)
    async with open_bench() as bench:
        assert await bench.run(str(program)) == "0\n"
        assert await bench.run("./with space; exit 9", cwd=str(tmp_path)) == "0\n"


async def test_a_line_with_an_unknown_program_fails_as_in_a_shell() -> None:
    async with open_bench() as bench:
        terminal_id = await bench.create("no-such-command -v")
        assert (await bench.terminals.wait_for_exit(terminal_id)).exit_code == 127
        assert "not found" in bench.terminals.output(terminal_id).output


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("/no/such/file", "no such file"),
        ("./no-such-file", "no such file"),
        ("no-such-command", "no such command"),
    ],
)
async def test_a_missing_program_is_an_error_not_a_shells_127(command: str, why: str) -> None:
    async with open_bench() as bench:
        code = await refused(f"Can't start '{command}': {why}", bench.create(command))
        assert code == ErrorCode.INVALID_PARAMS


async def test_the_environment_is_ours_with_the_given_on_top(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KEPT", "ours")
    env = [EnvVariable(name="A", value="1"), EnvVariable(name="A", value="a=b c")]
    async with open_bench() as bench:
        assert await bench.run("echo $KEPT $A", env=env) == "ours a=b c\n"


async def test_the_folder_is_the_given_or_the_sessions(tmp_path: Path) -> None:
    async with open_bench() as bench:
        assert await bench.run("pwd", cwd=str(tmp_path)) == f"{tmp_path}\n"
        assert await bench.run("pwd") == "/\n"


async def test_stdin_is_empty_and_there_is_no_terminal_to_ask() -> None:
    async with open_bench() as bench:
        with anyio.fail_after(PATIENCE):
            assert await bench.run("cat; (: < /dev/tty) 2>/dev/null || echo none") == "none\n"


@pytest.mark.parametrize(
    ("command", "args", "more", "says"),
    [
        ("echo", ["x"], {"cwd": "relative"}, "absolute path, not 'relative'"),
        ("echo", ["x"], {"cwd": "/no/such"}, "not a folder: '/no/such'"),
        ("no-such-command", ["x"], {}, "'no-such-command': no such command"),
        ("", [], {}, "empty command"),
        ("echo", ["a\0b"], {}, "null"),
        ("echo", ["x"], {"env": [EnvVariable(name="A=B", value="")]}, "illegal environment"),
    ],
)
async def test_what_cannot_run_is_refused_in_words(
    command: str, args: list[str], more: dict[str, object], says: str
) -> None:
    async with open_bench() as bench:
        code = await refused(says, bench.create(command, *args, **more))
        assert code == ErrorCode.INVALID_PARAMS
        assert bench.events == []


async def test_one_too_many_is_refused_until_one_is_released(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_TERMINALS", 3)
    async with open_bench() as bench:
        first, *_ = [await bench.create("true") for _ in range(3)]
        code = await refused("3 terminals are open, which is the limit", bench.create("true"))
        assert code == ErrorCode.INTERNAL_ERROR
        await bench.terminals.release(first)
        await bench.create("true")


@pytest.mark.slow
async def test_as_many_as_allowed_run_at_once_and_all_end() -> None:
    async with open_bench() as bench:
        for _ in range(MOST_TERMINALS):
            await bench.create("sleep", "60")
        with anyio.fail_after(PATIENCE):
            await bench.terminals.close_all()
        exits = [event for event in bench.events if isinstance(event, TerminalExited)]
        assert [event.signal for event in exits] == ["SIGTERM"] * MOST_TERMINALS


# Output


async def test_both_streams_come_in_the_order_of_writing() -> None:
    line = "for i in 1 2 3; do echo out$i; echo err$i >&2; done"
    async with open_bench() as bench:
        assert await bench.run(line) == "out1\nerr1\nout2\nerr2\nout3\nerr3\n"


async def test_output_can_be_had_while_the_command_runs() -> None:
    async with open_bench() as bench:
        terminal_id = await bench.create("echo ready; sleep 60")
        assert await bench.until_output(terminal_id) == "ready\n"
        assert bench.terminals.output(terminal_id).exit_status is None


async def test_events_tell_all_bytes_and_then_the_exit() -> None:
    async with open_bench() as bench:
        terminal_id = await bench.create("printf 'a\\377'; sleep 0.1; printf b; exit 7")
        await bench.terminals.wait_for_exit(terminal_id)
        assert bench.emitted(terminal_id) == b"a\xffb"
        assert bench.events[-1] == TerminalExited(42.0, terminal_id, 7, None)


async def test_a_trickle_is_told_in_few_events() -> None:
    code = "import os, time\nfor _ in range(500): os.write(1, b'x'); time.sleep(0.0002)"
    async with open_bench() as bench:
        await bench.run(sys.executable, "-S", "-c", code)
        assert len(bench.events) < 100


async def test_a_character_that_comes_in_two_reads_is_whole(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    waits = f"until [ -e '{gate}' ]; do sleep 0.01; done"
    async with open_bench() as bench:
        terminal_id = await bench.create(rf"printf '\342\202'; {waits}; printf '\254\n'")
        await eventually(lambda: bench.emitted(terminal_id) == b"\342\202")
        assert bench.terminals.output(terminal_id).output == ""
        gate.touch()
        assert await bench.until_output(terminal_id) == "€\n"


async def test_half_a_character_at_the_end_is_replaced() -> None:
    async with open_bench() as bench:
        assert await bench.run(r"printf 'a\377b\342\202'") == "a\ufffdb\ufffd"


@pytest.mark.parametrize(
    ("text", "limit", "kept", "truncated"),
    [
        ("0123456789", 10, "0123456789", False),
        ("0123456789", 4, "6789", True),
        ("0123456789", 0, "", True),
        ("", 0, "", False),
        ("€€€€", 10, "€€€", True),
        ("€€€€", 12, "€€€€", False),
        ("é😀é", 5, "é", True),
        ("é😀é", 6, "😀é", True),
        ("é😀é", 2, "é", True),
        ("é😀é", 1, "", True),
    ],
)
async def test_the_limit_keeps_the_end_from_a_whole_character_on(
    text: str, limit: int, kept: str, truncated: bool
) -> None:
    async with open_bench() as bench:
        terminal_id = await bench.create("printf", "%s", text, output_byte_limit=limit)
        await bench.terminals.wait_for_exit(terminal_id)
        result = bench.terminals.output(terminal_id)
        assert (result.output, result.truncated) == (kept, truncated)


async def test_the_limit_counts_the_bytes_of_the_answer() -> None:
    async with open_bench() as bench:
        output = await bench.run(r"printf '\377\377\377\377abc'", output_byte_limit=6)
        assert output == "\ufffdabc"


@pytest.mark.slow
async def test_a_flood_costs_no_memory_and_keeps_the_loop_free() -> None:
    received = most = 0

    async def watch() -> None:
        nonlocal most
        while True:
            before = read()
            await anyio.lowlevel.checkpoint()
            most = max(most, read() - before)

    def read() -> int:
        return sum(one.received for one in terminals._terminals.values())

    def count(event: LocalEvent) -> None:
        nonlocal received
        received += len(event.data) if isinstance(event, TerminalOutput) else 0
        received += event.size if isinstance(event, OutputOmitted) else 0

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        terminals = Terminals(tasks, time.time, count)
        tracemalloc.start()
        try:
            params = CreateTerminalParams(
                session_id="s", command="head -c 300000000 /dev/zero; echo end"
            )
            terminal_id = (await terminals.create(params, "/")).terminal_id
            await terminals.wait_for_exit(terminal_id)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        result = terminals.output(terminal_id)
        await terminals.close_all()
        tasks.cancel_scope.cancel()
    assert received == 300_000_004
    assert result.output.endswith("\0end\n")
    assert (len(result.output), result.truncated) == (module.DEFAULT_LIMIT, True)
    assert peak < 8_000_000
    assert most < 2_000_000  # between two turns of another task


async def test_a_huge_limit_is_lowered() -> None:
    async with open_bench() as bench:
        size = HIGHEST_LIMIT + 5
        output = await bench.run(f"head -c {size} /dev/zero | tr '\\0' x", output_byte_limit=10**15)
        assert len(output) <= HIGHEST_LIMIT


@pytest.mark.parametrize("byte", [r"\0", r"\n", "x"])
async def test_output_always_fits_into_an_answer(
    byte: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = LONGEST_LINE // 8
    monkeypatch.setattr(module, "LONGEST_LINE", longest)
    monkeypatch.setattr(module, "_SHORT", module._SHORT // 8)
    async with open_bench() as bench:
        line = f"head -c {longest} /dev/zero | tr '\\0' '{byte}'"
        terminal_id = await bench.create(line, output_byte_limit=longest)
        await bench.terminals.wait_for_exit(terminal_id)
        result = bench.terminals.output(terminal_id)
        assert result.truncated
        assert len(result.output) > longest // 7
        assert len(encode(Response(10**9, result.model_dump()))) <= longest


def test_the_kept_output_does_not_depend_on_how_it_came() -> None:
    data = ("aé€😀" * 20_000).encode()
    at_once, in_pieces = OutputTail(1000), OutputTail(1000)
    at_once.add(data)
    for start in range(0, len(data), 7):
        in_pieces.add(data[start : start + 7])
    assert in_pieces.text(final=True) == at_once.text(final=True)


# Exit


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("true", TerminalExitStatus(exit_code=0)),
        ("exit 3", TerminalExitStatus(exit_code=3)),
        ("kill -KILL $$", TerminalExitStatus(signal="SIGKILL")),
        ("kill -TERM $$", TerminalExitStatus(signal="SIGTERM")),
    ],
)
async def test_the_exit_is_a_code_or_a_signal(line: str, status: TerminalExitStatus) -> None:
    async with open_bench() as bench:
        terminal_id = await bench.create(line)
        with anyio.fail_after(PATIENCE):
            assert await bench.terminals.wait_for_exit(terminal_id) == status
            assert await bench.terminals.wait_for_exit(terminal_id) == status
        assert bench.terminals.output(terminal_id).exit_status == status


async def test_all_output_is_there_when_the_exit_is_told() -> None:
    async with open_bench() as bench:
        for _ in range(5):
            assert len(await bench.run("head -c 500000 /dev/zero; echo")) == 500_001


async def test_a_background_process_with_the_pipe_does_not_hold_up_the_exit(
    dead: Callable[[int], bool],
) -> None:
    async with open_bench() as bench:
        terminal_id = await bench.create("(sleep 0.5; echo late; exec sleep 60) & echo $!; exit 5")
        with anyio.fail_after(PATIENCE):
            status = await bench.terminals.wait_for_exit(terminal_id)
        assert status.exit_code == 5
        assert await bench.until_output(terminal_id, "late\n")
        background = int(bench.terminals.output(terminal_id).output.split()[0])
        await bench.terminals.release(terminal_id)
        assert dead(background)


@pytest.mark.slow
async def test_a_background_flood_does_not_hold_up_the_exit_for_ever() -> None:
    async with open_bench() as bench:
        terminal_id = await bench.create("yes & exit 0")
        with anyio.fail_after(PATIENCE):
            assert (await bench.terminals.wait_for_exit(terminal_id)).exit_code == 0


async def test_waiting_holds_up_nothing_and_several_may_wait() -> None:
    statuses: list[TerminalExitStatus] = []

    async with open_bench() as bench:
        terminal_id = await bench.create("echo ready; sleep 60")

        async def wait() -> None:
            statuses.append(await bench.terminals.wait_for_exit(terminal_id))

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait)
                tasks.start_soon(wait)
                await bench.until_output(terminal_id)
                assert statuses == []
                assert await bench.run("echo other") == "other\n"
                await bench.terminals.kill(terminal_id)
    assert statuses == [TerminalExitStatus(signal="SIGTERM")] * 2


# End


async def test_after_a_kill_the_id_still_tells_output_and_exit() -> None:
    async with open_bench() as bench:
        terminal_id = await bench.create("echo ready; sleep 60")
        await bench.until_output(terminal_id)
        await bench.terminals.kill(terminal_id)
        result = bench.terminals.output(terminal_id)
        assert result.output == "ready\n"
        assert result.exit_status == TerminalExitStatus(signal="SIGTERM")
        await bench.terminals.kill(terminal_id)


async def test_killing_what_has_exited_leaves_its_exit_code() -> None:
    async with open_bench() as bench:
        terminal_id = await bench.create("exit 3")
        await bench.terminals.wait_for_exit(terminal_id)
        await bench.terminals.kill(terminal_id)
        assert (await bench.terminals.wait_for_exit(terminal_id)).exit_code == 3


async def test_a_command_that_ignores_the_signal_is_killed_with_its_group(
    monkeypatch: pytest.MonkeyPatch, dead: Callable[[int], bool]
) -> None:
    monkeypatch.setattr(module, "KILL_GRACE", 0.2)
    async with open_bench() as bench:
        terminal_id = await bench.create("trap '' TERM; sleep 60 & echo $!; wait; wait")
        grandchild = int(await bench.until_output(terminal_id))
        with anyio.fail_after(PATIENCE):
            await bench.terminals.kill(terminal_id)
            status = await bench.terminals.wait_for_exit(terminal_id)
        assert status == TerminalExitStatus(signal="SIGKILL")
        assert dead(grandchild)


async def test_releasing_ends_the_command_and_frees_those_who_wait(
    process_state: Callable[[int], str],
) -> None:
    statuses: list[TerminalExitStatus] = []
    async with open_bench() as bench:
        terminal_id = await bench.create("echo $$; exec sleep 60")
        pid = int(await bench.until_output(terminal_id))

        async def wait() -> None:
            statuses.append(await bench.terminals.wait_for_exit(terminal_id))

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait)
                await anyio.wait_all_tasks_blocked()
                await bench.terminals.release(terminal_id)
        assert process_state(pid) == ""
        assert statuses == [TerminalExitStatus(signal="SIGTERM")]
        assert bench.events[-1] == TerminalExited(42.0, terminal_id, None, "SIGTERM")


@pytest.mark.parametrize(
    "call", [output, Terminals.wait_for_exit, Terminals.kill, Terminals.release]
)
@pytest.mark.parametrize("released", [False, True])
async def test_an_unknown_or_released_id_is_an_error(
    call: Callable[[Terminals, str], Awaitable[object]], released: bool
) -> None:
    async with open_bench() as bench:
        terminal_id = await bench.create("true") if released else "term-none"
        if released:
            await bench.terminals.release(terminal_id)
        code = await refused(
            f"No terminal '{terminal_id}'.*released", call(bench.terminals, terminal_id)
        )
        assert code == ErrorCode.INVALID_PARAMS


async def test_nothing_is_left_when_all_is_closed(process_state: Callable[[int], str]) -> None:
    before = len(list(Path("/dev/fd").iterdir()))
    async with open_bench() as bench:
        ids = [await bench.create("echo $$; exec sleep 60") for _ in range(5)]
        ids += [await bench.create("echo $$") for _ in range(5)]
        pids = [int(await bench.until_output(terminal_id)) for terminal_id in ids]
        await bench.terminals.close_all()
        assert [process_state(pid) for pid in pids] == [""] * 10
        assert await refused("closing", bench.create("true")) == ErrorCode.INTERNAL_ERROR
    assert len(list(Path("/dev/fd").iterdir())) == before


async def test_nothing_is_left_when_all_is_cancelled(process_state: Callable[[int], str]) -> None:
    events: list[LocalEvent] = []
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:
            terminals = Terminals(tasks, time.time, events.append)
            try:
                bench = Bench(terminals, events)
                pid = int(await bench.until_output(await bench.create("echo $$; exec sleep 60")))
                scope.cancel()
                await anyio.sleep(60)
            finally:
                await terminals.close_all()
    assert process_state(pid) == ""
    assert isinstance(events[-1], TerminalExited)


async def test_a_task_group_that_is_cancelled_first_ends_its_commands(
    process_state: Callable[[int], str],
) -> None:
    events: list[LocalEvent] = []
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            terminals = Terminals(tasks, time.time, events.append)
            bench = Bench(terminals, events)
            pid = int(await bench.until_output(await bench.create("echo $$; exec sleep 60")))
            tasks.cancel_scope.cancel()
        await terminals.close_all()
    assert process_state(pid) == ""


async def test_killing_now_waits_for_nothing() -> None:
    async with open_bench() as bench:
        terminal_id = await bench.create("trap '' TERM; echo ready; sleep 60; sleep 60")
        await bench.until_output(terminal_id)
        bench.terminals.kill_now()
        status = await bench.terminals.wait_for_exit(terminal_id)
        assert status == TerminalExitStatus(signal="SIGKILL")


async def test_too_few_descriptors_are_an_error_of_that_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none_left() -> tuple[int, int]:
        raise OSError(24, os.strerror(24))

    async with open_bench() as bench:
        monkeypatch.setattr(os, "pipe", none_left)
        code = await refused("Too many open files", bench.create("true", "x"))
        assert code == ErrorCode.INTERNAL_ERROR
