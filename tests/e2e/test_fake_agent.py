"""The scripted agent does what its script says, and tells what came over the wire."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import pytest

from tests.fake_agent.script import Played, Script
from tests.hosting import PATIENCE, wait_until

HELLO = b'{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":1}}\n'
NEW = b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}\n'
PROMPT = (
    b'{"jsonrpc":"2.0","id":0,"method":"session/prompt",'
    b'"params":{"sessionId":"s1","prompt":[{"type":"text","text":"hi"}]}}\n'
)


def run(script: Script, folder: Path, sent: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(script.argv(folder), input=sent, capture_output=True, timeout=PATIENCE)


@contextmanager
def started(
    script: Script, folder: Path
) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes], IO[bytes]]]:
    argv = script.argv(folder)
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process, process.stdin, process.stdout
        finally:
            process.kill()


def messages(output: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_a_whole_turn(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("hel").chunk("lo").end_turn()
    ended = run(script, tmp_path, HELLO + NEW + PROMPT)
    hello, new, first, second, answer = messages(ended.stdout)
    assert (hello["id"], new["result"]) == ("a", {"sessionId": "s1"})
    assert first["params"]["update"]["content"]["text"] == "hel"
    assert second["params"]["sessionId"] == "s1"
    assert answer == {"jsonrpc": "2.0", "id": 0, "result": {"stopReason": "end_turn"}}
    played = Played(tmp_path)
    played.check()
    assert played.calls("session/prompt")[0]["params"]["prompt"][0]["text"] == "hi"
    assert ended.returncode == 0


def test_an_answer_is_compared_and_can_be_used_later(tmp_path: Path) -> None:
    outcome = {"outcome": "selected", "optionId": "yes"}
    script = (
        Script()
        .ask_permission()
        .expect_answer("ask", result={"outcome": {"outcome": "selected"}})
        .chunk("you said ${ask.result.outcome.optionId}")
    )
    answer = {"jsonrpc": "2.0", "id": 1001, "result": {"outcome": outcome}}
    ended = run(script, tmp_path, json.dumps(answer).encode() + b"\n")
    asked, said = messages(ended.stdout)
    assert [option["kind"] for option in asked["params"]["options"]] == [
        "allow_once",
        "allow_always",
        "reject_once",
        "reject_always",
    ]
    assert said["params"]["update"]["content"]["text"] == "you said yes"
    Played(tmp_path).check()


def test_a_wrong_value_is_noted_and_the_script_goes_on(tmp_path: Path) -> None:
    script = Script().expect("initialize", {"protocolVersion": 2}).reply("initialize")
    ended = run(script, tmp_path, HELLO)
    assert messages(ended.stdout)[0]["id"] == "a"
    with pytest.raises(AssertionError, match=r"params.protocolVersion is 1, expected 2"):
        Played(tmp_path).check()


def test_a_call_that_never_comes_ends_the_agent(tmp_path: Path) -> None:
    ended = run(Script().expect("session/new"), tmp_path, HELLO)
    assert ended.returncode == 70
    with pytest.raises(AssertionError, match="expected session/new, but stdin ended"):
        Played(tmp_path).check()


def test_an_answer_with_another_type_of_id_is_none(tmp_path: Path) -> None:
    script = Script().request("_x", {}, id=7).expect_answer("_x", timeout=0.2)
    assert run(script, tmp_path, b'{"jsonrpc":"2.0","id":"7","result":{}}\n').returncode == 70


def test_silence_is_broken_by_any_message(tmp_path: Path) -> None:
    run(Script().expect_silence(5), tmp_path, b"42\n")
    assert Played(tmp_path).failures[0]["got"] == 42


def test_raw_bytes_noise_and_stderr_come_out_as_given(tmp_path: Path) -> None:
    script = Script().raw(b"\xff\x00half", times=2).garbage("npm warn").stderr("oops\n", times=3)
    ended = run(script, tmp_path, b"")
    assert ended.stdout == b"\xff\x00half\xff\x00halfnpm warn\n"
    assert ended.stderr == b"oops\n" * 3


@pytest.mark.parametrize(
    ("script", "code"),
    [(Script().exit(3), 3), (Script().kill(), -signal.SIGKILL), (Script().kill(15), -15)],
)
def test_it_ends_as_told(tmp_path: Path, script: Script, code: int) -> None:
    assert run(script, tmp_path, b"").returncode == code
    Played(tmp_path).check()


def test_each_start_plays_its_own_script(tmp_path: Path) -> None:
    argv = Script().exit(1).argv(tmp_path, Script().exit(2))
    codes = [subprocess.run(argv, input=b"", timeout=PATIENCE).returncode for _ in range(3)]
    assert codes == [1, 2, 2]
    assert Played(tmp_path, run=3).finished


def test_it_lives_on_without_stdin_and_after_sigterm_until_it_is_killed(tmp_path: Path) -> None:
    script = Script().ignore_eof().ignore_sigterm().chunk("ready")
    with started(script, tmp_path) as (process, stdin, stdout):
        stdout.readline()
        stdin.close()
        process.terminate()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)


def test_a_closed_stdout_is_seen_while_the_process_lives(tmp_path: Path) -> None:
    script = Script().chunk("bye").close_stdout()
    with started(script, tmp_path) as (process, stdin, stdout):
        assert stdout.read().count(b"\n") == 1
        assert process.poll() is None
        stdin.close()
        assert process.wait(PATIENCE) == 0


def unread(pipe: int) -> int:
    """How many bytes of a pipe nobody has read yet."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4), sys.byteorder)


