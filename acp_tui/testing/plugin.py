"""The pytest plugin, with the fixture `acp_agent`. It does nothing in a test run that doesn't use
it.
"""

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from acp_tui.testing.agent import HostedAgent

_AGENT = pytest.StashKey["HostedAgent"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option `--acp-agent`."""
    parser.getgroup("acp", "ACP agents (acp-tui)").addoption(
        "--acp-agent",
        metavar="COMMAND",
        help="the command of the agent that the fixture acp_agent hosts "
        "(default: command in [tool.acp] of pyproject.toml)",
    )


@pytest.fixture
def acp_agent(request: pytest.FixtureRequest, tmp_path: Path) -> "Iterator[HostedAgent]":
    """An ACP agent in a folder of its own: the one in `--acp-agent` or `[tool.acp]`."""
    from acp_tui.errors import AcpTuiError
    from acp_tui.testing.agent import BadConfigError, HostedAgent, agent_config

    try:
        config = agent_config(request.config.rootpath, request.config.getoption("--acp-agent"))
    except BadConfigError as error:
        pytest.fail(str(error), pytrace=False)
    folder = tmp_path / "acp"
    folder.mkdir()
    agent = HostedAgent(folder, tmp_path / "acp.jsonl", config.permissions)
    request.node.stash[_AGENT] = agent
    running = agent.running(config)
    try:
        running.__enter__()
    except (AcpTuiError, OSError) as error:
        pytest.fail(f"the agent did not start: {error}\nrecorded: {agent.recording}", pytrace=False)
    try:
        yield agent
    finally:
        running.__exit__(None, None, None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add sections about the agent to the report of a failed test that used one."""
    report = yield
    agent = item.stash.get(_AGENT, None)
    if agent is not None and report.failed and report.when == "call":
        report.sections += agent.report()
    return report
