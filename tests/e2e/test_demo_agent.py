"""The demo agent is a correct ACP agent, whatever its client offers."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_tui.demo_agent import texts
from acp_tui.demo_agent.scenes import COMMANDS
from acp_tui.demo_agent.work import sample_workspace
from tests.e2e.demo_client import EVERYTHING, DemoClient
from tests.hosting import PATIENCE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sample_workspace(tmp_path)
    return tmp_path


@pytest.fixture
def client(folder: Path) -> Iterator[DemoClient]:
    with DemoClient(folder) as client:
        client.initialize()
        client.new_session()
        yield client


def error_of(answer: dict[str, Any]) -> int:
    return int(answer["error"]["code"])


def test_its_help_names_each_scene() -> None:
    named = {line.split("`")[1].split()[0] for line in texts.HELP.splitlines() if "| `/" in line}
    assert named == {f"/{name}" for name in COMMANDS} - {"/help"}


def test_it_introduces_itself_and_lists_its_commands(folder: Path) -> None:
    with DemoClient(folder) as client:
        hello = client.initialize()["result"]
        client.new_session()
        assert hello["protocolVersion"] == 1
        assert hello["agentInfo"]["name"] == "acp-tui-demo"
        commands = client.updates("available_commands_update")[0]["availableCommands"]
        assert {"tour", "slow", "flood"} <= {command["name"] for command in commands}
        assert client.complaints() == []


def test_a_session_before_initialize_is_an_error_and_no_end(folder: Path) -> None:
    with DemoClient(folder) as client:
        assert error_of(client.call("session/new", cwd=str(folder), mcpServers=[])) == -32600
        assert "result" in client.initialize()


BAD_REQUESTS: list[tuple[str, Any, int]] = [
    ("session/load", {"sessionId": "x", "cwd": "/", "mcpServers": []}, -32601),
    ("_anything", {}, -32601),
    ("session/new", {"cwd": "relative", "mcpServers": []}, -32602),
    ("session/new", {"cwd": "/"}, -32602),
    ("session/prompt", {"sessionId": "nobody", "prompt": []}, -32602),
    ("session/set_mode", {"sessionId": "nobody", "modeId": "ask"}, -32602),
    ("session/prompt", [], -32602),
    ("initialize", {"protocolVersion": "1"}, -32602),
    ("authenticate", {"methodId": "x"}, -32602),
]


def test_bad_requests_get_the_right_code(client: DemoClient) -> None:
    for id, (method, params, code) in enumerate(BAD_REQUESTS, 1_000):
        client.send({"id": id, "method": method, "params": params})
        assert error_of(client.answer(id)) == code, (method, params)


def test_a_mode_that_is_none_is_refused(client: DemoClient) -> None:
    for mode in ("yolo", None, ["ask"]):
        answer = client.call("session/set_mode", sessionId=client.session_id, modeId=mode)
        assert error_of(answer) == -32602


def test_lines_that_are_no_messages_are_answered_and_survived(client: DemoClient) -> None:
    client.send_line(b"npm warn")
    assert error_of(client.until(lambda message: "error" in message)) == -32700
    client.send_line(b"[]")
    assert error_of(client.until(lambda message: "error" in message)) == -32600
    client.send({"method": "_unknown/notification"})
    client.send({"id": 99, "result": {"to": "nothing"}})
    assert client.turn("hello") == "end_turn"


def test_the_tour_shows_everything(client: DemoClient, folder: Path) -> None:
    assert client.turn("show me everything") == "end_turn"
    assert client.methods() == [
        "fs/read_text_file",
        "session/request_permission",
        "fs/write_text_file",
        "terminal/create",
        "terminal/wait_for_exit",
        "terminal/output",
        "terminal/release",
    ]
    assert {update["sessionUpdate"] for update in client.updates()} == {
        "agent_message_chunk",
        "agent_thought_chunk",
        "available_commands_update",
        "notice",
        "plan",
        "session_info_update",
        "tool_call",
        "tool_call_update",
        "usage_update",
    }
    assert client.statuses() == {
        "Read tea.py": "completed",
        "Edit tea.py": "completed",
        "Run python check.py": "completed",
        "Search for brew_time": "completed",
        "Fetch https://example.invalid/teas.json": "failed",
    }
    assert [entry["status"] for entry in client.updates("plan")[-1]["entries"]] == ["completed"] * 4
    assert "MINUTES.get(tea, 3)" in (folder / "tea.py").read_text()
    assert client.complaints() == []


def test_a_second_tour_takes_the_fix_back(client: DemoClient, folder: Path) -> None:
    before = (folder / "tea.py").read_text()
    client.turn("/tour")
    client.turn("/tour")
    assert (folder / "tea.py").read_text() == before
    assert client.statuses()["Run python check.py"] == "failed"


def test_the_permission_comes_with_all_kinds_and_the_diff(client: DemoClient, folder: Path) -> None:
    client.prompt("everything")
    asked = client.until_called("session/request_permission")["params"]
    kinds = [option["kind"] for option in asked["options"]]
    assert kinds == ["allow_once", "allow_always", "reject_once", "reject_always"]
    assert asked["toolCall"]["content"][0]["type"] == "diff"
    assert asked["toolCall"]["locations"] == [{"path": str(folder / "tea.py"), "line": 8}]


def test_a_rejected_edit_changes_nothing(client: DemoClient, folder: Path) -> None:
    before = (folder / "tea.py").read_text()
    client.option = "no"
    assert client.turn("everything") == "end_turn"
    assert client.statuses()["Edit tea.py"] == "failed"
    assert (folder / "tea.py").read_text() == before


def test_always_is_remembered_until_the_mode_changes(client: DemoClient) -> None:
    client.option = "always"
    client.turn("everything")
    client.turn("everything")
    assert client.methods().count("session/request_permission") == 1
    client.call("session/set_mode", sessionId=client.session_id, modeId="ask")
    client.turn("everything")
    assert client.methods().count("session/request_permission") == 2


def test_subagents_are_shown_only_to_a_client_that_knows_them(client: DemoClient) -> None:
    assert client.turn("/subagents") == "end_turn"
    assert client.updates("subagent_update") == []
    assert "doesn't offer" in client.said()
    assert client.complaints() == []


def test_of_three_subagents_one_asks_one_fails_and_one_is_slow(folder: Path) -> None:
    with DemoClient(folder, {**EVERYTHING, "subagents": {}}) as client:
        client.initialize()
        client.new_session()
        assert client.turn("/subagents") == "end_turn"
        updates = client.updates("subagent_update")
        titles = {one["sessionId"]: one["title"] for one in updates if "title" in one}
        reasons = {
            titles[one["sessionId"]]: one["state"].get("stopReason")
            for one in updates
            if "state" in one
        }
        assert reasons == {"Ada": "end_turn", "Bo": "error", "Cy": "end_turn", "Dee": "end_turn"}
        assert client.complaints() == []


def test_modes_change_what_it_dares(client: DemoClient, folder: Path) -> None:
    before = (folder / "tea.py").read_text()
    client.call("session/set_mode", sessionId=client.session_id, modeId="plan")
    assert client.until_update("current_mode_update")
    client.turn("everything")
    assert (folder / "tea.py").read_text() == before
    client.call("session/set_mode", sessionId=client.session_id, modeId="edit")
    client.turn("everything")
    assert (folder / "tea.py").read_text() != before
    assert "session/request_permission" not in client.methods()


def test_without_files_and_terminals_it_calls_neither(folder: Path) -> None:
    with DemoClient(folder, capabilities={}) as client:
        client.initialize()
        client.new_session()
        assert client.turn("everything") == "end_turn"
        assert client.methods() == ["session/request_permission"]
        assert client.updates("notice") == []
        assert "MINUTES.get(tea, 3)" in (folder / "tea.py").read_text()
        assert client.complaints() == []


def test_in_a_folder_of_yours_it_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "tea.py").write_text("mine = True\n")
    with DemoClient(tmp_path) as client:
        client.initialize()
        client.new_session()
        assert client.turn("everything") == "end_turn"
        assert "fs/write_text_file" not in client.methods()
    assert [path.name for path in tmp_path.iterdir()] == ["tea.py"]


SCENES = sorted(COMMANDS.keys() - {"noise", "findings", "hang", "fail", "crash", "slow", "tour"})


def test_every_scene_ends_well_and_keeps_to_the_protocol(client: DemoClient) -> None:
    assert [client.turn(f"/{name}") for name in SCENES] == ["end_turn"] * len(SCENES)
    assert set(client.statuses().values()) <= {"completed", "failed"}
    assert client.complaints() == []


def test_plain_words_name_a_scene_and_others_get_a_short_answer(client: DemoClient) -> None:
    client.turn("please show me a plan")
    assert client.updates("plan")
    client.received.clear()
    client.turn("what if you crash?")
    assert "/help" in client.said()
    assert len(client.said()) < 400


@pytest.mark.parametrize(
    ("words", "open_call"),
    [
        ("everything", "session/request_permission"),
        ("everything", "fs/read_text_file"),
        ("everything", "terminal/create"),
    ],
)
def test_a_cancel_ends_the_turn_while_a_call_is_open(
    client: DemoClient, words: str, open_call: str
) -> None:
    client.unanswered.add(open_call)
    prompt = client.prompt(words)
    call = client.until_called(open_call)
    client.cancel()
    assert client.answer(prompt)["result"] == {"stopReason": "cancelled"}
    assert {"pending", "in_progress"}.isdisjoint(client.statuses().values())
    (given_up,) = [one for one in client.received if one.get("method") == "$/cancel_request"]
    assert given_up["params"]["requestId"] == call["id"]
    client.unanswered.clear()
    assert client.turn("hello") == "end_turn"


def test_a_permission_answered_cancelled_needs_no_giving_up(client: DemoClient) -> None:
    client.unanswered.add("session/request_permission")
    prompt = client.prompt("everything")
    asked = client.until_called("session/request_permission")
    client.cancel()
    client.send({"id": asked["id"], "result": {"outcome": {"outcome": "cancelled"}}})
    assert client.answer(prompt)["result"] == {"stopReason": "cancelled"}
    assert "$/cancel_request" not in client.methods()
    assert client.complaints() == []


def test_a_cancelled_terminal_is_killed_and_released(folder: Path) -> None:
    with DemoClient(folder, speed="0.5") as client:
        client.initialize()
        client.new_session()
        client.unanswered.add("terminal/wait_for_exit")
        prompt = client.prompt("/terminal")
        client.until_called("terminal/wait_for_exit")
        client.cancel()
        assert client.answer(prompt)["result"] == {"stopReason": "cancelled"}
        assert client.methods()[-3:] == ["terminal/kill", "terminal/release", "$/cancel_request"]
        assert client.terminals["terminal-0"].wait(PATIENCE) < 0


@pytest.mark.parametrize("words", ["/slow", "/hang", "/tour", "/flood 10000000"])
def test_a_cancel_stops_any_scene_at_once(folder: Path, words: str) -> None:
    with DemoClient(folder, speed="0.1") as client:
        client.initialize()
        client.new_session()
        prompt = client.prompt(words)
        if words != "/hang":
            client.until_update("agent_message_chunk")
        client.cancel()
        assert client.answer(prompt)["result"] == {"stopReason": "cancelled"}


def test_a_cancelled_request_is_a_cancelled_turn(client: DemoClient) -> None:
    prompt = client.prompt("/hang")
    client.send({"method": "$/cancel_request", "params": {"requestId": prompt}})
    assert client.answer(prompt)["result"] == {"stopReason": "cancelled"}


def test_cancels_of_nothing_are_ignored(client: DemoClient) -> None:
    client.cancel()
    client.send({"method": "session/cancel", "params": {"sessionId": "nobody"}})
    client.send({"method": "session/cancel", "params": [1]})
    assert client.turn("hello") == "end_turn"


def test_sessions_run_side_by_side_and_one_turn_at_a_time(client: DemoClient) -> None:
    hanging = client.session_id
    prompt = client.prompt("/hang")
    assert error_of(client.answer(client.prompt("hello"))) == -32600
    assert client.new_session() != hanging
    client.received.clear()
    assert client.turn("hello") == "end_turn"
    assert {one["params"]["sessionId"] for one in client.received if "params" in one} == {
        client.session_id
    }
    client.send({"method": "session/cancel", "params": {"sessionId": hanging}})
    assert client.answer(prompt)["result"] == {"stopReason": "cancelled"}


def test_a_client_that_fails_its_duties_only_fails_the_tool_calls(folder: Path) -> None:
    with DemoClient(folder) as client:
        client.initialize()
        client.new_session()
        client.unanswered = {"fs/read_text_file", "terminal/create"}
        prompt = client.prompt("/tools")
        asked = client.until_called("fs/read_text_file")
        client.send({"id": asked["id"], "error": {"code": -32002, "message": "no such file"}})
        assert client.answer(prompt)["result"] == {"stopReason": "end_turn"}
        assert client.statuses()["Read tea.py"] == "failed"
        prompt = client.prompt("/terminal")
        asked = client.until_called("terminal/create")
        client.send({"id": asked["id"], "result": None})
        assert client.answer(prompt)["result"] == {"stopReason": "end_turn"}
        assert client.statuses()["Run python check.py"] == "failed"


def test_a_terminal_that_comes_after_the_cancel_is_released(client: DemoClient) -> None:
    client.unanswered.add("terminal/create")
    prompt = client.prompt("/terminal")
    call = client.until_called("terminal/create")
    client.cancel()
    client.unanswered.add("terminal/release")
    client.send({"id": call["id"], "result": {"terminalId": "late"}})
    released = client.until_called("terminal/release")
    assert released["params"]["terminalId"] == "late"
    client.send({"id": released["id"], "result": {}})
    assert client.answer(prompt)["result"] == {"stopReason": "cancelled"}


def test_attachments_are_named(client: DemoClient) -> None:
    blocks = [
        {"type": "text", "text": "hello"},
        {"type": "image", "mimeType": "image/png", "data": "aGk="},
        {"type": "resource_link", "name": "a.py", "uri": "file:///a.py"},
        {"type": "resource", "resource": {"uri": "file:///b.py", "text": "b = 1\n"}},
    ]
    client.call("session/prompt", sessionId=client.session_id, prompt=blocks)
    assert "- `image`, `image/png`, `4 characters`" in client.said()
    assert "- `resource_link`, `file:///a.py`" in client.said()
    assert "- `resource`, `file:///b.py`, `6 characters`" in client.said()


def test_noise_is_noise_and_the_turn_goes_on(client: DemoClient) -> None:
    assert client.turn("/noise") == "end_turn"
    assert client.noise[0].startswith(b"npm warn")
    assert {b"42\n", b"null\n"} <= set(client.noise)
    assert "survived" in client.said()


def test_texts_fit_eighty_columns() -> None:
    pages = [value for name, value in vars(texts).items() if name.isupper()]
    lines = [line for page in pages for line in page.splitlines()]
    assert lines
    assert [line for line in lines if len(line) > 80] == []


def test_a_permission_that_the_client_cannot_ask_for_is_a_no(
    client: DemoClient, folder: Path
) -> None:
    before = (folder / "tea.py").read_text()
    client.unanswered.add("session/request_permission")
    prompt = client.prompt("everything")
    asked = client.until_called("session/request_permission")
    client.send({"id": asked["id"], "error": {"code": -32603, "message": "nobody is here"}})
    assert client.answer(prompt)["result"] == {"stopReason": "end_turn"}
    assert client.statuses()["Edit tea.py"] == "failed"
    assert (folder / "tea.py").read_text() == before


def test_a_flood_has_as_many_chunks_as_asked_for(client: DemoClient) -> None:
    client.turn("/flood 1234")
    chunks = client.updates("agent_message_chunk")
    assert len(chunks) == 1234
    assert {len(chunk["content"]["text"]) for chunk in chunks} == {40}
    assert len({chunk["messageId"] for chunk in chunks}) == 1


def test_failures_come_with_their_data(client: DemoClient) -> None:
    error = client.answer(client.prompt("/fail"))["error"]
    assert error["data"]["kettle"]["water"] == 0
    assert client.turn("hello") == "end_turn"


def test_a_crash_is_a_real_one(client: DemoClient) -> None:
    client.prompt("/crash")
    assert client.process.wait(PATIENCE) == 3


@pytest.mark.parametrize("words", ["", "/hang", "/slow"])
def test_it_leaves_quickly_when_stdin_ends(folder: Path, words: str) -> None:
    with DemoClient(folder, speed="1") as client:
        client.initialize()
        client.new_session()
        if words:
            client.prompt(words)
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.wait(PATIENCE) == 0


def test_it_loads_nothing_that_makes_it_slow() -> None:
    code = "import sys, acp_tui.demo_agent.agent; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert {"pydantic", "anyio", "textual", "rich", "asyncio"}.isdisjoint(loaded)


def test_every_question_has_options_of_its_own(client: DemoClient) -> None:
    client.prompt("/permission")
    asked = client.until_called("session/request_permission")["params"]
    assert asked["toolCall"]["title"] == "Pour the tea"
    assert "Yes, pour it" in [option["name"] for option in asked["options"]]
