"""Findings as text and as JSON."""

import json

from acp_tui.debug.findings_report import (
    findings_json,
    findings_junit,
    findings_text,
    masked_message,
    version_fields,
)
from acp_tui.debug.log import Log
from acp_tui.protocol.content import decoded_size
from acp_tui.protocol.file_events import EditCompared, EditVerdict
from acp_tui.protocol.findings import Finding
from acp_tui.protocol.frames import Direction
from tests.unit.debug.scenes import Wire


def test_findings_are_told_by_rule_with_their_first_places() -> None:
    wire = Wire().prompted()
    for _ in range(7):
        wire.raw(Direction.IN, b"noise")
    log = wire.log()
    found = [one for one in log.findings if one.rule.id == "stdout-noise"]
    text = list(findings_text(log, found))
    assert text[0] == "ERROR stdout-noise x7"
    assert sum("not JSON" in line for line in text) == 5
    assert "    and 2 more: --filter finding:stdout-noise" in text
    assert text[-1].startswith("7 errors")
    first, *_ = map(json.loads, findings_json(log, found))
    assert (first["rule"], first["severity"], first["direction"]) == ("stdout-noise", "error", "in")


def test_a_finding_about_an_event_has_its_time_and_words() -> None:
    wire = Wire().prompted()
    wire.update("tool_call", toolCallId="t", title="Edit")
    wire.happened(EditCompared(wire.at, "s", "t", "/w/a.py", EditVerdict.DIFFERS, "other text"))
    log = wire.log()
    text = "\n".join(findings_text(log, list(log.findings)))
    assert "s differs: /w/a.py" in text


def test_no_secret_is_quoted() -> None:
    token = "sk-" + "a1b2c3d4" * 4
    wire = Wire().prompted()
    wire.raw(Direction.IN, f"export KEY={token}".encode())
    wire.update("tool_call", toolCallId="t", title={"apiKey": "hunter2!"})
    wire.ask(7, f"_{token}", token="hunter2!")
    log = wire.log()
    found = list(log.findings)
    reports = ["\n".join(findings_text(log, found)), "\n".join(findings_json(log, found))]
    reports.append(findings_junit(log, found))
    for report in reports:
        assert token not in report
        assert "hunter2" not in report
        assert "[masked]" in report
    field = Finding(
        found[0].rule, 0, "must be an object, but is a string: hunter2!", ("params", "token")
    )
    assert masked_message(field) == "must be an object, but is a string: [masked]"


def test_the_size_of_base64_is_that_of_its_bytes() -> None:
    assert [decoded_size(one) for one in ("", "YQ==", "YWI=", "YWJj")] == [0, 1, 2, 3]


def test_each_finding_names_the_version_that_its_connection_speaks() -> None:
    wire = Wire().started().opened_2().raw(Direction.IN, b"noise").quitted()
    wire.started().opened().raw(Direction.IN, b"noise").quitted()
    log = wire.log()
    told = [json.loads(line) for line in findings_json(log, list(log.findings))]
    noise = [one for one in told if one["rule"] == "stdout-noise"]
    assert [one["protocolVersion"] for one in noise] == [2, 1]
    assert not any(one["versionIsGuess"] for one in noise)


def test_a_version_that_is_only_guessed_says_so() -> None:
    log = Wire().state("running").raw(Direction.IN, b"noise").log()
    told = [json.loads(line) for line in findings_json(log, list(log.findings))]
    assert {(one["protocolVersion"], one["versionIsGuess"]) for one in told} == {(2, True)}


def test_of_a_log_in_which_nobody_looks_for_a_version_none_is_told() -> None:
    assert version_fields(Log([]), 0) == {"protocolVersion": None, "versionIsGuess": False}
