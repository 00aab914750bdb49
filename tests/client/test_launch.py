"""How another agent is started beside a first one."""

import json
from pathlib import Path

import pytest

from acp_tui.client.launch import Launch, McpServers, in_folder, launch_of
from acp_tui.config.settings import AgentSettings
from acp_tui.config.trust import TrustStore
from acp_tui.policy.rules import Rule, RuleAnswer, RuleScope
from acp_tui.state.commands import ContinueSession, NewSession
from acp_tui.store.project_rules import ProjectRules


def with_servers(folder: Path, name: str) -> Path:
    folder.mkdir()
    servers = {"mcpServers": {name: {"command": "/bin/true"}}}
    (folder / ".mcp.json").write_text(json.dumps(servers), "utf-8")
    return folder


def base(tmp_path: Path, **more: object) -> Launch:
    return Launch(
        ("first",),
        str(tmp_path),
        {"KEY": "secret"},
        opening=ContinueSession(),
        mcp=McpServers(trust_store=TrustStore(tmp_path / "trusted.json")),
        **more,  # type: ignore[arg-type]
    )


def test_another_agent_has_its_own_command_environment_and_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "second").touch()
    settings = AgentSettings(command=["~/bin/second", "--acp"], env={"LOG": "1"}, cwd="~/bin")
    launch = launch_of(settings, base(tmp_path))
    assert launch.argv == (str(tmp_path / "bin" / "second"), "--acp")
    assert launch.env == {"LOG": "1"}
    assert launch.cwd == str((tmp_path / "bin").resolve())
    assert launch.opening == NewSession()


def test_servers_of_another_folder_wait_for_trust_of_their_own(tmp_path: Path) -> None:
    folder = with_servers(tmp_path / "other", "tea")
    launch = launch_of(AgentSettings(command=["a"], cwd=str(folder)), base(tmp_path))
    assert launch.mcp.servers == ()
    assert launch.mcp.project is not None
    assert [server["name"] for server in launch.mcp.project.servers] == ["tea"]


def test_what_was_trusted_meanwhile_is_not_asked_about_again(tmp_path: Path) -> None:
    folder = with_servers(tmp_path / "here", "tea")
    first = in_folder(base(tmp_path), str(folder))
    assert first.mcp.trust_store is not None
    assert first.mcp.project is not None
    first.mcp.trust_store.trust(first.mcp.project.content, folder / ".mcp.json")
    later = in_folder(launch_of(AgentSettings(command=["a"]), first), first.cwd)
    assert [server["name"] for server in later.mcp.servers] == ["tea"]
    assert later.mcp.project is None


def test_rules_of_the_project_are_those_of_the_folder_by_now(tmp_path: Path) -> None:
    kept = ProjectRules(tmp_path / "rules")
    here, there = str(tmp_path / "here"), str(tmp_path / "there")
    given = Rule(RuleAnswer.REJECT, kinds=("delete",))
    own = Rule(RuleAnswer.ALLOW, kinds=("read",), scope=RuleScope.PROJECT, where=here)
    others = Rule(RuleAnswer.ALLOW, kinds=("edit",), scope=RuleScope.PROJECT, where=there)
    kept.add_rule(own)
    kept.add_rule(others)
    launch = in_folder(base(tmp_path, rules=(given, own), project_rules=kept), there)
    assert launch.rules == (given, others)
    assert launch.remarks == ()
    kept.add_rule(others._replace(commands=("npm *",)))
    (remark,) = in_folder(launch, there).remarks
    assert remark.startswith("this project: 'npm *' allows nothing: a * can't stand for what npm")
