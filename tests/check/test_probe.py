"""What a probe does for the agent, as a client would."""

import sys
from pathlib import Path

import pytest

from acp_tui.check import bench as bench_module
from acp_tui.check import connection
from acp_tui.check.bench import Bench
from acp_tui.check.probe import Probe
from acp_tui.check.runner import CHECKS
from acp_tui.check.verdicts import CheckOutcome, CheckVerdict, Skip
from acp_tui.protocol.jsonrpc import Error
from acp_tui.testing.script import OPTIONS
from tests.check.running import stage_in
from tests.fake_agent.script import Played, Script

pytestmark = pytest.mark.anyio
OUTSIDE = "/etc/hosts"


async def test_what_is_outside_of_the_folder_is_refused_and_nothing_waits(tmp_path: Path) -> None:
    script = Script().handshake().prompt()
    script.request("fs/read_text_file", {"sessionId": "s1", "path": OUTSIDE}, save="read")
    script.expect_answer("read", error={}).end_turn()
    bench = Bench(stage_in(tmp_path, script.argv(tmp_path)), "A")
    async with bench.session() as (probe, session):
        turn = await bench.prompt(probe, session, "go")
        assert turn.stop_reason == "end_turn"
    Played(tmp_path).check()


async def test_a_check_may_answer_by_itself_or_later(tmp_path: Path) -> None:
    script = Script().handshake().prompt()
    script.request("_ask", {}, save="now").expect_answer("now", result={"a": 1})
    script.request("_wait", {}, save="later").expect_answer("later", error={}).end_turn()
    bench = Bench(stage_in(tmp_path, script.argv(tmp_path)), "A")
    async with bench.session() as (probe, session):
        probe.answers["_ask"] = lambda _: {"a": 1}
        probe.answers["_wait"] = lambda _: None
        turn = bench.send_prompt(probe, session, "go")
        await probe.until(lambda: probe.called("_wait"))
        probe.reply(probe.called("_wait")[0], Error(1, "too late"))
        assert (await bench.wait_for_end(probe, turn)).stop_reason == "end_turn"
    Played(tmp_path).check()


async def test_a_question_of_an_extension_is_not_left_open(tmp_path: Path) -> None:
    script = Script().handshake().prompt().request("_agentao.cn/ask_user", {}, save="asked")
    script.expect_answer("asked", error={"code": -32601}).end_turn()
    bench = Bench(stage_in(tmp_path, script.argv(tmp_path)), "A")
    async with bench.session() as (probe, session):
        assert (await bench.prompt(probe, session, "go")).stop_reason == "end_turn"
    Played(tmp_path).check()


async def test_what_a_command_says_before_it_fails_is_told(tmp_path: Path) -> None:
    last = "Error: no such image"
    where = "See --help."
    said = f"echo Trying... >&2; echo {last} >&2; echo {where} >&2"
    argv = ("/bin/sh", "-c", f"read line; {said}; exit 125")
    bench = Bench(stage_in(tmp_path, argv), "A")
    with pytest.raises(Skip) as skip:
        async with bench.agent() as probe:
            await bench.initialize(probe)
    assert skip.value.words == (
        f"no answer to initialize: the agent exited with code 125, and said: {last}"
    )


async def test_what_names_a_place_outside_of_the_folder_is_not_allowed(tmp_path: Path) -> None:
    call = {"toolCallId": "t", "title": "Edit", "kind": "edit", "locations": [{"path": OUTSIDE}]}
    script = Script().handshake().prompt()
    script.request(
        "session/request_permission",
        {"sessionId": "s1", "toolCall": call, "options": OPTIONS},
        save="ask",
    )
    outcome = {"outcome": {"outcome": "selected", "optionId": "no"}}
    script.expect_answer("ask", result=outcome).end_turn()
    bench = Bench(stage_in(tmp_path, script.argv(tmp_path)), "A")
    async with bench.session() as (probe, session):
        probe.permission = "allow_once"
        await bench.prompt(probe, session, "go")
    Played(tmp_path).check()


async def test_a_turn_that_takes_longer_than_the_person_waits_is_no_failure(
    tmp_path: Path,
) -> None:
    script = Script().handshake().prompt().sleep(2).end_turn()
    bench = Bench(stage_in(tmp_path, script.argv(tmp_path)), "A")
    async with bench.session() as (probe, session):
        bench.stage.patience = 0.2
        turn = bench.send_prompt(probe, session, "go")
        with pytest.raises(Skip, match=r"had not ended after 0\.2 s"):
            await bench.wait_for_end(probe, turn)


SAYS = (
    "import sys; sys.stdin.readline(); sys.stdout.write(%r); sys.stdout.flush(); sys.stdin.read()"
)


def agent_that_says(text: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", SAYS % text)


async def judged(folder: Path, text: str) -> tuple[CheckVerdict, Probe]:
    """What A1 says of an agent with such an answer to its first line, and of nothing after that."""
    bench = Bench(stage_in(folder, agent_that_says(text), patience=0.5, model=False), "A1")
    verdict = await next(one for one in CHECKS if one.id == "A1").run(bench)
    assert bench.cited is not None
    return verdict, bench.cited


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Loading" + "." * 5000, "not JSON: Loading"),
        ("Loading...", "the last line has no end: Loading..."),
        ('{"jsonrpc": "2.0", "x": "' + "y" * 5000, "a line that is longer than 64 MiB has no end"),
    ],
)
async def test_a_line_that_never_ends_is_no_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, words: str
) -> None:
    monkeypatch.setattr(bench_module, "LONGEST_CHECKED_LINE", 4500)
    verdict, probe = await judged(tmp_path, said)
    assert verdict.outcome is CheckOutcome.FAIL
    assert verdict.words.startswith(words)
    assert verdict.frames == (probe.wire.endless,)


async def test_a_message_that_is_cut_off_at_our_end_is_no_fault(tmp_path: Path) -> None:
    bench = Bench(stage_in(tmp_path, agent_that_says('{"jsonrpc": "2.0", "id'), patience=0.5), "A1")
    async with bench.agent() as probe:
        assert await probe.call("initialize", {}) is None
    assert probe.noise == []


async def test_of_much_noise_the_first_lines_are_kept_and_the_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "MOST_NOISE", 10)
    noise = "".join(f"{{line {number}\n" for number in range(5000))
    answer = '{"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": 1}}\n'
    verdict, probe = await judged(tmp_path, noise + answer)
    assert probe.answered(1) is not None
    assert (len(probe.noise), probe.wire.dropped_lines) == (10, 4990)
    assert "and 4,990 more lines that are no messages" in verdict.words