def test_a_stopped_reader_lets_the_pipe_fill(tmp_path: Path) -> None:
    script = Script().stop_reading().chunk("stopped")
    with started(script, tmp_path) as (_, stdin, stdout):
        stdout.readline()
        pipe = stdin.fileno()
        os.set_blocking(pipe, False)
        os.write(pipe, b"x")
        wait_until(lambda: unread(pipe) == 0)  # the read that was under way is over
        with suppress(BlockingIOError):
            while os.write(pipe, b"x" * 4096):
                pass
        with pytest.raises(BlockingIOError):
            os.write(pipe, b"x")


def test_a_grandchild_outlives_the_agent(tmp_path: Path) -> None:
    assert run(Script().spawn_grandchild(own_session=True), tmp_path, b"").returncode == 0
    (grandchild,) = Played(tmp_path).grandchildren
    os.kill(grandchild, signal.SIGKILL)  # fails if there is no such process


HELLO_2 = (
    b'{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":2,'
    b'"info":{"name":"test","version":"1"},"capabilities":{}}}\n'
)


def updates(sent: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one["params"]["update"] for one in sent if one.get("method") == "session/update"]


def test_the_same_turn_in_version_2(tmp_path: Path) -> None:
    script = Script().handshake().prompt().thought("hm").chunk("hel").chunk("lo").end_turn()
    hello, new, accepted, *rest = messages(run(script, tmp_path, HELLO_2 + NEW + PROMPT).stdout)
    assert (hello["result"]["protocolVersion"], hello["result"]["info"]["name"]) == (
        2,
        "fake-agent",
    )
    assert new["result"] == {"sessionId": "s1"}
    assert (accepted["id"], accepted["result"]) == (0, {"messageId": "prompt-1"})
    echo, running, thought, first, second, idle = updates(rest)
    assert (echo["sessionUpdate"], echo["messageId"]) == ("user_message", "prompt-1")
    assert (running["state"], idle["state"], idle["stopReason"]) == ("running", "idle", "end_turn")
    assert first["messageId"] == second["messageId"] != thought["messageId"]
    Played(tmp_path).check()


def test_a_question_and_a_diff_in_version_2(tmp_path: Path) -> None:
    diff = {"type": "diff", "path": "/a", "newText": "tea\n"}
    script = Script().handshake().prompt().tool_call(content=[diff])
    script.ask_permission({"title": "Pour?"}).expect_answer("ask", result={"outcome": {}})
    script.update("current_mode_update", currentModeId="x")
    script.update("state_update", state="requires_action").end_turn()
    answer = b'{"jsonrpc":"2.0","id":1001,"result":{"outcome":{"outcome":"cancelled"}}}\n'
    ended = run(script, tmp_path, HELLO_2 + NEW + PROMPT + answer)
    *_, call, asked, action, idle = messages(ended.stdout)
    call, action, idle = updates([call, action, idle])
    assert call["sessionUpdate"] == "tool_call_update"
    assert call["content"][0]["changes"][0]["operation"] == "add"
    assert (asked["params"]["title"], "toolCall" in asked["params"]) == ("Pour?", False)
    assert (action["state"], idle["state"]) == ("requires_action", "idle")
    Played(tmp_path).check()


def test_calls_are_expected_by_the_names_of_version_1(tmp_path: Path) -> None:
    script = Script().initialize().expect("authenticate").reply("authenticate")
    script.expect("session/load", {"sessionId": "s1"}).reply("load")
    calls = b"""{"jsonrpc":"2.0","id":1,"method":"auth/login","params":{"methodId":"key"}}
{"jsonrpc":"2.0","id":2,"method":"session/resume","params":{"sessionId":"s1","cwd":"/"}}
"""
    ended = run(script, tmp_path, HELLO_2 + calls)
    assert [one["id"] for one in messages(ended.stdout)] == ["a", 1, 2]
    Played(tmp_path).check()


def test_a_prompt_can_be_left_unaccepted(tmp_path: Path) -> None:
    script = Script().handshake().expect("session/prompt", acknowledged=False)
    script.reply("prompt", {"messageId": "own"})
    *_, accepted = messages(run(script, tmp_path, HELLO_2 + NEW + PROMPT).stdout)
    assert accepted["result"] == {"messageId": "own"}


def test_an_agent_of_version_1_answers_in_its_form(tmp_path: Path) -> None:
    script = Script().only_version_1().handshake().prompt().end_turn()
    hello, _, answer = messages(run(script, tmp_path, HELLO_2 + NEW + PROMPT).stdout)
    assert hello["result"]["protocolVersion"] == 1
    assert "agentInfo" in hello["result"]
    assert answer["result"] == {"stopReason": "end_turn"}
