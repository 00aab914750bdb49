"""Checks links before they are opened: warnings about their host and scheme."""

import re
from contextlib import suppress
from unicodedata import normalize
from urllib.parse import urlsplit

OPENABLE = ("http", "https")
_LONGEST_HOST = 253
_READ_OTHERWISE = re.compile(r"[\x00-\x20\x7f-\xa0\\]")
"""Characters that browsers drop or read as a slash, which changes the host; so does `%`."""
_DOTS = re.compile("[.\u3002\uff0e\uff61]")
_ITSELF = re.compile("[\u00df\u03c2\u200c\u200d]")
"""Letters that Python's codec replaces but browsers don't: ß, ς and joiners."""


def host_of(url: str) -> str:
    """Return the host of a link; empty if it can't be determined."""
    if _READ_OTHERWISE.search(url):
        return ""
    try:
        name = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return name if len(name) <= _LONGEST_HOST and "%" not in name else ""


def can_open(url: str) -> bool:
    """Return whether a link may be opened in a browser."""
    return host_of(url) != "" and urlsplit(url).scheme in OPENABLE


def link_warnings(url: str) -> list[str]:
    """Return warnings about a link."""
    found = []
    if not can_open(url):
        found.append("This is not a web address. You can copy it, but acp-tui doesn't open it.")
    elif urlsplit(url).scheme != "https":
        found.append("The connection is not encrypted.")
    return [*found, *misleading_reasons(url)]


def misleading_reasons(url: str) -> list[str]:
    """Return the reasons why a link may lead somewhere else than it appears to."""
    name = host_of(url)
    found = []
    if name != _ascii(name):
        found.append(f"The host's name has foreign letters; it is the same as {_ascii(name)}.")
    elif name != _unicode(name):
        found.append(f"The host's name is shown as {_unicode(name)} by browsers.")
    if can_open(url) and urlsplit(url).username is not None:
        found.append(f"What comes before the @ is not the host. The host is {name}.")
    return found


def _ascii(name: str) -> str:
    return ".".join(map(_ascii_label, _DOTS.split(name)))


def _ascii_label(label: str) -> str:
    """Convert a label of a host name as browsers do."""
    if label.isascii():
        return label
    if _ITSELF.search(label) is None:
        with suppress(UnicodeError):
            return label.encode("idna").decode()
    return f"xn--{normalize('NFKC', label.lower()).encode('punycode').decode()}"


def _unicode(name: str) -> str:
    try:
        return name.encode().decode("idna")
    except UnicodeError:
        return name
