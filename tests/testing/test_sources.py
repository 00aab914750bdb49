"""What `acp-tui export --pytest` and `--script` write: it runs, and does what was recorded."""

import ast
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.cli import main
from acp_tui.errors import AcpTuiError
from acp_tui.library.questions import PermissionRequest
from acp_tui.library.recordings import Recording
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.process_events import ProcessExited, StderrLine
from acp_tui.protocol.requests import PermissionOption
from acp_tui.recordings.recording import format_header, format_record
from acp_tui.testing.agent import AgentConfig, HostedAgent
from acp_tui.testing.recorded_script import literal_source, script_source
from acp_tui.testing.recorded_test import pytest_source
from tests.fake_agent.script import Played, Script
from tests.unit.debug.scenes import Wire

PERMISSION = "session/request_permission"
OPTIONS = [
    {"optionId": "y", "name": "Yes", "kind": "allow_once"},
    {"optionId": "n", "name": "No", "kind": "reject_once"},
]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A turn with a tool call that was allowed, and a second one that failed."""
    folder = tmp_path_factory.mktemp("recorded")
    script = (
        Script().handshake().prompt().chunk("In $${HOME}, ").tool_call("t1", "Edit it", kind="edit")
    )
    script.ask_permission({"toolCallId": "t1", "kind": "edit", "title": "Edit it"})
    script.expect_answer("ask").tool_call_update("t1", status="completed").chunk("done.").end_turn()
    path = folder / "my turn.jsonl"
    argv = ["--permissions", "allow", "--cwd", str(folder), "--record", str(path), "--"]
    prompt = f"Edit {folder}/a.py {{now}}"
    assert main.run(["run", prompt, *argv, *script.argv(folder)]) == 0
    return path


def exported(path: Path, form: str) -> Path:
    written = path.parent / f"{form[2:]}.py"
    written.unlink(missing_ok=True)
    assert main.run(["export", str(path), form, "-o", str(written)]) == 0
    return written


def test_the_script_is_an_agent_that_does_the_same(recorded: Path) -> None:
    agent = exported(recorded, "--script")
    command = ["--", sys.executable, str(agent)]
    assert main.run(["play", "--as-client", str(recorded), "--no-record", *command]) == 0


def test_the_test_passes_with_the_agent_and_fails_with_another(
    recorded: Path, tmp_path: Path
) -> None:
    source = exported(recorded, "--pytest").read_text("utf-8")
    assert 'acp_agent.prompt(f"Edit {acp_agent.folder}/a.py {{now}}")' in source
    found: dict[str, Any] = {}
    exec(source, found)
    played = (sys.executable, "-m", "acp_tui", "play", "--speed", "0", str(recorded))
    other = tuple(Script().handshake().prompt().chunk("In vain.").end_turn().argv(tmp_path))

    def run(command: tuple[str, ...], name: str) -> None:
        folder = tmp_path / name
        folder.mkdir()
        agent = HostedAgent(folder, tmp_path / f"{name}.jsonl", "reject")
        with agent.running(AgentConfig(command)):
            found["test_my_turn"](agent)

    run(played, "same")
    with pytest.raises(AssertionError):
        run(other, "other")


def test_where_answers_differ_the_test_answers_by_kind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wire = Wire().prompted()
    for id, (kind, chosen) in enumerate([("edit", "y"), ("execute", "n")], 5):
        call = {"toolCallId": kind, "kind": kind, "title": kind}
        wire.ask(id, PERMISSION, toolCall=call, options=OPTIONS)
        wire.out(id=id, result={"outcome": {"outcome": "selected", "optionId": chosen}})
    wire.ended().prompt(9).got(id=9, error={"code": -32603, "message": "broken"})
    path = tmp_path / "1 class.jsonl"
    path.write_text(
        "\n".join([format_header({"cwd": "/w"}), *map(format_record, wire.records), ""]), "utf-8"
    )
    assert main.run(["export", str(path), "--pytest", "-o", "-"]) == 0
    source = capsys.readouterr().out
    assert 'ANSWERS = {"edit": ["allow_once"], "execute": ["reject_once"]}' in source
    assert "from acp_tui import RequestError\n" in source
    assert "assert raised.value.code == -32603" in source
    assert "\n\n\ndef test_1_class(acp_agent):" in source
    assert [line for line in source.splitlines() if line != line.rstrip()] == []
    compile(source, "it", "exec")


def prompt_and_cancel(agent: HostedAgent, prompt: str) -> None:
    """Send a prompt, and cancel its turn once the agent has said something."""
    session = agent.session
    changes = session.changes()

    async def cancel() -> None:
        await anext(changes)
        await session.cancel()

    with ThreadPoolExecutor(1) as threads:
        threads.submit(agent.call, cancel)
        agent.prompt(prompt)


@pytest.mark.parametrize("how", ["an error", "an error after the cancel", "its exit"])
def test_a_turn_that_the_agent_fails_is_expected_to_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    script = Script().handshake().prompt(save="turn")
    if how == "an error after the cancel":
        script.chunk("on it").expect("session/cancel")
    if how == "its exit":
        script.exit(3)
    else:
        script.reply("turn", error={"code": -32603, "message": "broken"})
    recording = tmp_path / "recorded.jsonl"

    def play(name: str, test: Callable[[HostedAgent], None]) -> None:
        folder = tmp_path / name
        folder.mkdir()
        agent = HostedAgent(folder, tmp_path / f"{name}.jsonl", "reject")
        with agent.running(AgentConfig(tuple(script.argv(tmp_path)))):
            test(agent)

    def record(agent: HostedAgent) -> None:
        prompt = prompt_and_cancel if how == "an error after the cancel" else HostedAgent.prompt
        with pytest.raises(AcpTuiError):
            prompt(agent, "go")

    play("recorded", record)
    assert main.run(["export", str(recording), "--pytest", "-o", "-"]) == 0
    found: dict[str, Any] = {}
    exec(capsys.readouterr().out, found)
    play("again", found["test_recorded"])


def asks(script: Script, id: str, result: dict[str, Any]) -> Script:
    """Have the agent ask about an edit, and insist on an answer."""
    script.tool_call(id, "Edit it", kind="edit")
    options = [*OPTIONS, {"optionId": "y2", "name": "Yes, and format", "kind": "allow_once"}]
    script.ask_permission({"toolCallId": id, "kind": "edit"}, options, save=id)
    return script.expect_answer(id, result={"outcome": result}).tool_call_update(
        id, status="completed" if "optionId" in result else "failed"
    )


def test_the_test_gives_several_answers_to_one_kind_and_cancels_as_it_was_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("y2", "n", "cancelled", "y")
    script = Script().handshake().prompt()
    for at, one in enumerate(given):
        chosen = {"outcome": "selected", "optionId": one}
        asks(script, f"t{at}", {"outcome": one} if one == "cancelled" else chosen)
    script.end_turn().prompt(save="second").chunk("on it").expect("session/cancel")
    script.end_turn("cancelled", to="second")
    left = list(given)

    def recorded_answer(request: PermissionRequest) -> PermissionOption | None:
        wanted = left.pop(0)
        return next((one for one in request.options if one.option_id == wanted), None)

    def play(name: str, permissions: Any, test: Callable[[HostedAgent], None]) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        agent = HostedAgent(folder, tmp_path / f"{name}.jsonl", permissions)
        with agent.running(AgentConfig(tuple(script.argv(folder)))):
            test(agent)
        Played(folder).check()
        return agent.recording

    def as_recorded(agent: HostedAgent) -> None:
        agent.prompt("edit")
        prompt_and_cancel(agent, "go on")

    path = play("recorded", recorded_answer, as_recorded)
    assert main.run(["export", str(path), "--pytest", "-o", "-"]) == 0
    written = capsys.readouterr()
    assert 'ANSWERS = {"edit": ["y2", "reject_once", "cancelled", "y"]}' in written.out
    assert "Not as it was recorded" not in written.out
    found: dict[str, Any] = {}
    exec(written.out, found)
    play("again", "reject", found["test_recorded"])


def test_a_turn_that_was_canceled_at_once_is_canceled_in_the_test() -> None:
    wire = Wire().opened().prompt(2).cancel().ended(reason="cancelled")
    at_once = [frame._replace(at=1.0) for frame in wire.records]
    source = pytest_source(Recording(at_once, {}), "it.jsonl")
    assert "Timer(0.05, acp_agent.call" in source
    assert "from threading import Timer\n" in source


def test_what_a_test_cannot_do_as_it_was_recorded_is_told_in_it_and_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wire = Wire().opened().out(id=3, method="session/set_mode", params={"sessionId": "s"})
    wire.got(id=3, result={})
    image = {"type": "image", "mimeType": "image/png", "data": ""}
    prompt = {"sessionId": "s", "prompt": [{"type": "text", "text": "hi"}, image]}
    wire.out(id=2, method="session/prompt", params=prompt)
    wire.ask(8, "elicitation/create", message="?").out(id=8, result={"action": "accept"})
    wire.ask(9, PERMISSION, toolCall={"toolCallId": "t"}, options=OPTIONS)
    wire.out(id=9, error={"code": -32603, "message": "no"}).ended(2)
    path = tmp_path / "it.jsonl"
    path.write_text(
        "\n".join([format_header({"cwd": "/w"}), *map(format_record, wire.records), ""]), "utf-8"
    )
    assert main.run(["export", str(path), "--pytest", "-o", "-"]) == 0
    written = capsys.readouterr()
    for words in (
        "session/set_mode (frame 5) is not sent",
        "the prompt (frame 7) is sent without its image",
        "elicitation/create is not answered as it was",
        "a permission was answered with an error, and is rejected",
    ):
        assert f"not in the test as it was recorded: {words}" in written.err
    assert "Not as it was recorded:" in written.out
    compile(written.out, "it", "exec")


def test_a_command_keeps_the_variables_that_it_needs(tmp_path: Path) -> None:
    env = [{"name": "CI", "value": "1"}, {"name": "API_KEY", "value": "Hunter2hunter2"}]
    wire = (
        Wire().opened().prompt(2).ask(5, "terminal/create", sessionId="s", command="make", env=env)
    )
    path = tmp_path / "it.jsonl"
    path.write_text(
        "\n".join([format_header({"argv": ["a"]}), *map(format_record, wire.ended(2).records), ""])
    )
    source = exported(path, "--script").read_text("utf-8")
    assert '{"name": "CI", "value": "1"}' in source
    assert '{"name": "API_KEY", "value": "[masked]"}' in source


@pytest.mark.parametrize("form", ["--pytest", "--script"])
def test_a_recording_without_a_turn_or_a_message_is_told(
    tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text(format_header({}) + "\n", "utf-8")
    assert main.run(["export", str(path), form]) == 2
    assert "nothing can be tested" in capsys.readouterr().err


def test_what_is_odd_is_written_as_it_came() -> None:
    wire = Wire().opened().out(method="_n").prompt(2).raw(Direction.IN, b"npm \xff")
    wire.update("agent_message_chunk", content={"type": "image"}, **{"class": 1, "session\\": 2})
    wire.update("plan", session="other").got(method="_m", params=[1]).chunk("x", extra="e")
    wire.ask("t", "terminal/create", command="ls", cwd="/w/in").out(
        id="t", result={"terminalId": "1"}
    )
    wire.ask("u", "terminal/release", terminalId="1").out(
        id="u", error={"code": 1, "message": "no"}
    )
    wire.prompt(3).ended(2, "max_tokens").ended(3).got(id=77, result={})
    wire.happened(StderrLine(wire.at, "oh \"no\" 'x'")).happened(ProcessExited(wire.at, 3))
    source = script_source([*wire.records, ProcessExited(wire.at, None, "SIGKILL")], 'x"""\n')
    compile(source, "it", "exec")
    for line in (
        '.expect("_n")',
        r".raw(b'npm \xff\n')",
        '"class": 1',
        '{"sessionId": "s", "command": "ls", "cwd": "${new.params.cwd}/in"}',
        '"terminalId": "${create.result.terminalId}"',
        '.prompt(save="prompt_2")',
        '.end_turn("max_tokens")',
        '.end_turn("end_turn", to="prompt_2")',
        '.chunk("x", extra="e")',
        ".exit(3)",
        ".kill()",
    ):
        assert line in source
    assert "The agent of x____" in source


