"""Formats results as JUnit XML, which CI servers display."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from acp_tui.text import clean_text, reveal_escapes

_NO_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 forbids, even escaped: a parser would reject the whole report."""


@dataclass(frozen=True, slots=True)
class JUnitCase:
    """A test case; `message` describes its outcome in one line, and `output` is the whole text."""

    classname: str
    name: str
    outcome: Literal["passed", "skipped", "failure", "error"] = "passed"
    message: str = ""
    output: str = ""
    seconds: float | None = None


def format_suite(
    name: str, cases: Sequence[JUnitCase], properties: Mapping[str, str] | None = None
) -> str:
    """Format test cases as a test suite with its counts. Texts may be an agent's, but must have no
    secrets.
    """
    counts = Counter(one.outcome for one in cases)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<testsuite name={_attribute(name)} tests="{len(cases)}" failures="{counts["failure"]}"'
        f' errors="{counts["error"]}" skipped="{counts["skipped"]}">\n'
        f"{_format_properties(properties or {})}"
        f"{''.join(map(_format_case, cases))}</testsuite>\n"
    )


def _format_properties(properties: Mapping[str, str]) -> str:
    lines = [
        f"    <property name={_attribute(name)} value={_attribute(value)}/>\n"
        for name, value in properties.items()
    ]
    return f"  <properties>\n{''.join(lines)}  </properties>\n" if lines else ""


def _format_case(case: JUnitCase) -> str:
    head = f"  <testcase classname={_attribute(case.classname)} name={_attribute(case.name)}"
    if case.seconds is not None:
        head += f' time="{case.seconds:.3f}"'
    output = escape(_xml_text(case.output))
    if case.outcome == "passed":
        body = f"<system-out>{output}</system-out>" if output else ""
    else:
        message = f" message={_attribute(case.message)}" if case.message else ""
        end = f">{output}</{case.outcome}>" if output else "/>"
        body = f"<{case.outcome}{message}{end}"
    return f"{head}>\n    {body}\n  </testcase>\n" if body else f"{head}/>\n"


def _attribute(text: str) -> str:
    return quoteattr(_xml_text(text))


def _xml_text(text: str) -> str:
    return _NO_XML.sub("", clean_text(reveal_escapes(text)))
