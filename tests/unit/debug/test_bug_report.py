"""Bug reports: what is in them, and what is not."""

import io
import json
from zipfile import ZipFile

from acp_tui.debug.bug_report import BugReport, bug_report, zip_files
from acp_tui.debug.log import Log
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.process_events import StderrLine, StderrOmitted
from acp_tui.recordings.recording import read_header, read_records
from tests.unit.debug.scenes import Wire, read

FACTS = {"argv": ["agent", "--api-key", "abcdef123"], "version": "1.2", "python": "3.11"}


def long_talk() -> Wire:
    wire = Wire().prompted()
    for number in range(300):
        wire.chunk(str(number))
    wire.raw(Direction.IN, b"token=abcdefgh12345 on stdout")
    for number in range(300):
        wire.chunk(str(number))
    return wire.ended()


def report(wire: Wire, focus: int, around: int = 20) -> tuple[BugReport, Log]:
    log = read(wire.records)
    return bug_report(log, focus, FACTS, around), log


def test_it_has_the_set_up_the_prompt_and_what_is_around() -> None:
    made, _ = report(long_talk(), 305)
    records = list(read_records(made.files["recording.jsonl"].splitlines(keepends=True)))
    numbers = [record.number for record in records]  # type: ignore[union-attr]
    assert numbers == [1, 2, 3, 4, 5, *range(286, 327), 607]


def test_the_excerpt_says_what_it_is_of() -> None:
    made, log = report(long_talk(), 305)
    facts = read_header(made.files["recording.jsonl"].partition("\n")[0])
    assert facts["excerpt"] == {"of": len(log), "records": 47, "around": 305}


def test_secrets_are_masked_everywhere_and_it_says_so() -> None:
    made, _ = report(long_talk(), 305)
    assert "abcdef" not in "".join(made.files.values())
    assert "masked 2" in made.masked
    assert made.masked in made.files["README.md"]


def test_the_readme_tells_the_rule_the_versions_and_how_to_replay() -> None:
    made, _ = report(long_talk(), 305)
    readme = made.files["README.md"]
    assert made.title == "#306: a line"
    assert "# Report about #306: a line" in readme
    assert "The agent MUST NOT write anything to its stdout" in readme
    assert "acp-tui replay recording.jsonl" in readme
    assert '{"name": "a", "version": "1"}' in readme
    assert "- acp-tui: 1.2" in readme
    assert "- platform" not in readme
    assert "stdout-noise" in made.files["findings.txt"]


def test_a_frame_without_a_finding_and_an_agent_without_a_name() -> None:
    wire = Wire().out(id=0, method="initialize", params={}).got(id=0, result={})
    wire.happened(StderrLine(wire.at, "one word"))
    log = Log(wire.records)
    log.catch_up()
    made = bug_report(log, 2, {})
    assert "(no rule is broken by this record)" in made.files["README.md"]
    assert "did not say its name, started as `unknown`" in made.files["README.md"]
    assert made.title.endswith("s: stderr_line")
    assert made.files["stderr.txt"] == "one word\n"


def test_who_never_initialized_has_no_name() -> None:
    log = read(Wire().got(method="x/y").records)
    assert "did not say its name" in bug_report(log, 0, {}).files["README.md"]


def test_of_stderr_the_last_lines_are_kept() -> None:
    wire = Wire().prompted()
    for number in range(250):
        wire.happened(StderrLine(wire.at, f"line {number}"))
    lines = report(wire.ended(), len(wire.records) - 1)[0].files["stderr.txt"].splitlines()
    assert (len(lines), lines[0], lines[-1]) == (200, "line 50", "line 249")


def test_what_is_left_out_of_stderr_is_said_in_its_place() -> None:
    wire = Wire().prompted()
    for event in (StderrLine(wire.at, "a"), StderrOmitted(wire.at, 5_000, "cd")):
        wire.happened(event)
    made = report(wire.ended(), len(wire.records) - 1)[0]
    assert made.files["stderr.txt"] == "a\n[5,000 bytes of stderr are left out here]\n"


def test_a_finding_within_a_message_says_where() -> None:
    log = read(Wire().prompted().chunk(note="x").ended().records)
    wire = Wire().prompted().update("plan", entries="none").ended()
    log = read(wire.records)
    findings = bug_report(log, 5, {}).files["findings.txt"]
    assert " at params.update" in findings


def test_zipped_there_is_one_folder() -> None:
    data = zip_files({"a.txt": "ä", "b.txt": ""}, "report")
    with ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["report/a.txt", "report/b.txt"]
        assert archive.read("report/a.txt").decode() == "ä"


def test_a_secret_that_came_in_pieces_is_masked_also_where_the_excerpt_begins() -> None:
    token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    wire = Wire().prompted()
    for number in range(50):
        wire.chunk(str(number) + " ")
    for letter in token:
        wire.chunk(letter)
    wire.raw(Direction.IN, b"noise")
    wire.ended()
    made, _ = report(wire, 95)
    chunks = [
        json.loads(one.raw)["params"]["update"]["content"]["text"]
        for one in read_records(made.files["recording.jsonl"].splitlines(keepends=True))
        if isinstance(one, Frame) and b"_chunk" in one.raw
    ]
    assert len(chunks) == 20
    assert "update.content.text (20)" in made.masked
    assert not set("".join(chunks)) & set(token)
