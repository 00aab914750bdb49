"""`acp-tui log` as a person uses it, and recordings that survive what happens to a program."""

import json
import os
import resource
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile
from functools import partial
from pathlib import Path

import pytest

from acp_tui.recordings.recording import format_header, format_record, read_events, read_records
from acp_tui.state.fold import replay_events
from tests.e2e.terminal import terminal
from tests.fake_agent.script import Script
from tests.hosting import NO_BYTECODE, PATIENCE, wait_until
from tests.in_process import run_program
from tests.unit.debug.scenes import Wire

ACP_TUI = (sys.executable, "-m", "acp_tui")


def run(
    *argv: object,
    state: Path | None = None,
    columns: int = 100,
    cwd: Path | None = None,
    written: str = "",
) -> subprocess.CompletedProcess[str]:
    env = {"COLUMNS": str(columns)}
    if state is not None:
        env["XDG_STATE_HOME"] = str(state)
    ran = run_program(*map(str, argv), cwd=cwd, env=env, stdin=written.encode())
    out, err = ran.stdout.decode(), ran.stderr.decode()
    return subprocess.CompletedProcess(ran.args, ran.returncode, out, err)


def recorded(wire: Wire, path: Path) -> Path:
    lines = [format_header({"argv": ["agent"], "cwd": "/w"}), *map(format_record, wire.records)]
    path.write_text("\n".join([*lines, ""]))
    return path


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """A recording with findings of every severity."""
    wire = Wire().prompted().chunk("one").chunk("two").chunk(mood=1)
    wire.got(method="_x").ask(3, "fs/read_text_file", path="a.py").out(id=3, result={"content": ""})
    return recorded(wire.ended(), tmp_path / "bad.jsonl")


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return recorded(Wire().prompted().chunk("one").ended(), tmp_path / "good.jsonl")


def test_a_table_for_people(bad: Path) -> None:
    ended = run("log", bad)
    assert (ended.returncode, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    assert "agent_message_chunk x3" in ended.stdout
    assert max(map(len, lines)) <= 100
    assert len(run("log", bad, "--unfold").stdout.splitlines()) == len(lines) + 2


def test_rows_as_json(bad: Path) -> None:
    ended = run("log", bad, "--json", "--filter", "status:ok and dir:in and method:session/*")
    rows = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [(one["method"], one["direction"], one["status"]) for one in rows] == [
        ("session/new", "in", "ok"),
        ("session/prompt", "in", "ok"),
    ]
    assert rows[0]["message"]["result"] == {"sessionId": "s"}
    assert rows[0]["latency"] == pytest.approx(0.01)
    assert (rows[0]["protocolVersion"], rows[0]["versionIsGuess"]) == (1, False)


def test_findings_exit_1_for_errors_only(bad: Path, good: Path) -> None:
    ended = run("log", bad, "--findings")
    assert ended.returncode == 1
    assert "ERROR relative-path" in ended.stdout
    assert "#8" in ended.stdout
    assert ended.stdout.endswith("1 error, 1 warning, 1 note by version 1\n")
    assert run("log", bad, "--findings", "--filter", "finding:warning").returncode == 0
    clean = run("log", good, "--findings")
    told = "Checked by schema 1.29 of 1 Nov 2026.\n0 errors, 0 warnings, 0 notes by version 1\n"
    assert (clean.returncode, clean.stdout) == (0, told)


def test_findings_for_machines(bad: Path, tmp_path: Path) -> None:
    ended = run("log", bad, "--findings", "--json", "--junit", tmp_path / "junit.xml")
    rules = {json.loads(line)["rule"] for line in ended.stdout.splitlines()}
    assert rules == {"custom-field", "extension", "relative-path"}
    suite = ET.parse(tmp_path / "junit.xml").getroot()
    (failed,) = [case for case in suite if case.find("failure") is not None]
    assert (suite.get("failures"), failed.get("name")) == ("1", "relative-path")


def test_statistics(bad: Path) -> None:
    told = run("log", bad, "--stats").stdout
    assert "3 agent_message_chunk" in told
    assert "session/prompt (agent)" in told
    assert "0 requests without an answer" in told


def test_an_export_is_a_recording_without_secrets(tmp_path: Path) -> None:
    wire = Wire().opened().got(method="_x", params={"apiKey": "hunter2hunter2"})
    path, export = recorded(wire, tmp_path / "r.jsonl"), tmp_path / "export.jsonl"
    ended = run("log", path, "--export", export, "--filter", "method:_x")
    assert ended.returncode == 0
    assert "masked 1: params.apiKey" in ended.stderr
    first, only = export.read_text().splitlines()
    assert json.loads(first)["masked"] == {"params.apiKey": 1}
    assert "hunter2" not in only
    assert len(run("log", export, "--json").stdout.splitlines()) == 1
    assert run("log", path, "--export", export).returncode == 2  # never over a file
    shown = run("log", path, "--redact", "--json")
    assert "hunter2" not in shown.stdout
    assert "hunter2" in run("log", path, "--json").stdout


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["log", "missing.jsonl"], "there is no file and no recording missing.jsonl"),
        (["log", "./missing.jsonl"], "missing.jsonl: No such file"),
        (["log", "x.jsonl"], "can be read, besides recordings:\n  Zed: an array"),
        (["log", "0"], "there is no file and no recording 0"),
        (["log", "other.zip"], "there is no recording.jsonl in it"),
        (["log", "x.jsonl"], "x.jsonl: no line is a JSON-RPC message"),
        (["log", "x.jsonl", "--filter", "size>1q"], "size>1q\n      ^\nthere is no unit 'q'"),
        (["log", "7"], "there is no file and no recording 7; acp-tui log lists them"),
        (["log", "x.jsonl", "--json", "--table"], "not allowed with"),
    ],
)
def test_what_can_t_be_done_is_said(tmp_path: Path, argv: list[str], words: str) -> None:
    (tmp_path / "x.jsonl").write_text("what is this\n")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a.txt", "a")
    ended = run(*argv, cwd=tmp_path, state=tmp_path)
    assert ended.returncode == 2
    assert words in ended.stderr


