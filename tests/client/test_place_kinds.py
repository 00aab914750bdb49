"""Agents in other places, for real where that can be: by sshd on loopback, in a sandbox, by a prefix."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_tui.cli.options.launch_options import known_places
from acp_tui.client.launch import Launch
from acp_tui.client.place import Place, PlaceError
from acp_tui.client.place_kinds import explain_no_sandbox, find_place
from acp_tui.client.programs import run_for
from acp_tui.config.settings import PlaceSettings
from acp_tui.protocol.requests import ReadTextFileParams
from acp_tui.state.authentication import Program
from acp_tui.state.entries import ToolCallEntry
from tests.fake_agent.script import Played, Script
from tests.hosting import PATIENCE, Ran, alive, command, hosting, run_turn, wait_until
from tests.sshd import sshd

pytestmark = pytest.mark.anyio

PYTHON = [os.path.realpath(sys.executable), "-S", "-E"]
AGENT = Path(__file__).parents[1] / "shell_agent.py"


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """How ssh finds a machine called `there`."""
    with sshd(tmp_path_factory.mktemp("sshd")) as settings:
        yield f"-F {settings} there"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / "it's a project"
    folder.mkdir(parents=True)
    return folder


def said(ran: Ran) -> dict[str, Any]:
    assert ran.code == 0, ran.err
    facts: dict[str, Any] = json.loads(ran.out)
    return facts


# By ssh


def test_ssh_gives_the_agent_each_word_and_variable_as_it_is(there: str, work: Path) -> None:
    words = ["two words", "$HOME", "it's", '"', "", "a\nb", "!x", "*", "ü"]
    ran = run_turn(
        *("--in", f"ssh:{there}", "--env", "A=it's $HOME\nand more"),
        argv=[*PYTHON, str(AGENT), *words],
        prompt="pwd",
        cwd=work,
    )
    facts = said(ran)
    assert facts["argv"] == words
    assert facts["env"]["A"] == "it's $HOME\nand more"
    assert facts["cwd"] == facts["pwd"] == str(work)
    assert "ACP_TUI_GROUP" not in facts["env"]


def test_over_ssh_nothing_of_this_machine_is_offered_and_that_is_said(
    there: str, work: Path, tmp_path: Path
) -> None:
    (work / ".mcp.json").write_text('{"mcpServers": {"a": {"command": "cat"}}}')
    ran = run_turn(
        *("--in", f"ssh:{there}:{tmp_path}", "--trust-mcp"),
        argv=[*PYTHON, str(AGENT)],
        prompt="pwd",
        cwd=work,
    )
    facts = said(ran)
    assert facts["cwd"] == facts["out"].strip() == str(tmp_path)
    assert facts["claims"]["fs"] == {"readTextFile": False, "writeTextFile": False}
    assert facts["claims"]["terminal"] is False
    assert facts["servers"] == [], "a project's servers are not for an agent elsewhere"
    assert "In ssh there. Files and commands: there." in ran.err


def test_a_folder_that_is_not_there_is_said_with_what_to_do(there: str, work: Path) -> None:
    ran = run_turn("--in", f"ssh:{there}:/no/such", argv=[*PYTHON, str(AGENT)], cwd=work)
    assert ran.code == 1
    assert "there is no folder /no/such on this machine: name it, as in ssh:HOST:/folder" in ran.err


def test_a_machine_that_can_t_be_reached_is_said_in_ssh_s_words(work: Path) -> None:
    options = "-F none -o ProxyCommand=false nowhere"
    ran = run_turn("--in", f"ssh:{options}", argv=["agent"], cwd=work)
    assert ran.code == 1
    assert "exited with code 255" in ran.err


@pytest.mark.parametrize(("argv", "code"), [(["sh", "-c", "exit 7"], 7), (["no-such-agent"], 127)])
def test_an_agent_that_ends_there_is_noticed_with_its_code(
    there: str, work: Path, argv: list[str], code: int
) -> None:
    ran = run_turn("--in", f"ssh:{there}", argv=argv, cwd=work)
    assert ran.code == 1
    assert f"exited with code {code}" in ran.err


@pytest.mark.skipif(shutil.which("setsid") is None, reason="without it children are not ended")
@pytest.mark.slow  # the agent there gets its seconds to leave by itself
def test_when_the_line_ends_the_agent_there_ends_with_its_children(there: str, work: Path) -> None:
    file = work / "pids"
    line = f"echo $PPID > '{file.name}'; ps -o pid= --ppid $PPID >> '{file.name}'; sleep 60"
    argv = command("--in", f"ssh:{there}", argv=[*PYTHON, str(AGENT), "--stubborn"], prompt=line)
    client = subprocess.Popen(argv, cwd=work, start_new_session=True, stderr=subprocess.DEVNULL)
    wait_until(lambda: file.exists() and len(file.read_text().split()) >= 3)
    pids = [int(word) for word in file.read_text().split()]
    assert alive(pids[0])
    os.killpg(client.pid, signal.SIGKILL)  # as if we had crashed
    client.wait()
    for ssh in _children_named("ssh", f"-F {there.split()[1]}"):
        os.kill(ssh, signal.SIGKILL)
    wait_until(lambda: not any(map(alive, pids)))


def _children_named(name: str, words: str) -> list[int]:
    found = subprocess.run(["pgrep", "-f", f"^{name} {words}"], capture_output=True, text=True)
    return [int(pid) for pid in found.stdout.split()]


# In a container: docker is played by a program that runs the agent beside us


STUB = '#!/bin/sh\necho $$ >> "$0.pids"\n'


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file in which a docker of ours leaves its arguments, one a line. What it ran is gone after the
    test, whatever became of that.
    """
    told, folder = tmp_path / "told", tmp_path / "bin"
    folder.mkdir()
    stub = folder / "docker"
    stub.write_text(
        f'{STUB}printf "%s\\n" "$@" > "{told}"\n'
        'while [ "$1" != image ]; do shift; done; shift; exec "$@"\n'
    )
    stub.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    yield told
    pids = folder / "docker.pids"
    for pid in map(int, pids.read_text().split() if pids.exists() else ()):
        words = ["ps", "-o", "args=", "-p", str(pid)]
        ours = (str(stub), str(AGENT))
        if alive(pid) and any(one in subprocess.getoutput(shlex.join(words)) for one in ours):
            os.kill(pid, signal.SIGKILL)