ODD = st.text(st.sampled_from("ab/ \\'\"{}$\n#(é"), max_size=8)
ATTACK = """/x\\ /x' + __import__("os").popen("true").read()) #"""
NAMES = {"turn", "acp_agent", "call", "Script", "SCRIPT", "tempfile", "Path", "os", "argv"}
NAMES |= {"__name__", "float", "one"}


STEPS = {"expect", "reply", "prompt", "tool_call", "update", "request", "expect_answer"}
STEPS |= {"end_turn", "notify", "exit", "execv", "mkdtemp"}
FIELDS = {
    "permissions",
    "rule",
    "id",
    "argv",
    "folder",
    "stop_reason",
    "tool_calls",
    "kind",
    "status",
    "findings",
}


def names_in(source: str) -> set[str]:
    """All names, also those behind a dot."""
    nodes = list(ast.walk(ast.parse(source)))
    names = {one.id for one in nodes if isinstance(one, ast.Name)}
    return names | {one.attr for one in nodes if isinstance(one, ast.Attribute)}


def odd_turn(cwd: str, prompt: str, other: str) -> Wire:
    wire = Wire().out(id=1, method="session/new", params={"cwd": cwd, "mcpServers": []})
    wire.got(id=1, result={"sessionId": "s"})
    params = {"sessionId": "s", "prompt": [{"type": "text", "text": prompt}]}
    wire.out(id=2, method="session/prompt", params=params)
    wire.update("tool_call", toolCallId=other, title=prompt, **{other + "+": prompt, "ｉd": cwd})
    wire.ask(5, "terminal/create", command=prompt).out(id=5, result={"terminalId": other})
    wire.ask(6, "terminal/release", terminalId=other, size=float("inf"))
    wire.got(id=2, result={"stopReason": other})
    code: Any = other  # as if nobody had looked at its type
    return wire.happened(ProcessExited(wire.at, code))


