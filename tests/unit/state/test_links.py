"""What a person is told of a link before it is opened."""

import pytest

from acp_tui.state.links import can_open, host_of, link_warnings


@pytest.mark.parametrize(
    "url", ["https://e.org/a?b#c", "https://E.ORG:8443", "https://[::1]/x", "https://xn--0.org"]
)
def test_a_plain_address_has_no_warning(url: str) -> None:
    assert can_open(url)
    assert link_warnings(url) == []


@pytest.mark.parametrize(
    "url",
    [
        *("", "e.org", "file:///etc/passwd", "javascript:alert(1)", "https://", "http://[broken/"),
        "https://evil.org\\@bank.org/",  # to a browser this is evil.org
        "https://bank.org\t.evil.org/",
        "https://bank.org/\0",
        f"https://{'界' * 50_000}",
        "https://bank%2eorg.evil.org/",  # browsers decode it
    ],
)
def test_what_is_no_web_address_is_never_opened(url: str) -> None:
    assert not can_open(url)
    assert "acp-tui doesn't open it" in link_warnings(url)[0]


def test_a_broken_address_has_no_host() -> None:
    assert host_of("http://[broken/") == ""


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://e.org/", "The connection is not encrypted."),
        ("https://pаypal.com/", "the same as xn--pypal-4ve.com."),
        ("https://xn--pypal-4ve.com/", "shown as pаypal.com by browsers."),
        (f"https://{'ü' * 80}.org/", "the same as xn--"),
        ("https://straße.de/", "the same as xn--strae-oqa.de."),  # not strasse.de
        ("https://bank.org。evil.org/", "the same as bank.org.evil.org."),
        ("https://xn--\u2028.org/", "has foreign letters"),
        ("https://bank.org@evil.org/", "not the host. The host is evil.org."),
    ],
)
def test_what_may_mislead_is_told(url: str, told: str) -> None:
    assert can_open(url)
    assert told in link_warnings(url)[-1]
