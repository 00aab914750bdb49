"""A recording that somebody made to do harm is only read: shown, listed, exported, tried again."""

import re
from itertools import cycle
from pathlib import Path

import pytest

from acp_tui.recordings.recording import format_record
from tests.e2e.terminal import terminal
from tests.hosting import run_turn
from tests.in_process import run_program
from tests.security import attacks
from tests.security.attacks import FORBIDDEN, MARKUP, SEQUENCES
from tests.security.test_terminal import assert_only_ours, attacked
from tests.unit.state.conversation import Conversation

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A turn full of attacks, and below it facts of the client's own that are attacks, too."""
    folder = tmp_path_factory.mktemp("recorded")
    file = folder / "evil.jsonl"
    options = ("--record", str(file), "--permissions", "reject")
    run_turn(*options, argv=attacked().argv(folder))
    some = cycle(one for pair in zip(cycle(MARKUP), SEQUENCES) for one in pair)
    told: list[str] = []

    class Told(Conversation):
        def happened(self, event):  # type: ignore[no-untyped-def]
            told.append(format_record(event))
            return []

    attacks.facts(Told(), lambda: f"x{next(some)}{next(some)}")
    header, *lines = file.read_text().splitlines()
    evil = header.replace('"--', '"\\u001b]0;owned\\u0007--', 1)
    file.write_text("\n".join([evil, *lines, *told, ""]))
    return file


def test_a_replay_writes_only_its_own_sequences(recording: Path) -> None:
    with terminal("replay", str(recording), "--speed", "100000", size=(130, 45)) as it:
        it.wait_for("end of replay")
        it.send("\x1b[F")  # End
        it.wait_for("M4RK")
        for keys in ("\x1b[24~", *"jjj", "\r", *"vvwS", "\x1b[B", *"cc/", "\x1b", "\x1b", "\x1b"):
            it.send(keys)
            it._draw(0.2)
        for keys in ("\x10", "\x10", "\x1b[19~", "\x1b", "\x1b[18~", "\x1b"):
            it.send(keys)
            it._draw(0.2)
        it.leave()
        assert it.wait_for_exit() == 0
        assert_only_ours(it.written, bells=it.written.count(b"\x07"))


def test_what_is_listed_in_a_terminal_is_clean(recording: Path) -> None:
    with terminal("log", str(recording), "--unfold", size=(200, 50)) as it:
        it.wait_for_exit()
        assert_clean(it.written)


@pytest.mark.parametrize(
    "options",
    [[], ["--findings"], ["--stats"], ["--json"], ["--filter", "\x1b]0;owned\x07("]],
)
def test_what_is_listed_is_clean(recording: Path, options: list[str]) -> None:
    ran = run_program("log", str(recording), *options)
    assert_clean(ran.stdout + ran.stderr)


def test_what_a_policy_would_have_said_is_clean(recording: Path, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text('[[permissions]]\nanswer = "ask"\ntitle = "\\u001b]0;owned\\u0007*"\n')
    for command in (
        ["test", "--policy", str(file), str(recording)],
        ["list", "--policy", str(file)],
    ):
        ran = run_program("policy", *command)
        assert_clean(ran.stdout + ran.stderr)


def assert_clean(written: bytes) -> None:
    """What was written has no sequence at all, and more than blanks."""
    assert written.strip()
    assert b"\x1b" not in written
    assert_only_ours(written.replace(b"\t", b" "))


@pytest.mark.parametrize("ending", ["md", "html", "svg"])
def test_what_is_exported_is_clean(recording: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"talk.{ending}"
    ran = run_program("export", str(recording), "-o", str(out))
    assert ran.returncode == 0, ran.stderr
    text = out.read_text("utf-8").replace("\n", "")
    if ending == "md":
        text = text.replace("\t", " ")  # in a file it is a character like others
    assert "M4RK" in text, "what was said is there"
    found = FORBIDDEN.search(text)
    assert found is None, ascii(text[max(0, found.start() - 80) :][:160])
    if ending != "md":
        tags = "".join(re.findall(r"<[a-z/][^>]*>", text.partition("</style>")[2]))
        assert not re.search(r"<script|javascript:|onload=|<iframe", tags)


def test_a_bug_report_is_told_of_in_clean_words(recording: Path, tmp_path: Path) -> None:
    for name in ("report.zip", "folder"):
        out = tmp_path / name
        ran = run_program("log", str(recording), "--report", str(out))
        assert ran.returncode == 0, ran.stderr
        assert not FORBIDDEN.search(ran.stdout.decode().replace("\n", ""))