def test_a_damaged_line_is_shown_in_its_place(bad: Path) -> None:
    lines = bad.read_text().splitlines()
    lines[4] = '{"at": 1'
    bad.write_text("".join(f"{line}\n" for line in lines))
    shown = run("log", bad).stdout
    assert "line_damaged" in shown
    assert "session/prompt" in shown
    assert "line 5: not a record" in run("log", bad, "--json").stdout


def test_plain_messages_from_stdin(bad: Path) -> None:
    raw = [json.loads(line).get("raw") for line in bad.read_text().splitlines()[1:]]
    ended = run("log", "-", "--findings", written="\n".join(raw))
    assert "ERROR relative-path" in ended.stdout


def test_an_export_and_findings_for_machines_may_go_to_stdout(bad: Path, tmp_path: Path) -> None:
    exported = run("log", bad, "--export", "-", cwd=tmp_path)
    assert "nothing was masked" in exported.stderr
    assert "written to" not in exported.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["bad.jsonl"]
    kept = run(
        "log", bad, "--export", "prompts.jsonl", "--filter", "method:session/prompt", cwd=tmp_path
    )
    count = len((tmp_path / "prompts.jsonl").read_text().splitlines()) - 1
    assert count > 0
    assert (
        f"acp-tui log: {count} record{'s' * (count != 1)} written to prompts.jsonl\n" in kept.stderr
    )
    again = run("log", "-", "--json", written=exported.stdout)
    assert again.stdout == run("log", bad, "--json").stdout
    suite = ET.fromstring(run("log", bad, "--junit", "-").stdout)
    assert suite.get("failures") == "1"