def assert_plain(cwd: str, prompt: str, other: str) -> None:
    records = odd_turn(cwd, prompt, other).records
    assert names_in(script_source(records, other)) <= NAMES | STEPS | FIELDS
    assert (
        names_in(pytest_source(Recording(records, {"cwd": cwd}), other)) <= NAMES | STEPS | FIELDS
    )


@given(ODD.map("/x{}".format), ODD, ODD, ODD)
def test_no_text_of_a_recording_is_code(cwd: str, prompt: str, other: str, more: str) -> None:
    assert_plain(cwd, f"{more}{cwd} {prompt}", other)


def test_a_folder_with_a_backslash_ends_no_text() -> None:
    assert_plain("/x\\", ATTACK, ATTACK)


def test_a_name_of_a_field_stays_as_it_came() -> None:
    wire = Wire().out(id=1, method="session/new", params={"cwd": "/w/a", "mcpServers": []})
    wire.got(id=1, result={"sessionId": "s", "_meta": {"/w/a": "/w/a", "${HOME}": 1}})
    assert '{"/w/a": "${new.params.cwd}", "${HOME}": 1}' in script_source(wire.records, "it")


def test_numbers_without_end_are_written_so_that_they_can_be_run() -> None:
    wire = Wire().opened().update("plan", size=float("inf"), left=float("nan"))
    assert 'size=float("inf"), left=float("nan")' in script_source(wire.records, "it")


@pytest.mark.parametrize("levels", [1, 50, 90])
def test_what_is_nested_deep_is_source_that_python_reads(levels: int) -> None:
    value: Any = ["a long text", "and another one", {"empty": [], "none": {}}] * 4
    for _ in range(levels):
        value = {"in": [value]} if levels < 50 else [value]
    written = literal_source(value)
    assert ast.literal_eval(written) == value
    assert all(len(line.strip()) < 100 for line in written.splitlines())


def test_what_is_nested_deeper_than_python_reads_source_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    value: Any = "x" * 100
    for _ in range(180):
        value = [value]
    path = tmp_path / "deep.jsonl"
    records = Wire().opened().update("plan", _meta={"it": value}).records
    path.write_text("\n".join([format_header({}), *map(format_record, records), ""]), "utf-8")
    assert main.run(["export", str(path), "--script", "-o", str(tmp_path / "it.py")]) == 2
    assert "nested too deep to be written as source" in capsys.readouterr().err
    assert not (tmp_path / "it.py").exists()
