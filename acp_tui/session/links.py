"""What to know of a link before it is opened."""

from urllib.parse import urlsplit

OPENABLE = ("http", "https")


def host(url: str) -> str:
    """Where a link goes; empty if that can't be told."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def can_open(url: str) -> bool:
    """Whether a link may be given to a browser."""
    return host(url) != "" and urlsplit(url).scheme in OPENABLE


def warnings(url: str) -> list[str]:
    """What could mislead a reader of this link."""
    name = host(url)
    found = []
    if not can_open(url):
        found.append("This is no web address. It can be copied, and is not opened from here.")
    elif urlsplit(url).scheme != "https":
        found.append("The connection is not encrypted.")
    if name != _ascii(name):
        found.append(f"The host's name has foreign letters; it is the same as {_ascii(name)}.")
    elif name != _unicode(name):
        found.append(f"The host's name is shown as {_unicode(name)} by browsers.")
    if can_open(url) and urlsplit(url).username is not None:
        found.append(f"What stands before the @ is not the host. The host is {name}.")
    return found


def _ascii(name: str) -> str:
    try:
        return name.encode("idna").decode()
    except UnicodeError:
        return name.encode("punycode").decode() if not name.isascii() else name


def _unicode(name: str) -> str:
    try:
        return name.encode().decode("idna")
    except UnicodeError:
        return name