def test_docker_gets_the_folder_and_the_names_of_variables(docker: Path, work: Path) -> None:
    ran = run_turn(
        *("--in", "docker:--network none image", "--env", "KEY=secret"),
        argv=[*PYTHON, str(AGENT), "two words"],
        cwd=work,
    )
    facts = said(ran)
    words = docker.read_text().splitlines()
    assert re.fullmatch(r"acp-tui=[0-9a-f]{16}", words.pop(5))
    assert words == [
        *("run", "--rm", "--interactive", "--init", "--label"),
        f"--mount=type=bind,source={work},target={work}",
        *("--workdir", str(work), "--env", "KEY", "--network", "none"),
        *("image", *PYTHON, str(AGENT), "two words"),
    ]
    assert facts["env"]["KEY"] == "secret"
    assert facts["claims"]["fs"]["readTextFile"] is True
    assert facts["claims"]["terminal"] is False


@pytest.mark.parametrize("way", ["stop", "kill"])
def test_a_container_is_killed_that_outlives_what_started_it(
    docker: Path, work: Path, tmp_path: Path, way: str
) -> None:
    """The stub plays a server that knows of a container until it is killed."""
    killed, ready = tmp_path / "killed", work / "ready"
    stub = Path(os.environ["PATH"].partition(":")[0], "docker")
    stub.write_text(
        f'{STUB}case $1 in run) trap "" TERM; : > "{ready}"; while :; do sleep 1; done ;;\n'
        f'ps) [ ! -e "{killed}" ] && echo "id-$5" ;; kill) echo "$@" > "{killed}" ;; esac\n'
    )
    argv = command("--in", "docker:image", argv=["agent"])
    with subprocess.Popen(argv, cwd=work, stderr=subprocess.DEVNULL) as client:
        try:
            wait_until(ready.exists)
            client.send_signal(signal.SIGTERM if way == "stop" else signal.SIGKILL)
            client.wait()
            wait_until(lambda: killed.exists() and killed.read_text())
        finally:
            client.kill()
    assert re.fullmatch(r"kill id-label=acp-tui=[0-9a-f]{16}\n", killed.read_text())


