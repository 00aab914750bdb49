"""The data files of the package have no misspelled names, which would be ignored in silence."""

import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import acp_tui
from acp_tui.check.runner import CHECKS
from acp_tui.config.settings_table import all_settings
from acp_tui.protocol.findings import Severity, protocol_rules
from acp_tui.protocol.known_forms import NEWER
from acp_tui.protocol.methods import AGENT_METHODS

LINTED = {rule.id for rule in protocol_rules()}


def read(name: str) -> Mapping[str, Any]:
    return tomllib.loads(Path(acp_tui.__file__).parent.joinpath(name).read_text("utf-8"))


@pytest.mark.parametrize(
    ("name", "required", "optional"),
    [
        (
            "check/rules.toml",
            {"title", "tier", "mend"},
            {"version_1", "version_2", "findings", "tck"},
        ),
        ("config/client_profiles.toml", {"known", "params"}, set()),
        ("config/known_agents.toml", {"title", "command"}, {"program", "npm", "sign_in"}),
        (
            "config/settings_table.toml",
            set(),
            {"words", "unit", "flag", "unset", "effect", "in_projects"},
        ),
    ],
)
def test_each_entry_has_the_fields_that_are_read_and_the_file_explains_them(
    name: str, required: set[str], optional: set[str]
) -> None:
    entries = read(name)
    assert {id for id, one in entries.items() if not required <= set(one)} == set()
    assert {field for one in entries.values() for field in one} == required | optional
    text = Path(acp_tui.__file__).parent.joinpath(name).read_text("utf-8")
    explained = "".join(line for line in text.splitlines()[:8] if line.startswith("#"))
    assert [one for one in sorted(required | optional) if f"`{one}`" not in explained] == []


def test_each_rule_of_a_check_is_tried_by_one_and_needs_the_rules_that_there_are() -> None:
    listed = read("check/rules.toml")
    assert set(listed) == {one.id for one in CHECKS}
    needed = [rule for one in listed.values() for rule in one.get("findings", ())]
    assert set(needed) <= LINTED
    assert len(needed) == len(set(needed)), "a finding would count against the last check only"


def test_each_rule_of_the_protocol_stands_once_and_is_watched_by_the_linter() -> None:
    listed = read("protocol/rules.toml")
    places = [
        (version, basis, severity, id)
        for version, by_basis in listed.items()
        for basis, by_severity in by_basis.items()
        for severity, sentences in by_severity.items()
        for id in sentences
    ]
    assert {version for version, *_ in places} == {"every", "version_1", "version_2", "second"}
    assert {basis for _, basis, *_ in places} == {"quoted", "guess"}
    assert {severity for _, _, severity, _ in places} == set(Severity)
    first = [id for version, *_, id in places if version != "second"]
    second = [id for version, *_, id in places if version == "second"]
    assert max(Counter(first).values()) == max(Counter(second).values()) == 1
    assert {*first, NEWER.id} == LINTED
    assert {id for version, *_, id in places if version == "every"} >= set(second)


def test_each_setting_is_described_and_nothing_else_is() -> None:
    described = read("config/settings_table.toml")
    names = {one.name for one in all_settings()}
    assert set(described) <= names
    without = {name for name in names if "words" not in described.get(name, {})}
    assert {name for name in without if not name.startswith("limits.")} == set()
    timeouts = [one for one in all_settings() if one.name in without]
    assert {one.words.split("`")[1] for one in timeouts} <= set(AGENT_METHODS)