@pytest.mark.slow
def test_a_bug_report_is_opened_like_a_recording(bad: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.zip"
    assert run("log", bad, "--report", report).returncode == 0
    assert "ERROR relative-path" in run("log", report, "--findings").stdout
    report.write_bytes(report.read_bytes().replace(b"PK\x03\x04", b"PK\x03\x05", 2))
    broken = run("log", report)
    assert broken.returncode == 2
    assert "can't be unpacked" in broken.stderr


def test_every_run_is_recorded_and_listed(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("hello").end_turn()
    state = tmp_path / "state"
    argv = ["run", "--cwd", tmp_path, "--env", "MY_TOKEN=hunter2", "hi", "--"]
    assert run("log", state=state).stdout.startswith("no recordings yet in ")
    assert run(*argv, *script.argv(tmp_path), state=state).returncode == 0
    (path,) = (state / "acp-tui" / "recordings").iterdir()
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    text = path.read_text()
    facts = json.loads(text.splitlines()[0])
    assert facts["env"] == ["MY_TOKEN"]
    assert "hunter2" not in text
    assert {"argv", "cwd", "version", "python", "platform", "started", "monotonic"} <= facts.keys()
    listed = run("log", state=state).stdout
    assert "1  " in listed
    assert path.stem in listed
    assert "session/prompt" in run("log", "1", state=state).stdout
    by_name = [run("log", name, state=state).stdout for name in (path.stem, path.stem[:15])]
    assert by_name == [run("log", "1", state=state).stdout] * 2
    assert "session/prompt" in run("log", "--stats", state=state).stdout
    assert run(*argv[:-1], "--no-record", "--", *script.argv(tmp_path), state=state).returncode == 0
    assert len(list(path.parent.iterdir())) == 1


def test_a_run_goes_on_where_nothing_can_be_recorded(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("hello").end_turn()
    (tmp_path / "acp-tui").write_text("in the way")
    argv = ["run", "--cwd", tmp_path, "hi", "--", *script.argv(tmp_path)]
    ended = run(*argv, state=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "hello\n")
    assert "this is not recorded: Not a directory" in ended.stderr


def test_a_disk_that_fails_is_said_and_the_run_goes_on(tmp_path: Path) -> None:
    text = "x" * 20_000
    gate = tmp_path / "gate"
    script = Script().handshake().prompt().chunk(text).until(gate).chunk("the end").end_turn()
    argv = [*ACP_TUI, "run", "--cwd", tmp_path, "hi", "--", *script.argv(tmp_path)]
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (10_000, 10_000))
    env = {**os.environ, **NO_BYTECODE, "XDG_STATE_HOME": str(tmp_path / "state")}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*map(str, argv)], stdout=pipe, stderr=pipe, text=True, env=env, preexec_fn=limit
    ) as program:
        assert program.stderr is not None
        said = iter(program.stderr.readline, "")
        assert any("the recording has stopped: File too large" in line for line in said)
        gate.touch()
        out, rest = program.communicate(timeout=PATIENCE)
    assert (program.returncode, out) == (0, f"{text}the end\n")
    assert "the recording has stopped" not in rest  # that is said once


def test_a_recording_survives_kill_9(tmp_path: Path) -> None:
    """What happens is in the file soon, whatever comes then, and replays."""
    script = Script().handshake().prompt()
    for number in range(25):
        script = script.chunk(f"word{number} ")
    script = script.chunk("THE END").expect("session/cancel").end_turn()
    path = tmp_path / "killed.jsonl"
    argv = ["run", "--cwd", tmp_path, "--record", path, "hi", "--", *script.argv(tmp_path)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen([*ACP_TUI, *map(str, argv)], stdout=quiet, stderr=quiet) as program:
        wait_until(lambda: path.exists() and b"THE END" in path.read_bytes())
        program.send_signal(signal.SIGKILL)
    state = replay_events(read_events(read_records(path.read_text().splitlines(keepends=True))))
    (session,) = state.sessions.values()
    text = "".join(getattr(entry, "text", "") for entry in session.entries)
    assert text == "hi" + "".join(f"word{number} " for number in range(25)) + "THE END"
    assert run("log", path).returncode == 0


def test_following_shows_what_comes(good: Path) -> None:
    lines = good.read_text().splitlines(keepends=True)
    good.write_text("".join(lines[:3]))
    argv = [*ACP_TUI, "log", str(good), "--follow", "--json", "--redact"]
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdout=pipe, stderr=pipe, text=True) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        assert "comes in pieces is not masked" in program.stderr.readline()
        assert json.loads(program.stdout.readline())["method"] == "initialize"
        assert json.loads(program.stdout.readline())["status"] == "ok"
        with good.open("a") as file:
            file.write(lines[3][:20])
            file.flush()
            file.write(lines[3][20:])
        assert json.loads(program.stdout.readline())["method"] == "session/new"
        program.send_signal(signal.SIGINT)
    assert program.returncode == 130