@pytest.fixture
def podman(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A place in a real container, with the system's programs and nothing else."""
    if shutil.which("podman") is None:
        pytest.skip("podman is not installed")
    root = tmp_path / "root"
    for name in ("usr", "etc", "proc", "sys", "dev", "tmp", "root"):
        (root / name).mkdir(parents=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / name).symlink_to(f"usr/{name}")
    storage, engine = tmp_path / "storage.conf", tmp_path / "containers.conf"
    storage.write_text(
        f'[storage]\ndriver = "vfs"\ngraphroot = "{tmp_path}/graph"\nrunroot = "{tmp_path}/run"\n'
    )
    runtime = "" if shutil.which("runc") is None else 'runtime = "runc"\n'
    engine.write_text(f'[engine]\ncgroup_manager = "cgroupfs"\n{runtime}')
    monkeypatch.setenv("CONTAINERS_STORAGE_CONF", str(storage))
    monkeypatch.setenv("CONTAINERS_CONF", str(engine))
    limits = "--ulimit nofile=1024:1024 --ulimit nproc=1024:1024"
    options = f"{limits} --network host -v /usr:/usr:ro -v {AGENT}:{AGENT}:ro --rootfs {root}"
    argv = ["podman", "run", "--rm", "--init", *options.split(), "/bin/true"]
    tried = subprocess.run(argv, capture_output=True, text=True, timeout=PATIENCE)
    if tried.returncode:
        pytest.skip(f"podman can't run here: {tried.stderr.strip()}")
    yield f"podman:{options}"
    subprocess.run(["podman", "rm", "--all", "--force"], capture_output=True)


@pytest.mark.slow
def test_a_real_container_ends_with_a_client_that_is_killed(podman: str, work: Path) -> None:
    argv = command("--in", podman, argv=["python3", str(AGENT), "--stubborn"], prompt="touch it")
    client = subprocess.Popen(argv, cwd=work, start_new_session=True, stderr=subprocess.DEVNULL)
    wait_until((work / "it").exists)
    listed = ["podman", "ps", "--all", "--quiet", "--filter", "label=acp-tui"]
    assert len(subprocess.check_output(listed, text=True).split()) == 1
    client.kill()
    client.wait()
    wait_until(lambda: subprocess.check_output(listed, text=True) == "")


async def test_folders_have_our_names_here_and_the_agent_s_on_the_wire(
    docker: Path, work: Path, tmp_path: Path
) -> None:
    (work / "a b.txt").write_text("here")
    edit = {
        "sessionUpdate": "tool_call",
        "toolCallId": "t1",
        "title": "Edit",
        "kind": "edit",
        "locations": [{"path": "/work/a b.txt"}],
        "content": [
            {"type": "diff", "path": "/work/a b.txt", "oldText": "here", "newText": "new"},
            {
                "type": "content",
                "content": {
                    "type": "resource_link",
                    "name": "it",
                    "uri": "file:///work/a%20b.txt",
                },
            },
        ],
        "rawInput": {"file_path": "/work/a b.txt", "note": "/work"},
    }
    ask = {"sessionId": "s1", "path": "/work/a b.txt"}
    outside = {"sessionId": "s1", "path": "/etc/hostname"}
    script = (
        Script()
        .initialize()
        .expect("session/new", {"cwd": "/work"})
        .reply("new", {"sessionId": "s1"})
        .prompt()
        .request("fs/read_text_file", ask, save="read")
        .expect_answer("read", result={"content": "here"})
        .request("fs/read_text_file", outside, save="out")
        .expect_answer("out")
        .request("terminal/create", {"sessionId": "s1", "command": "true"}, save="run")
        .expect_answer("run", error={"code": -32601})
        .notify("session/update", {"sessionId": "s1", "update": edit})
        .end_turn()
    )
    places = {"box": PlaceSettings(where="docker:image", folder="/work")}
    async with hosting(script.argv(tmp_path), work, place="box", places=places) as host:
        await host.turn()
        assert host.session.cwd == str(work)
        (entry,) = [one for one in host.entries if isinstance(one, ToolCallEntry)]
        ours = str(work / "a b.txt")
        assert [one.path for one in entry.locations] == [ours]
        assert entry.content[0].path == ours  # type: ignore[union-attr]
        assert entry.content[1].content.uri == (work / "a b.txt").as_uri()  # type: ignore[union-attr]
        assert entry.raw_input == {"file_path": ours, "note": "/work"}
        read = [
            one.params for one in host.events if getattr(one, "method", "") == "fs/read_text_file"
        ]
        assert isinstance(read[0], ReadTextFileParams)
        assert read[0].path == ours
        assert host.state.peer.process.place == "docker image"
    played = Played(tmp_path)
    played.check()
    refused = [one["error"]["message"] for one in played.messages if "error" in one]
    assert refused[0] == f"Not allowed: /etc/hostname: only {work} is shared with you"


# In a sandbox


@pytest.fixture
def box(tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The options for a sandbox in which Python runs; the person's home is not ours."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    reason = explain_no_sandbox(find_place("bwrap", {}, str(work)), str(work))
    if reason is not None:
        pytest.skip(reason)
    shutil.copy(AGENT, work / "agent.py")
    return ["--sandbox", "--sandbox-read", os.path.realpath(sys.base_prefix)]


def test_a_sandbox_keeps_out_the_home_and_what_is_outside(
    box: list[str], work: Path, tmp_path: Path
) -> None:
    secret, outside = tmp_path / "home" / "secret", tmp_path / "outside"
    secret.write_text("the secret")
    line = (
        f"cat ~/secret '{secret}'; ls -A ~; echo x > '{outside}'; echo x > /usr/x; "
        "echo x > /etc/x; echo x > /x; echo inside > kept; grep -l '[9]8765' /proc/[0-9]*/cmdline"
    )
    with subprocess.Popen(["sleep", "98765"]) as sleeps:
        ran = run_turn(*box, argv=[*PYTHON, str(work / "agent.py")], prompt=line, cwd=work)
        sleeps.kill()
    facts = said(ran)
    assert "the secret" not in facts["out"] + facts["err"]
    assert facts["out"].split("\n")[0] == work.name
    assert "/proc/" not in facts["out"]
    assert facts["err"].count("Read-only file system") == 3
    assert not outside.exists()
    assert (work / "kept").read_text() == "inside\n"
    assert "Files and commands: only the project; to read: " in ran.err


@pytest.mark.parametrize("network", [True, False])
def test_without_network_no_port_of_this_machine_is_reached(
    box: list[str], work: Path, network: bool
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        connect = f"import socket; socket.create_connection(('127.0.0.1', {port})); print('in')"
        ran = run_turn(
            *box,
            *([] if network else ["--no-network"]),
            argv=[*PYTHON, str(work / "agent.py")],
            prompt=f'{PYTHON[0]} -S -E -c "{connect}"',
            cwd=work,
        )
    facts = said(ran)
    assert facts["out"] == ("in\n" if network else "")
    assert f"Network: {'on' if network else 'off'}." in ran.err


async def test_what_we_serve_to_a_sandbox_leads_out_of_it_neither(
    box: list[str], work: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "home" / "secret"
    secret.write_text("the secret")
    (work / "link").symlink_to(secret)
    terminal = {"sessionId": "s1", "command": "cat", "args": [str(secret)]}
    script = Script().handshake().prompt()
    for name, path in (("one", secret), ("two", work / "link")):
        script.request("fs/read_text_file", {"sessionId": "s1", "path": str(path)}, save=name)
        script.expect_answer(name, error={"code": -32603})
    script.request("terminal/create", terminal, save="run").expect_answer("run")
    given = {"sessionId": "s1", "terminalId": "${run.result.terminalId}"}
    script.request("terminal/wait_for_exit", given, save="wait")
    script.expect_answer("wait", result={"exitCode": 1})
    for name, folder in (("there", secret.parent), ("none", secret.parent / "none")):
        script.request("terminal/create", {**terminal, "cwd": str(folder)}, save=name)
        script.expect_answer(name, result={})
    script.end_turn()
    state = work / "state"
    state.mkdir()
    base = [os.path.realpath(sys.base_prefix), str(Path(__file__).parents[2])]
    places = {"box": PlaceSettings(where="bwrap", read=base)}
    argv = [PYTHON[0], *script.argv(state)[1:]]
    async with hosting(argv, work, place="box", places=places) as host:
        await host.turn()
        assert host.state.waiting_permissions() == []
    Played(state).check()


def _run_in(place: Place, work: Path, line: str, env: dict[str, str] | None = None) -> str:
    """Run a line of sh as the agent's command; return all that it says."""
    argv, given = place.wrap_for_agent(["/bin/sh", "-c", line], str(work), env or {})
    ran = subprocess.run(
        argv, cwd=work, env={**os.environ, **given}, capture_output=True, text=True
    )
    return ran.stdout + ran.stderr


def test_variables_that_the_agent_chooses_reach_only_what_is_inside(
    box: list[str], work: Path, tmp_path: Path
) -> None:
    """The loader says what it does in a file, if a variable asks for that."""
    trace = tmp_path / "trace"
    env = {"LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": str(trace), "MINE": "as it is"}
    said = _run_in(find_place("bwrap", {}, str(work)), work, 'echo "$MINE"', env)
    assert said == "as it is\n"
    assert list(tmp_path.glob("trace*")) == []


def test_the_kernel_s_settings_can_t_be_written(box: list[str], work: Path) -> None:
    place = find_place("bwrap", {}, str(work))
    said = _run_in(place, work, "cat /proc/sys/vm/swappiness; : >> /proc/sys/vm/swappiness")
    assert said.split()[0].isdecimal()
    assert "cannot create" in said


def test_a_link_that_the_agent_lays_in_a_shown_folder_s_place_shows_nothing_more(
    box: list[str], work: Path, tmp_path: Path
) -> None:
    (work / "a" / "shown").mkdir(parents=True)
    (tmp_path / "home" / "secret").write_text("the secret")
    place = find_place("bwrap", {}, str(work), [str(work / "a" / "shown")])
    _run_in(place, work, "mv a b; mkdir a; ln -s ../../../home a/shown")
    assert (work / "a" / "shown" / "secret").exists()
    assert "the secret" not in _run_in(place, work, "cat ~/secret a/shown/secret")


def test_the_sandbox_is_not_made_by_a_program_of_the_project(
    box: list[str], work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran, program = tmp_path / "ran", work / "bwrap"
    program.write_text(f"#!/bin/sh\ntouch '{ran}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{work}:{os.environ['PATH']}")
    assert _run_in(find_place("bwrap", {}, str(work)), work, "echo in") == "in\n"
    assert not ran.exists()


async def test_what_a_sandbox_shows_for_reading_can_t_be_written_through_us(
    box: list[str], work: Path, tmp_path: Path
) -> None:
    shown = tmp_path / "home" / "shown"
    shown.mkdir()
    (shown / "text").write_text("old")
    given = {"sessionId": "s1", "path": str(shown / "text"), "content": "new"}
    script = Script().handshake().prompt().request("fs/write_text_file", given, save="write")
    script.expect_answer("write", error={"code": -32603}).end_turn()
    state = work / "state"
    state.mkdir()
    base = [os.path.realpath(sys.base_prefix), str(Path(__file__).parents[2]), str(shown)]
    places = {"box": PlaceSettings(where="bwrap", read=base)}
    argv = [PYTHON[0], *script.argv(state)[1:]]
    async with hosting(argv, work, place="box", places=places) as host:
        await host.turn()
    Played(state).check()
    assert (shown / "text").read_text() == "old"


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"where": "bwrap", "read": ["/no/such"]}, "there is no such file or folder"),
        ({"where": "bwrap", "folder": "/work"}, "is for ssh and containers"),
        ({"where": "env", "network": False}, "can only be set for bwrap"),
        ({"where": "docker:image", "read": ["/"]}, "can only be set for bwrap"),
        ({"where": "docker:image", "files": "here"}, "files can only be set for ssh"),
        ({"where": "docker:image", "folder": "work"}, "must begin with a slash"),
        ({"where": "docker:image", "folder": "/a,b"}, "can't mount a folder with a comma"),
        ({"where": "docker:"}, "name the image last"),
        ({"where": "podman:-v"}, "name the image last"),
        ({"where": "docker:'"}, "No closing quotation"),
        ({"where": "ssh:"}, "name the machine, as in ssh:HOST"),
        ({"where": "ssh:-v"}, "name the machine last"),
        ({"where": "ssh:'"}, "No closing quotation"),
        ({"where": "ssh:host", "folder": "work"}, "must begin with a slash"),
        ({"where": "'"}, "No closing quotation"),
        ({"where": " "}, "an empty place"),
    ],
)
def test_what_can_t_be_a_place_is_said(tmp_path: Path, facts: dict[str, Any], says: str) -> None:
    place = find_place("x", {"x": PlaceSettings(**facts)}, str(tmp_path))
    with pytest.raises(PlaceError, match=says):
        place.wrap(["true"], str(tmp_path), {})


def test_a_folder_that_is_the_same_there_is_served_from_here() -> None:
    settings = PlaceSettings(where="ssh:-p 22 me@host", folder="/srv/p", files="here")
    place = find_place("x", {"x": settings}, "/mnt/p")
    assert place.folders == (("/mnt/p", "/srv/p"),)
    assert place.shared == ("/mnt/p",)
    assert place.serves_files
    assert not place.serves_terminals
    assert not place.elsewhere
    argv = place.wrap(["agent"], "/mnt/p", {})
    assert argv[:3] == ["ssh", "-p", "22"]
    assert argv[-3:-1] == ["--", "me@host"]
    assert argv[-1].endswith(" sh /srv/p agent")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--sandbox"], "would show all of your home folder"),
        (["--no-network"], "are for --sandbox"),
    ],
)
def test_nothing_starts_in_a_place_that_can_t_be(
    tmp_path: Path, options: list[str], says: str
) -> None:
    ran = run_turn(*options, argv=["true"], cwd=tmp_path, env={"HOME": str(tmp_path)})
    assert ran.code == 2
    assert says in ran.err


