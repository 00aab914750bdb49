"""What agents told is kept by a hash of their commands, and only of those that ran last."""

import json
import time
from pathlib import Path

import pytest

from acp_tui.protocol.quota import QuotaWindow
from acp_tui.store.seen_agents import (
    KEPT_AGENTS,
    LARGEST_AGENTS_FILE,
    SeenAgent,
    read_quota,
    read_seen,
    seen_key,
    write_quota,
    write_seen,
)


def test_what_is_kept_is_found_again(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "seen.json"
    assert read_seen(file) == {}
    key = seen_key(["tea", "--acp"])
    write_seen(file, key, version="1.0-beta.2")
    assert read_seen(file) == {key: SeenAgent("1.0-beta.2", None)}
    write_seen(file, key, worked=True)
    write_seen(file, key, version="2")
    assert read_seen(file)[key].version == "2"
    assert read_seen(file)[key].worked is not None


def test_the_fullest_windows_of_a_plan_are_kept_until_they_are_reset(tmp_path: Path) -> None:
    file, soon = tmp_path / "seen.json", time.time() + 3600
    assert read_quota(file, "tea") is None
    over = QuotaWindow("over", 99.0, time.time() - 1)
    unknown = [QuotaWindow("used", None, soon), QuotaWindow("reset", 50.0)]
    many = [QuotaWindow(f"w{used}", float(used), soon, is_minimum=True) for used in range(10)]
    rejected = QuotaWindow("rejected", None, soon, rejected=True)
    write_seen(file, "tea", version="1")
    write_quota(file, "tea", [rejected, *many, *unknown, over])
    write_seen(file, "tea", worked=True)
    found = read_quota(file, "tea")
    assert found is not None
    assert abs(found.at - time.time()) < 60
    assert found.windows == (*many[-3:], rejected)
    assert read_seen(file)["tea"].version == "1"
    write_quota(file, "tea", [])
    assert read_quota(file, "tea") is None


@pytest.mark.parametrize("quota", [5, [1], [1, 2], [1, [["a", "b", "c"]]], ["x", []], [1, [[]]]])
def test_a_quota_that_cannot_be_read_is_none(tmp_path: Path, quota: object) -> None:
    file = tmp_path / "seen.json"
    file.write_text(json.dumps({"tea": {"version": "", "worked": None, "quota": quota}}))
    assert read_quota(file, "tea") is None


@pytest.mark.parametrize("words", ["9, signed in", "1   ready", "1" * 41, "\n1", "1\n", "", "✓"])
def test_what_does_not_read_like_a_version_is_none(tmp_path: Path, words: str) -> None:
    file = tmp_path / "seen.json"
    write_seen(file, "tea", version=words)
    assert read_seen(file)["tea"].version == ""
    file.write_text(json.dumps({"tea": {"version": words, "worked": None}}))
    assert read_seen(file)["tea"].version == ""


def test_another_place_or_another_argument_is_another_agent() -> None:
    keys = {
        seen_key(["tea", "--acp"]),
        seen_key(["tea --acp"]),
        seen_key(["tea", "--acp"], "ssh:a"),
    }
    assert len(keys) == 3


def test_those_that_ran_last_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "seen.json"
    one = {"version": "1", "worked": None}
    file.write_text(json.dumps({str(number): one for number in range(KEPT_AGENTS)}))
    write_seen(file, "0", worked=True)
    write_seen(file, "new", version="")
    assert list(read_seen(file))[-2:] == ["0", "new"]
    assert len(read_seen(file)) == KEPT_AGENTS
    assert "1" not in read_seen(file)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "[" * 100_000, '{"a": 1, "b": {"version": "1"}}', " " * (LARGEST_AGENTS_FILE + 1)],
)
def test_a_file_that_is_none_of_ours_says_nothing(tmp_path: Path, text: str) -> None:
    file = tmp_path / "seen.json"
    file.write_text(text)
    assert read_seen(file) == {}
    write_seen(file, "a", version="1")
    assert read_seen(file)["a"].version == "1"
