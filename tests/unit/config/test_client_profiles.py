"""What other clients say of themselves."""

import json
from pathlib import Path

import pytest

from acp_tui.config.client_profiles import (
    PROFILES,
    SWITCHES,
    Params,
    find_profile,
    offers_capability,
    switch_capability,
)
from acp_tui.config.toml_files import ConfigError
from acp_tui.protocol import validation
from acp_tui.protocol.frames import Direction

PAGE = Path(__file__).parents[3] / "docs/debugging.md"
PARAMS = {"protocolVersion": 1, "clientCapabilities": {"terminal": True}}
MESSAGE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": PARAMS}
RECORDED = [
    '{"acp-tui": 1}',
    '{"event": "ProcessStarted"}',
    json.dumps({"dir": "in", "raw": json.dumps({**MESSAGE, "params": {}})}),
    json.dumps({"dir": "out", "raw": "noise"}),
    json.dumps({"dir": "out", "raw": json.dumps(MESSAGE)}),
]


@pytest.mark.parametrize("name", PROFILES)
def test_each_is_a_valid_handshake_and_says_how_it_is_known(name: str) -> None:
    profile = find_profile(name)
    message = {**MESSAGE, "params": dict(profile.params)}
    found = validation.check_message(Direction.OUT, message)
    assert [one for one in found if one.rule.severity == "error"] == []
    assert profile.known.startswith(("As far as is known: ", "No client in particular"))
    assert f"| `{name}` |" in PAGE.read_text("utf-8")


@pytest.mark.parametrize(
    "text", [json.dumps(PARAMS), json.dumps(MESSAGE, indent=2), "\n".join(RECORDED)]
)
def test_a_file_has_the_params_the_request_or_a_recording(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine"
    path.write_text(text)
    assert find_profile(str(path)).params == PARAMS


@pytest.mark.parametrize("content", [b"{}", b"no JSON", b"\xff", b"[" * 100_000])
def test_a_file_that_has_none_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"mine: (neither the params|not UTF-8)"):
        find_profile(str(path))
    with pytest.raises(ConfigError, match="can't be read"):
        find_profile(str(tmp_path))
    with pytest.raises(ConfigError, match="no file 'vim'; there are: zed"):
        find_profile("vim")


@pytest.mark.parametrize("name", SWITCHES)
def test_a_switch_changes_one_capability_and_stays_valid(name: str) -> None:
    path = SWITCHES[name]
    on = switch_capability(PROFILES["minimal"].params, path, on=True)
    assert [one for one, at in SWITCHES.items() if offers_capability(on, at)] == [name]
    found = validation.check_message(Direction.OUT, {**MESSAGE, "params": on})
    assert [one for one in found if one.rule.severity == "error"] == []
    assert not offers_capability(switch_capability(on, path, on=False), path)
    assert not any(offers_capability(PROFILES["minimal"].params, at) for at in SWITCHES.values())


def test_the_names_that_air_lists_are_switched_one_by_one() -> None:
    air = PROFILES["air"].params
    assert offers_capability(air, SWITCHES["AIR: rawInputRendering"])
    assert not offers_capability(air, SWITCHES["AIR: nativeSubagentSessions"])
    more = switch_capability(air, SWITCHES["AIR: planFile"], on=True)
    extension = more["clientCapabilities"]["_meta"]["jetbrains"]["air"]
    assert extension["version"] == 1
    assert extension["capabilities"] == [*_names(air), "planFile"]
    assert switch_capability(more, SWITCHES["AIR: planFile"], on=False) == air


def test_a_client_without_any_name_of_air_is_not_air() -> None:
    params = PROFILES["air"].params
    for name in _names(params):
        params = switch_capability(params, SWITCHES[f"AIR: {name}"], on=False)
    assert params["clientCapabilities"]["_meta"]["jetbrains"] == {}


def test_what_air_is_offered_and_may_be_is_documented() -> None:
    page = PAGE.with_name("protocol.md").read_text("utf-8")
    names = [name.removeprefix("AIR: ") for name in SWITCHES if name.startswith("AIR: ")]
    for name in names:
        offered = "yes" if name in _names(PROFILES["air"].params) else "no"
        assert f"| `{name}` | {offered} |" in page


def _names(params: Params) -> list[str]:
    names: list[str] = params["clientCapabilities"]["_meta"]["jetbrains"]["air"]["capabilities"]
    return names
