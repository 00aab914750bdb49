"""All recordings can be searched: what was said and done, as long as the recording is there."""

import json
import os
import sqlite3
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acp_tui.cli import find as find_command
from acp_tui.cli import main
from acp_tui.cli.mcp import search_recordings
from acp_tui.config.paths import archive_file, recordings_folder
from acp_tui.index.index import Index
from acp_tui.index.passages import BEGIN, END, LONGEST_PASSAGE, MOST_CONTENTS, PassageKind
from acp_tui.index.search import Hit, QueryError, find_passages, parse_query, recent_sessions
from acp_tui.log_files import open_log
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.process_events import StderrLine
from acp_tui.recordings.recording import format_record
from acp_tui.store.recordings import recordings_in
from acp_tui.ui.inspector.positions import position_of
from tests.unit.debug.scenes import Wire

STARTED = 1_700_000_000.0


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No recordings but those of the test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def wire(
    prompt: str = "Fix the teapot", session: str = "s", offered: dict[str, Any] | None = None
) -> Wire:
    """A turn in which everything happens that can be found."""
    made = Wire().initialized(agent=offered)
    params = {"sessionId": session, "prompt": [{"type": "text", "text": prompt}]}
    made.out(id=2, method="session/prompt", params=params)
    made.chunk("I look ", session=session).chunk("at the kettle.", session=session)
    made.update("tool_call", session, toolCallId="t", title="Run tests",
                rawInput={"command": ["pytest", "-q"]}, locations=[{"path": "/w/src/tea.py"}])  # fmt: skip
    made.update("tool_call_update", session, toolCallId="t", title="Run tests",
                content=[{"type": "diff", "path": "/w/milk.py", "oldText": None, "newText": "x"}])  # fmt: skip
    made.update("tool_call_update", session, toolCallId="t", status="failed", rawOutput="red",
                content=[{"type": "content", "content": {"type": "text", "text": "2 of 3 of them"}}])  # fmt: skip
    made.ask(9, "terminal/create", sessionId=session, command="git", args=["push", "--force"])
    made.out(id=9, error={"code": -32603, "message": "no such remote"})
    made.happened(StderrLine(made.at, "a warning on stderr"))
    made.update("usage_update", session, used=5, size=9, cost={"amount": 0.25, "currency": "USD"})
    return made.ended()


def record(name: str, made: Wire, **facts: Any) -> Path:
    folder = recordings_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    head = {
        "acp-tui": 1,
        "argv": ["tea-agent", "--acp"],
        "cwd": "/w",
        "started": STARTED,
        "monotonic": 100.0,
    }
    path.write_text(
        "\n".join([json.dumps({**head, **facts}), *map(format_record, made.records), ""]), "utf-8"
    )
    return path


def find(text: str, **how: Any) -> list[Hit]:
    with Index.open(archive_file()) as index:
        index.update(sorted(recordings_folder().glob("*.jsonl")))
        return find_passages(index, parse_query(text, **how))


def told(text: str, **how: Any) -> list[tuple[str, str]]:
    return [(hit.kind, hit.text) for hit in find(text, **how)]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("teapot", ("prompt", "Fix the teapot")),
        ("KETTLE look", ("message", "I look at the kettle.")),
        ('kind:tool "run tests"', ("tool", "Run tests")),
        ("pytest -q", ("command", "pytest -q")),
        ("push --force", ("command", "git push --force")),
        ("src/tea.py", ("file", "/w/src/tea.py")),
        ("kind:file milk", ("file", "/w/milk.py")),
        ("x milk", ("change", "/w/milk.py\n+ x")),
        ("remote", ("error", "terminal/create: no such remote")),
        ("kind:stderr warning", ("stderr", "a warning on stderr")),
        ("kind:error warning", None),
        ("kind:error tests", ("error", "Run tests failed: 2 of 3 of them red")),
        ("kind:finding unanswered", None),
        ("kind:prompt kettle", None),
        ('"look kettle"', None),
        ("agent:gemini teapot", None),
        ("agent:tea-agent in:/w teapot", ("prompt", "Fix the teapot")),
        ("in:/other teapot", None),
        ("in:/ teapot", None),
        ("te OR NEAR( *", None),
        ("--", None),
        ("'", None),
    ],
)
def test_what_was_said_and_done_is_found_by_its_words(
    words: str, found: tuple[str, str] | None
) -> None:
    record("20260101-000000-tea-1", wire())
    assert told(words) == ([found] if found else [])


