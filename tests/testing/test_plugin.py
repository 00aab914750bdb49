"""The pytest plugin, in runs of its own: the sample project, and what is told of failures."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui.testing.agent import BadConfigError, agent_config
from tests.installed import ROOT, install, own_entry_points

SAMPLE = ROOT / "examples/testing-an-agent"
PYTHON_AGENT = ROOT / "tests/interop/python_agent.py"
SLOW = (
    "hypothesispytest",
    "textual-snapshot",
    "syrupy",
    "xdist",
    "pytest_cov",
    "unraisableexception",  # collects all garbage five times at the end
)
FAILING = """
def test_findings(acp_agent):
    assert not acp_agent.prompt("/noise").findings

def test_edit(acp_agent):
    acp_agent.prompt("/permission").tool_calls.one(kind="edit")
"""
WITHOUT_THE_FIXTURE = """
import sys

def test_it():
    ours = sorted(one for one in sys.modules if one.startswith("acp_tui"))
    assert "acp_tui.testing.plugin" in ours
    assert not {"acp_tui.library", "acp_tui.client", "acp_tui.protocol.model"} & {*sys.modules}
"""


def run_pytest(
    tmp_path: Path, folder: Path, *options: str, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder, with the plugin installed."""
    site = tmp_path / "site"
    if not site.exists():
        install(site, "acp-tui-under-test", own_entry_points())
    path = os.pathsep.join([str(site), str(ROOT)])
    without = [f"-pno:{name}" for name in SLOW]
    words = [sys.executable, "-m", "pytest", "-q", "-pno:cacheprovider", *without, *options]
    return subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "PYTEST_ADDOPTS": "", **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


def project(tmp_path: Path, tests: str, config: str = "") -> Path:
    """A project whose agent is that of the sample, if it names no other."""
    folder = tmp_path / "project"
    folder.mkdir()
    sample = (SAMPLE / "pyproject.toml").read_text()
    (folder / "pyproject.toml").write_text(config or sample)
    (folder / "test_it.py").write_text(tests)
    return folder


@pytest.mark.slow
def test_the_sample_project_tests_the_demo_agent(tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    ran = run_pytest(tmp_path, folder)
    assert "4 passed" in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.slow
@pytest.mark.interop
@pytest.mark.skipif(
    importlib.util.find_spec("acp") is None, reason="agent-client-protocol is not installed"
)
def test_the_sample_project_tests_an_agent_on_the_python_sdk(tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    ran = run_pytest(tmp_path, folder, "--acp-agent", f"python {PYTHON_AGENT}")
    assert "4 passed" in ran.stdout, ran.stdout + ran.stderr


def test_nothing_is_loaded_before_the_fixture_and_a_failure_tells_of_all_that_was(
    tmp_path: Path,
) -> None:
    folder = project(tmp_path, FAILING)
    (folder / "test_before.py").write_text(WITHOUT_THE_FIXTURE)
    ran = run_pytest(tmp_path, folder, f"--basetemp={tmp_path / 'base'}")
    assert "2 failed, 1 passed" in ran.stdout, ran.stdout + ran.stderr
    assert "assert not <8 findings: error stdout-noise: not JSON" in ran.stdout
    assert "no tool call with kind='edit'; the turn has:" in ran.stdout
    assert ": 'Pour the tea' [other, failed]" in ran.stdout
    assert "ACP: frames of the last turn" in ran.stdout
    assert '0.000 -> {"jsonrpc":"2.0","id":2,"method":"session/prompt"' in ran.stdout
    assert "error not-utf8: the line has bytes" in ran.stdout
    recording = tmp_path / "base/test_findings0/acp.jsonl"
    assert f"acp-tui replay {recording}" in ran.stdout
    assert "/noise" in recording.read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("[tool.other]\n", "no agent to test: name its command with --acp-agent"),
        ('[tool.acp]\ncommand = "no-such-agent"\n', "did not start: Can't start 'no-such-agent'"),
        ('[tool.acp]\ncommand = ["sh", "-c", "exit 3"]\n', "exited with code 3"),
    ],
)
def test_an_agent_that_cant_be_hosted_is_told(tmp_path: Path, config: str, words: str) -> None:
    ran = run_pytest(tmp_path, project(tmp_path, "def test_it(acp_agent): pass\n", config))
    assert "1 error" in ran.stdout, ran.stdout + ran.stderr
    assert words in ran.stdout
    assert "Traceback" not in ran.stdout


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("[tool.acp]\ncomand = 'x'", "comand = 'x': the keys are command, env"),
        ("[tool.acp]\ncommand = 3", "command = 3"),
        ("[tool.acp]\ncommand = 'x'\npermissions = 'yes'", "permissions is one of allow"),
        ("[tool.acp", "pyproject.toml"),
    ],
)
def test_a_table_that_means_nothing_is_told(tmp_path: Path, config: str, words: str) -> None:
    (tmp_path / "pyproject.toml").write_text(config)
    with pytest.raises(BadConfigError, match=words):
        agent_config(tmp_path, None)


def test_the_command_line_goes_before_the_table(tmp_path: Path) -> None:
    table = '[tool.acp]\ncommand = ["agent", "--acp"]\nenv = { A = "b" }\ntimeout = 5\n'
    (tmp_path / "pyproject.toml").write_text(table)
    named = agent_config(tmp_path, None)
    assert (named.command, named.env, named.timeout) == (("agent", "--acp"), {"A": "b"}, 5)
    chosen = agent_config(tmp_path, "python 'my agent.py'")
    assert (chosen.command, chosen.env) == ((sys.executable, "my agent.py"), {"A": "b"})
