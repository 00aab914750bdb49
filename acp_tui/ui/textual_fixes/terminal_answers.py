"""The forms of a terminal's answers, as far as they tell an answer from what a person types.

An answer may come byte by byte over a slow line: its Escape is a key by then, and each further byte looks like
one that was pressed. So these forms are strict: words in brackets, dates and lists fit none of them.
"""

import re

_CONTROL_BEGUN = rb"\[(?:[?>=](?:\d[0-9;:]*[ -/]?)?|<[0-9;-]*|[0-9:]+(?:;[0-9;:]*)?[\"$&'*]?)?"
_FREE = rb"[ -~]{0,48}"
"""Words of the terminal's own, such as its name and version. Longer ones would keep the keyboard too long."""
_COLOR = rb"(?:\d{1,3};)*(?:#[0-9a-fA-F]*|r(?:g(?:b(?:a?(?::[0-9a-fA-F/]*)?)?)?)?)?"
_COMMAND_BEGUN = (
    rb"\](?:\d{0,4}|[lL]"
    + _FREE
    + rb"|(?:[45]|1\d);"
    + _COLOR
    + rb"|52;[a-z0-7]*(?:;[A-Za-z0-9+/=]*)?"
    rb"|(?:[36-9]|[2-9]\d|\d{3,4});[!-~]{0,64})"
)
"""Commands 0, 1 and 2 set a title: they are sent to a terminal, never by one."""
_DEVICE_BEGUN = (
    rb"P(?:[012]?(?:\+(?:r[0-9A-Fa-f;=]*)?|\$(?:u[0-9/]*|r[0-9;:]*[\"' $*]?[A-Za-z|{}~]?)?)?|>(?:\|"
    + _FREE
    + rb")?|\d?!(?:[|~][0-9A-Fa-f]*)?)"
)
_APPLICATION_BEGUN = rb"_(?:G[A-Za-z0-9=,+:-]*(?:;" + _FREE + rb")?)?"
_BEGUN = re.compile(
    rb"\x1b(?:" + _CONTROL_BEGUN + rb"|(?:" + _COMMAND_BEGUN + rb"|" + _DEVICE_BEGUN + rb"|" + _APPLICATION_BEGUN
    + rb")[\x1b\xc2]?)"
)  # fmt: skip
_BEGUN_AMONG_COMMANDS = re.compile(rb"\x1b[\[\]]")
_KEY_BEGUN = re.compile(
    rb"\x1b(?:\[[0-9:;<=>?]*|\[M(?:[ -\xc1\xe0-\xff]|[\xc2-\xdf][\x80-\xbf]){0,2}[\xc2-\xdf]?|O[0-9;]*)"
)
_KEY_BEGUN_AMONG_COMMANDS = re.compile(rb"\x1b\[[0-9:;<=>?]*")
_REPORT = re.compile(
    rb"\x1b\[(?:[?>=]\d[0-9;:]*[ -/]?[@-Z\\^-~]|<\d+;-?\d+;-?\d+[mM]"
    rb"|[0-9:]+;[0-9;:]*[\"$&'*]?[@-Z\\^-~]|\d+(?:[n~]|\*\{))"
)
_NAMED_STRING = re.compile(
    rb"\x1b(?:\](?:\d{1,4};|[lL])|P(?:[01]?[+$]r|>\||!\||\d\$[tu])|_G[a-z]=)"
)


def begins_answer(begun: bytes, *, among_commands: bool = False) -> bool:
    """Return whether an answer may begin with exactly these bytes.

    With `among_commands`, letters are commands after Escape: a letter alone must not wait for more.
    """
    begun = _with_escape(begun)
    if among_commands and _BEGUN_AMONG_COMMANDS.match(begun) is None:
        return False
    return _BEGUN.fullmatch(begun) is not None


def begins_key(begun: bytes, *, among_commands: bool = False) -> bool:
    """Return whether a key may begin with exactly these bytes. A person types that, too, only slower."""
    pattern = _KEY_BEGUN_AMONG_COMMANDS if among_commands else _KEY_BEGUN
    return pattern.fullmatch(begun) is not None


def is_report(sent: bytes) -> bool:
    """Return whether bytes begin with a control sequence that nobody types."""
    return _REPORT.match(sent) is not None


def names_string(sent: bytes) -> bool:
    """Return whether bytes begin with a string that nobody types, whatever its content."""
    return _NAMED_STRING.match(_with_escape(sent)) is not None


def _with_escape(sent: bytes) -> bytes:
    """Return a sequence whose introducer has eight bits with one of seven bits."""
    if sent[:1] == b"\xc2" and b"\x80" <= sent[1:2] < b"\xa0":
        return b"\x1b" + bytes([sent[1] - 0x40]) + sent[2:]
    return sent