def test_without_bubblewrap_nothing_starts(tmp_path: Path, work: Path) -> None:
    ran = run_turn("--sandbox", argv=["/bin/true"], cwd=work, env={"PATH": str(tmp_path)})
    assert ran.code == 2
    assert "which is not installed" in ran.err


@pytest.mark.skipif(sys.platform != "linux", reason="sandboxes are for Linux")
def test_a_machine_that_forbids_sandboxes_is_said_and_nothing_starts(
    tmp_path: Path, work: Path
) -> None:
    bwrap = tmp_path / "bwrap"
    bwrap.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n"
    )
    bwrap.chmod(0o755)
    ran = run_turn(
        "--sandbox", argv=["/usr/bin/true"], cwd=work, env={"PATH": f"{tmp_path}:/usr/bin"}
    )
    assert ran.code == 2
    assert "doesn't let bubblewrap make one (bwrap: No permissions" in ran.err


async def test_a_sign_in_program_runs_on_the_other_machine(
    there: str, work: Path, tmp_path: Path
) -> None:
    launch = Launch(("agent",), str(work), {"A": "it's $HOME"}, place=f"ssh:{there}:{tmp_path}")
    line = 'pwd > ran; echo "$A $B $1" >> ran'
    program = Program(("sh", "-c", line, "sh", "two  words"), "/no/such", {"B": "*"}, of_agent=True)
    assert await run_for(launch, program) == 0
    assert (tmp_path / "ran").read_text() == f"{tmp_path}\nit's $HOME * two  words\n"
    assert await run_for(launch, program._replace(argv=("sh", "-c", "exit 7"))) == 7


