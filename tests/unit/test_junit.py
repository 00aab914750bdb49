"""One suite in JUnit's XML, whatever the texts are."""

from xml.etree import ElementTree

from acp_tui.junit import JUnitCase, format_suite


def test_a_suite_counts_its_cases_and_shows_what_is_wrong() -> None:
    cases = [
        JUnitCase("file", "good", seconds=0.25),
        JUnitCase("file", "told", output="a warning"),
        JUnitCase("file", "left out", "skipped", "no tool"),
        JUnitCase("file", "bad", "failure", "wanted 1", "wanted 1\ngot 2"),
        JUnitCase("file", "broken", "error", "no agent", "no agent"),
    ]
    suite = ElementTree.fromstring(format_suite("tea", cases))
    counts = {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "5", "failures": "1", "errors": "1", "skipped": "1"}
    good, told, left_out, bad, broken = suite
    assert (good.get("time"), list(good)) == ("0.250", [])
    assert told.findtext("system-out") == "a warning"
    assert [one.get("message") for one in (*left_out, *bad, *broken)] == [
        "no tool",
        "wanted 1",
        "no agent",
    ]
    assert bad.findtext("failure") == "wanted 1\ngot 2"


def test_what_xml_cannot_have_breaks_no_report() -> None:
    hostile = 'a"<b>&\x00\x1b[2J\ufffe'
    (case,) = ElementTree.fromstring(
        format_suite(hostile, [JUnitCase(hostile, hostile, "failure", hostile, hostile)])
    )
    assert case.get("name", "").startswith('a"<b>&')
    assert case.findtext("failure", "").startswith('a"<b>&')