def test_what_agents_change_and_give_to_tools_is_found_once_and_what_they_leave_alone_is_not() -> (
    None
):
    made = wire()
    edit = {
        "toolCallId": "e",
        "title": "Edit tea.py",
        "rawInput": {"edits": [{"old": "MINUTES[tea]", "new": "MINUTES.get(tea)"}], "times": 1},
        "content": [
            {
                "type": "diff",
                "path": "/w/tea.py",
                "oldText": "same LUMPS\nMINUTES[tea]\n}\n",
                "newText": "same LUMPS\nMINUTES.get(tea)\n}\n}\n",
            }
        ],
    }
    made.update("tool_call", "s", **edit).update("tool_call_update", "s", **edit)
    made.ask(70, "fs/write_text_file", sessionId="s", path="/w/sugar.py", content="LUMPS = 2")
    made.ask(71, "fs/read_text_file", sessionId="s", path="/w/salt.py")
    made.out(id=71, result={"content": "GRAINS = 3"})
    record("one", made)
    assert told("MINUTES.get") == [
        ("input", "MINUTES[tea]\nMINUTES.get(tea)"),
        ("change", "/w/tea.py\n- MINUTES[tea]\n+ MINUTES.get(tea)\n+ }"),
    ]
    assert told("lumps") == [("change", "/w/sugar.py\nLUMPS = 2")]
    assert told("kind:file sugar") == [("file", "/w/sugar.py")]
    assert told("grains") == []


