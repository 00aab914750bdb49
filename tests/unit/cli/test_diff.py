"""`acp-tui diff` as a person uses it: names, turns, baselines, exit codes."""

import json
from pathlib import Path

import pytest

from acp_tui.cli import main
from acp_tui.recordings.recording import format_header, format_record
from tests.unit.debug.scenes import Wire


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name, wire in {
        "one": Wire().prompted().chunk("a").ended(),
        "two": Wire().prompted().chunk("a").ended().prompt(3).chunk("b").ended(3),
        "slow": Wire().prompted().chunk("a").later(9).ended(),
        "none": Wire(),
    }.items():
        lines = [format_header({}), *map(format_record, wire.records), ""]
        (tmp_path / name).write_text("\n".join(lines), "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["one", "one"], 0),
        (["one", "two"], 1),
        (["one", "slow"], 0),
        (["one", "slow", "--slower", "3"], 1),
        (["one#1", "two#1"], 0),
        (["two#1", "two#2"], 1),
        (["one#1", "two#3"], 2),
        (["none", "none#1"], 2),
        (["one", "missing"], 2),
        (["one", "--baseline", "missing"], 2),
    ],
)
def test_the_exit_code_says_whether_anything_differs(argv: list[str], code: int) -> None:
    assert main.run(["diff", *argv]) == code


@pytest.mark.parametrize(
    "argv",
    [
        ["one"],
        ["one", "two", "--baseline", "main"],
        ["one", "--baseline", "../main"],
        ["one", "--baseline", ""],
        ["one", "two", "--slower", "1"],
        ["one", "two", "--slower", "x"],
    ],
)
def test_what_makes_no_sense_is_a_usage_error(argv: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main.run(["diff", *argv])
    assert ended.value.code == 2


def test_a_baseline_is_kept_for_its_owner_and_replaced(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["diff", "two", "--save-baseline", "main"]) == 0
    assert main.run(["diff", "one", "--save-baseline", "main"]) == 0
    (kept,) = (folder / "state/acp-tui/baselines").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert main.run(["diff", "one", "--baseline", "main"]) == 0
    assert main.run(["diff", "one", "--baseline", "other"]) == 2
    assert "there are: main" in capsys.readouterr().err


def test_json_and_a_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["diff", "one", "two", "--json"]) == 1
    assert len(json.loads(capsys.readouterr().out)["differences"]) == 2
    assert main.run(["diff", "one", "two", "--html", "page.html"]) == 1
    assert "<h2>turn 2</h2>" in (folder / "page.html").read_text("utf-8")
    assert main.run(["diff", "one", "two", "--html", "-"]) == 1
    assert capsys.readouterr().out.startswith("<!doctype html>")


def test_a_page_takes_the_place_of_an_older_page_only(folder: Path) -> None:
    before = (folder / "two").read_text("utf-8")
    (folder / "link.html").symlink_to(folder / "two")
    for name in ("two", "link.html"):
        assert main.run(["diff", "one", "two", "--html", name]) == 2
    assert (folder / "two").read_text("utf-8") == before
    for _ in range(2):
        assert main.run(["diff", "one", "two", "--html", "page.html"]) == 1
    assert (folder / "page.html").stat().st_mode & 0o777 == 0o600


def test_a_page_has_no_secrets(folder: Path) -> None:
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"
    wire = Wire().prompted().chunk(f"use {key}").ended()
    lines = [format_header({}), *map(format_record, wire.records), ""]
    (folder / "secret").write_text("\n".join(lines), "utf-8")
    assert main.run(["diff", "one", "secret", "--html", "page.html"]) == 1
    page = (folder / "page.html").read_text("utf-8")
    assert "use " in page
    assert key[:12] not in page