def test_a_log_of_version_2_says_so_and_without_initialize_that_it_is_a_guess(
    tmp_path: Path,
) -> None:
    update = {"sessionUpdate": "state_update", "state": "running"}
    params = {"sessionId": "s", "update": update}
    line = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    entry = {"direction": "in", "time": 1.0, "message": line}
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(entry) + "\n")
    guess = "version 2 (a guess: there is no initialize)"
    assert guess in run("log", log).stderr
    assert run("log", log, "--findings").stdout.endswith(f"0 notes by {guess}\n")


def test_the_list_says_how_long_each_recording_took(tmp_path: Path) -> None:
    folder = tmp_path / "acp-tui" / "recordings"
    folder.mkdir(parents=True)
    head = {"acp-tui": 1, "argv": ["tea", "--acp"], "cwd": "/w", "started": 1_700_000_000}
    for name, started in (("20260102-000000-tea-1", 1_700_000_000), ("20260101-000000-tea-1", "x")):
        file = folder / f"{name}.jsonl"
        file.write_text(json.dumps({**head, "started": started}) + "\n")
        os.utime(file, (1_700_000_065, 1_700_000_065))
    heads, known, unknown, _ = run("log", state=tmp_path).stdout.splitlines()
    assert heads.split() == ["#", "RECORDING", "TOOK", "SIZE", "AGENT", "PROMPT"]
    assert known.split()[2:4] == ["1m", "05s"]
    assert known.endswith("  tea")
    assert len(unknown.split()) == 4
    assert heads.index("AGENT") == known.rindex("tea")


def test_the_list_names_agents_and_first_prompts(tmp_path: Path) -> None:
    folder = tmp_path / "acp-tui" / "recordings"
    folder.mkdir(parents=True)
    about = {"name": "oolong", "title": "Oolong", "version": "1"}
    wire = Wire().out(id=0, method="initialize", params={"protocolVersion": 1})
    wire.got(id=0, result={"protocolVersion": 1, "agentInfo": about})
    for number, words in enumerate(["make\n tea, please", "more"], 1):
        params = {"sessionId": "s", "prompt": [{"type": "text", "text": words}]}
        wire.out(id=number, method="session/prompt", params=params).ended(number)
    lines = [
        format_header({"argv": ["/bin/node", "tea.js"], "cwd": "/w"}),
        *map(format_record, wire.records),
    ]
    (folder / "20260102-000000-tea-1.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "20260101-000000-odd-1.jsonl").write_text("tea\n")
    heads, told, odd, _ = run("log", state=tmp_path).stdout.splitlines()
    assert told[heads.index("AGENT") :] == "Oolong  make tea, please"
    assert odd[heads.index("PROMPT") :].startswith("(line 1: not a recording")
    narrow = run("log", state=tmp_path, columns=60).stdout.splitlines()
    assert narrow[0].split() == ["#", "RECORDING", "AGENT", "PROMPT"]
    assert narrow[1].endswith("Oolong  make tea, please")


def test_in_a_terminal_a_table_has_no_column_that_is_the_same_in_each_row(
    bad: Path, good: Path
) -> None:
    with terminal("log", str(good), size=(130, 40)) as window:
        window.wait_for_exit()
        assert "status" in window.text
        assert "session " not in window.text.splitlines()[0]
        assert "issues" not in window.text
    with terminal("log", str(bad), size=(130, 40)) as window:
        window.wait_for_exit()
        assert "issues" in window.text
    assert "issues" in run("log", good).stdout