def test_no_recording_fills_the_index_with_what_it_writes() -> None:
    made = Wire()
    for number in range(30):
        text = f"sugar{number} " + "lump " * 40_000
        made.ask(number, "fs/write_text_file", sessionId="s", path="/w/sugar.py", content=text)
    made.got(method="session/update", params={"sessionId": "s", "update": {
        "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "salt"}}})  # fmt: skip
    record("long", made)
    assert len(told("kind:change sugar0")) == len(told("salt")) == 1
    assert told("kind:change sugar29") == []
    with closing(sqlite3.connect(archive_file())) as database:
        (held,) = database.execute("select sum(length(text)) from passages").fetchone()
    assert held < MOST_CONTENTS + LONGEST_PASSAGE


def test_an_index_of_an_earlier_version_is_made_anew() -> None:
    record("one", wire())
    assert find("teapot")
    with closing(sqlite3.connect(archive_file())) as database:
        database.execute("delete from recordings")
        database.execute("pragma user_version = 3")
        database.commit()
    assert told("kind:change x") == [("change", "/w/milk.py\n+ x")]


@pytest.mark.parametrize(
    ("words", "is_found"),
    [("teap", True), ("fix teap", True), ("teap kind:prompt", True), ("teap fix", False),
     ('"teap"', False), ('"fix the teap"', False), ('"teapot"', True)],
)  # fmt: skip
def test_the_last_word_finds_what_begins_like_it_unless_it_is_in_quotes(
    words: str, is_found: bool
) -> None:
    record("20260101-000000-tea-1", wire())
    assert told(words) == ([("prompt", "Fix the teapot")] if is_found else [])


def test_a_quotation_that_is_being_written_finds_what_begins_like_it() -> None:
    record("20260101-000000-tea-1", wire())
    assert told('"the teap', unfinished=True) == [("prompt", "Fix the teapot")]


def test_a_hit_says_where_it_is_and_what_opens_it() -> None:
    path = record("20260101-000000-tea-1", wire())
    (hit,) = find("kettle")
    assert (hit.recording, hit.turn, hit.session_id, hit.cwd) == (path, 1, "s", "/w")
    assert (hit.agent, hit.command, hit.is_command) == ("a", ("tea-agent", "--acp"), True)
    assert hit.excerpt == "I look at the \x02kettle\x03."
    assert hit.costs == {"USD": 0.25}
    assert STARTED < hit.at < STARTED + 1
    assert hit.moment == f"#{hit.frame}"


def test_what_has_no_frame_is_opened_right_after_it_came() -> None:
    made = wire()
    path = record("20260101-000000-tea-1", made)
    (hit,) = find("kind:stderr warning")
    records = open_log(path).records
    index = position_of(hit.moment, records)
    assert index is not None
    assert records[index] == next(one for one in made.records if isinstance(one, StderrLine))


def test_a_recording_without_a_command_has_an_agent_without_a_name() -> None:
    record("20260101-000000-tea-1", Wire().out(method="session/prompt", params={}), argv=[])
    record("20260101-000000-tea-2", Wire().raw(Direction.IN, b"noise"), argv=[])
    assert {hit.agent_name for hit in find("kind:finding")} == {""}


def test_the_newest_is_first_and_since_leaves_older_ones_out() -> None:
    record("old", wire("teapot one"))
    record("new", wire("teapot two"), started=STARTED + 1000)
    assert [text for _, text in told("teapot")] == ["teapot two", "teapot one"]
    assert [text for _, text in told("teapot", since=STARTED + 500)] == ["teapot two"]


def test_what_was_recorded_since_is_found_and_what_was_deleted_is_not() -> None:
    path = record("one", wire("teapot one"))
    other = record("two", wire("teapot two"))
    assert len(find("teapot")) == 2
    record("one", wire("cup one"))
    os.utime(path, (1, 1))
    other.unlink()
    assert told("teapot") == []
    assert told("cup") == [("prompt", "cup one")]
    with closing(sqlite3.connect(archive_file())) as database:
        (left,) = database.execute(
            "select count(*) from passages where text like '%two%'"
        ).fetchone()
    assert left == 0


def test_a_file_that_is_no_recording_hides_nothing() -> None:
    record("one", wire())
    recordings_folder().joinpath("strange.jsonl").write_text("\0\1 nothing that anybody writes")
    assert len(find("teapot")) == 1


def test_an_index_that_is_broken_is_made_anew_and_only_its_owner_can_read_it() -> None:
    record("one", wire())
    archive_file().parent.mkdir(parents=True, exist_ok=True)
    archive_file().write_bytes(b"no database" * 1000)
    assert len(find("teapot")) == 1
    assert stat.S_IMODE(archive_file().stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "facts",
    [
        {"started": "x"},
        {"started": 1e300, "monotonic": -1e300},
        {"argv": [1, "\ud800"], "cwd": "\ud800"},
        {"argv": "x", "cwd": 7},
    ],
)
def test_a_recording_with_a_strange_header_hides_no_other_one(facts: dict[str, Any]) -> None:
    record("strange", wire("teapot strange"), **facts)
    record("good", wire("teapot good"))
    assert ("prompt", "teapot good") in told("teapot")
    assert main.run(["find", "teapot"]) == 0


def test_an_agent_with_a_strange_name_or_cost_hides_no_other_recording() -> None:
    made = wire("teapot strange")
    made.update("usage_update", "s", cost={"amount": 10**400, "currency": "USD"})
    made.out(id=70, method="initialize", params={})
    made.got(id=70, result={"agentInfo": {"name": "\ud800", "version": "1"}})
    record("strange", made)
    record("good", wire("teapot good"))
    assert {text for _, text in told("teapot")} == {"teapot strange", "teapot good"}


def test_a_pipe_in_the_place_of_the_index_is_refused() -> None:
    archive_file().parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(archive_file())
    assert main.run(["find", "teapot"]) == 2


def test_two_programs_may_make_the_index_at_once(tmp_path: Path) -> None:
    for turn in range(20):
        file = tmp_path / f"{turn}.sqlite"

        def make(_: int, file: Path = file) -> int:
            with Index.open(file) as index:
                return len(find_passages(index, parse_query("teapot")))

        with ThreadPoolExecutor(4) as threads:
            assert list(threads.map(make, range(4))) == [0] * 4


def test_what_can_not_be_meant_is_an_error() -> None:
    with pytest.raises(QueryError, match="kind:tea: there are prompt, message"):
        parse_query("kind:tea")
    with pytest.raises(QueryError, match="quotation mark is not closed"):
        parse_query('fix "the teapot')
    assert parse_query('fix "the teapot', unfinished=True).words == ("fix", "the teapot")
    assert parse_query("kind:tool kind:file x").kinds == (PassageKind.TOOL, PassageKind.FILE)


def test_the_command_prints_what_opens_the_moment(capsys: pytest.CaptureFixture[str]) -> None:
    record("20260101-000000-tea-1", wire())
    assert main.run(["find", "kettle"]) == 0
    _, opens = capsys.readouterr().out.splitlines()
    assert opens.endswith("acp-tui replay 20260101-000000-tea-1 --at '#4'")
    assert main.run(["find", "--json", "kettle"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert (body["kind"], body["text"], body["frame"]) == ("message", "I look at the kettle.", 4)
    assert main.run(["find", "nothing"]) == 1
    assert main.run(["find", "--forget"]) == 0
    assert not archive_file().exists()


def test_no_session_of_an_agent_is_an_option_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record("one", wire(), cwd=str(tmp_path))
    (hit,) = find("teapot")
    started: list[list[str]] = []
    monkeypatch.setattr(
        subprocess, "run", lambda argv, check: started.append(argv) or SimpleNamespace(returncode=0)
    )
    assert find_command._resume_session(hit._replace(session_id="--dangerously-allow-all")) == 0
    (argv,) = started
    assert argv[4:] == [
        f"--cwd={tmp_path}",
        "--resume=--dangerously-allow-all",
        f"--recorded-in={hit.recording}",
        *("--", "tea-agent", "--acp"),
    ]


def test_an_agent_that_searches_sees_no_secrets() -> None:
    # Imported here because it takes a second: each process that collects the tests would pay for it.
    from mcp.server.mcpserver.exceptions import ToolError

    key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"
    record("one", wire("teapot password=Hunter2hunter2!"), cwd=f"/{key}", argv=["a", key])
    (found,) = search_recordings("teapot")
    assert "teapot" in found["text"]
    assert "Hunter2" not in json.dumps(found)
    assert key not in json.dumps(found)
    with pytest.raises(ToolError, match="kind:tea"):
        search_recordings("kind:tea")


def test_an_agent_that_searches_gets_no_more_of_a_text_than_it_reads() -> None:
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"
    made = wire("teapot " + "x" * 3980 + " " + secret + " x" * 40_000)
    made.out(id=70, method="initialize", params={})
    made.got(id=70, result={"agentInfo": {"name": "n" * 10**6, "version": "1"}})
    record("long", made)
    (found,) = search_recordings("teapot")
    assert found["text"].endswith("characters more]")
    assert len(json.dumps(found)) < 6000
    assert "sk-proj" not in found["text"]


@pytest.mark.parametrize(
    ("offered", "reopens"),
    [
        ({"loadSession": True}, True),
        ({"sessionCapabilities": {"resume": {}}}, True),
        ({"loadSession": False, "sessionCapabilities": {"list": {}}}, False),
    ],
)
def test_whether_an_agent_opens_a_session_again_is_known_from_what_it_offered(
    offered: dict[str, Any], reopens: bool
) -> None:
    record("one", wire(offered=offered))
    with Index.open(archive_file()) as index:
        index.update(recordings_in(recordings_folder()))
        assert [one.reopens for one in recent_sessions(index, 9)] == [reopens]


def test_a_session_that_began_in_another_recording_is_another_one() -> None:
    """Those in which it only goes on are the same one."""
    for number, (begins, prompt) in enumerate([(True, "One"), (False, "More"), (True, "Two")]):
        made = wire(prompt)
        if begins:
            made.out(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []})
            made.got(id=1, result={"sessionId": "s"})
        record(str(number), made, started=STARTED + number)
    with Index.open(archive_file()) as index:
        index.update(recordings_in(recordings_folder()))
        found = [(one.prompt, Path(one.recording).stem) for one in recent_sessions(index, 9)]
    assert found == [("Two", "2"), ("One", "1")]


def test_a_session_that_was_told_of_another_is_known_by_the_words_of_the_person() -> None:
    told = f"{BEGIN}\n\n> I said: Fix the teapot\n>\n> You said: Done.\n\n{END}\n\nGo on"
    record("one", wire(told))
    with Index.open(archive_file()) as index:
        index.update(recordings_in(recordings_folder()))
        assert [one.prompt for one in recent_sessions(index, 9)] == ["Go on"]
