"""Addresses of agents elsewhere: what can be used, and what would give a secret away."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.config.layers import load_settings
from acp_tui.config.remote import Remote
from acp_tui.config.toml_files import ConfigError

TOKEN = {"token_env": "TOKEN"}


@pytest.mark.parametrize(
    ("url", "host", "port", "here"),
    [
        ("ws://localhost/acp", "localhost", 80, True),
        ("ws://127.8.9.1:81/acp", "127.8.9.1", 81, True),
        ("http://[::1]:8080", "::1", 8080, True),
        ("https://agents.example/acp", "agents.example", 443, False),
        ("wss://10.0.0.7:8443/acp", "10.0.0.7", 8443, False),
    ],
)
def test_an_address_says_where(url: str, host: str, port: int, here: bool) -> None:
    remote = Remote(url)
    assert (remote.host, remote.port, remote.is_here) == (host, port, here)
    assert remote.shown == url
    assert remote.is_websocket == url.startswith("ws")


def test_what_is_shown_and_recorded_of_an_address_is_no_secret() -> None:
    remote = Remote("wss://host/acp?key=hidden-1", {"Authorization": "hidden-2"})
    assert remote.shown == "wss://host/acp?…"
    assert remote.facts == {"url": "wss://host/acp?…", "headers": ["Authorization"]}


@pytest.mark.parametrize(
    ("url", "more", "why"),
    [
        ("ftp://host/acp", {}, "write ws://, wss://, http:// or https://HOST/PATH"),
        ("https:///acp", {}, "is not an address"),
        ("https://host:99999/", {}, "is not an address: Port out of range"),
        ("https://me:hidden-1@host/", {}, "has a name or password in it"),
        ("https://host/#part", {}, "has a fragment"),
        ("https://host/?key=hidden-1#part", {}, "has a fragment"),
        ("https://host:99999/?key=hidden-1", {}, "Port out of range"),
        ("ftp://host/?key=hidden-1", {}, "write ws://"),
        ("https://host/a b", {}, "a blank"),
        ("https://host/", {"headers": {"bad name": "x"}}, "is not the name of a header"),
        ("https://host/", {"headers": {"Acp-Session-Id": "x"}}, "is the transport's own"),
        ("https://host/", {"headers": {"X-Team": "hidden-1\n"}}, "header X-Team has a character"),
        ("https://host/", {**TOKEN, "token_command": ("pass",)}, "not from both"),
        (
            "https://host/",
            {**TOKEN, "headers": {"authorization": "hidden-1"}},
            "only one is allowed",
        ),
        ("http://host/", TOKEN, "a token would go to host unencrypted.*use https://"),
        ("ws://host/", {"headers": {"X-Api-Key": "hidden-1"}}, "X-Api-Key would go.*use wss://"),
    ],
)
def test_what_cannot_be_used_is_told_without_the_secret(
    url: str, more: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValueError, match=why) as raised:
        Remote(url, **more)
    assert "hidden" not in str(raised.value)


def test_a_token_may_go_anywhere_on_this_machine_and_a_plain_header_anywhere() -> None:
    Remote("http://127.0.0.1/acp", **TOKEN)
    Remote("http://host/acp", {"X-Team": "tea"})


def settings(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text(f"[agents.far]\n{text}\n")
    return path


def test_the_settings_name_an_agent_elsewhere(tmp_path: Path) -> None:
    text = 'url = "https://host/acp"\nheaders = { X-Team = "tea" }\ntoken_command = ["pass", "acp"]'
    agent = load_settings(settings(tmp_path, text)).agents["far"]
    assert agent.remote == Remote("https://host/acp", {"X-Team": "tea"}, None, ("pass", "acp"))
    assert agent.words == "https://host/acp"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "give the command that starts it, or the url"),
        ("command = []", "give the command that starts it, or the url"),
        ('command = ["a"]\nurl = "ws://h/"', "not for a url"),
        ('command = ["a"]\ntoken_env = "T"', "headers and tokens are for an agent with a url"),
        ('url = "host"', "is not an address"),
    ],
)
def test_settings_that_make_no_sense_say_where(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(ConfigError, match=f"settings.toml:1:1: agents.far: .*{why}"):
        load_settings(settings(tmp_path, text))
