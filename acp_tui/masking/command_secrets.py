"""Secrets in command lines: behind options that mean a password to some programs only."""

import re
from collections.abc import Iterator

_BETWEEN = r"(?:\.exe)?[\"']?(?:\s[^\n;|&]{0,200}?)?\s[\"']?"
"""What may stand between a program and an option of its."""
_WORD = (
    r"(?P<quote>\\?[\"'])?"
    r"(?P<secret>(?(quote)(?:(?!(?P=quote))[^\n]){1,200}|[^\s\"'-][^\s\"']*))"
)
"""A word, in quotes or not."""
_PAIR = r"[\"']?(?!\d+:\d+\b)[^\s:\"'/=@]+:(?P<secret>(?!//)[^\s\"']+)"
_LOGIN = r"(?:docker|podman|nerdctl|buildah|helm|skopeo|oras|az)\s(?:[^\n;|&]{0,100}?\s)?login"
_OPTIONS = (
    # -pSECRET: with a blank between it asks for one
    (("mysql", "mariadb"), r"(?:mysql|mariadb)[\w-]*", rf"-p{_WORD}"),
    (("7z",), r"7z[ar]?", rf"-p{_WORD}"),
    # -p SECRET, or without the blank
    (("sshpass", "mongo"), r"(?:sshpass|mongo[\w-]*)", rf"-p\s*{_WORD}"),
    (("login",), _LOGIN, rf"-p\s*{_WORD}"),
    (("zip", "sqlcmd", "ipmitool", "mosquitto"), r"(?:zip|unzip|sqlcmd|ipmitool|mosquitto_\w+)", rf"-P\s*{_WORD}"),
    (("redis-cli", "valkey-cli"), r"(?:redis|valkey)-cli", rf"-a\s*{_WORD}"),
    (("ldap",), r"ldap[a-z]+", rf"-w\s*{_WORD}"),
    (("plink", "pscp", "psftp"), r"(?:plink|pscp|psftp)", rf"-pw\s+{_WORD}"),
    (("openssl",), r"openssl", rf"-pass(?:in|out)?\s+pass:{_WORD}"),
    # name:SECRET, name%SECRET
    (("curl",), r"curl", rf"(?:-[A-Za-z]*[uU]|--(?:proxy-)?user[ =])\s*{_PAIR}"),
    (("http", "xh"), r"(?:https?|xhs?)", rf"(?:-a|--auth[ =])\s*{_PAIR}"),
    (("smbclient", "rpcclient"), r"(?:smb|rpc)client", r"(?:-U|--user[ =])\s*[\"']?[^\s%\"']+%(?P<secret>[^\s\"']+)"),
)  # fmt: skip
COMMANDS = [
    (hints, rf"(?<![\w.-]){program}\b", _BETWEEN + option) for hints, program, option in _OPTIONS
]
"""Each with texts, one of which is in every head; the head, and the rest with the secret."""
_WHOLE = [(hints, re.compile(head + rest)) for hints, head, rest in COMMANDS]


def in_words(words: list[str]) -> Iterator[tuple[int, int, int]]:
    """Find these secrets in a list of words: the word's index, and the secret's position in it."""
    line = " ".join(words)
    folded = line.casefold()
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    for hints, pattern in _WHOLE:
        if any(hint in folded for hint in hints):
            for match in pattern.finditer(line):
                at = match.start("secret")
                index = next(one for one in range(len(words)) if at < starts[one + 1])
                yield index, at - starts[index], len(words[index])