async def test_a_sign_in_program_runs_in_a_container_on_the_terminal(
    docker: Path, work: Path
) -> None:
    launch = Launch(("agent",), str(work), {"A": "x"}, place="docker:-v login:/root image")
    program = Program(("sh", "-c", "echo $A > ran"), "/work", of_agent=True)
    assert await run_for(launch, program) == 0
    assert (work / "ran").read_text() == "x\n"
    assert docker.read_text().splitlines()[:3] == ["run", "--rm", "-it"]


async def test_a_sign_in_program_runs_where_the_agent_does_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place, says = "bwrap", "would show all of your home"
    monkeypatch.setenv("HOME", str(tmp_path))
    ran = tmp_path / "ran"
    program = Program(("touch", str(ran)), str(tmp_path), of_agent=True)
    assert await run_for(Launch(("agent",), str(tmp_path), place=place), program) == 127
    assert says in capsys.readouterr().err
    assert not ran.exists()


# By a command, and by name


def test_a_command_takes_the_agent_as_its_arguments(work: Path) -> None:
    ran = run_turn("--in", "env 'A=b c'", argv=[*PYTHON, str(AGENT), "x"], cwd=work)
    facts = said(ran)
    assert facts["env"]["A"] == "b c"
    assert facts["argv"] == ["x"]
    assert "In env 'A=b c'. Files and commands: here." in ran.err


def test_a_place_of_the_settings_is_found_by_its_name(tmp_path: Path, work: Path) -> None:
    settings = tmp_path / "acp-tui" / "settings.toml"
    settings.parent.mkdir()
    agent = json.dumps([*PYTHON, str(AGENT)])
    settings.write_text(
        f'[places.mine]\nwhere = "env A=b"\n[agents.one]\ncommand = {agent}\nplace = "mine"\n'
    )
    env = {"XDG_CONFIG_HOME": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-m", "acp_tui", "run", "--agent", "one", "true"],
        capture_output=True,
        text=True,
        cwd=work,
        env={**os.environ, **env},
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["env"]["A"] == "b"
    assert known_places({})["sandbox"].where == "bwrap"
