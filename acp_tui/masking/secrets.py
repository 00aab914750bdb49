"""Recognizes secrets by the name of their field, or by their own form."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

_BETWEEN = r"(?:\.exe)?[\"']?(?:\s[^\n;|&]{0,200}?)?\s[\"']?"
"""Options that may come between a program and one of its options."""
_WORD = (
    r"(?P<quote>\\?[\"'])?"
    r"(?P<secret>(?(quote)(?:(?!(?P=quote))[^\n]){1,200}|[^\s\"'-][^\s\"']*))"
)
"""A word, with or without quotes."""
_PAIR = r"[\"']?(?!\d+:\d+\b)[^\s:\"'/=@]+:(?P<secret>(?!//)[^\s\"']+)"
_LOGIN = r"(?:docker|podman|nerdctl|buildah|helm|skopeo|oras|az)\s(?:[^\n;|&]{0,100}?\s)?login"
_OPTIONS = (
    # -pSECRET: with a blank after it, -p asks for one
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
"""Forms of secrets in command lines: hints (see `_Form`), the head, and the rest with the secret."""
_WHOLE = [(hints, re.compile(head + rest)) for hints, head, rest in COMMANDS]


def find_in_words(words: list[str]) -> Iterator[tuple[int, int, int]]:
    """Find such secrets in a list of words; yield the word's index, and the secret's start and end."""
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


MASK = "[masked]"

_SECRET = {
    "token",
    "tokens",
    "key",
    "apikey",
    "secret",
    "secrets",
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pass",
    "jwt",
    "otp",
    "authorization",
    "cookie",
    "cookies",
    "credential",
    "credentials",
    "bearer",
    "psk",
    "totp",
    "cvv",
    "cvc",
}
_LAST = {"auth", "pwd", "pw", "pin"}
"""Ambiguous names: secret only as the last word of a name, and with a value that looks like one."""
_NO_SECRET = re.compile(
    r"(?i)|[/~.].*|[a-z]:\\.*|true|false|yes|no|on|off|none|null|basic|bearer|digest|oauth2?|token"
    r"|agent|terminal|required|optional|enabled|disabled|auto|env_var|undefined",
    re.DOTALL,
)
"""Values that are not secrets: folders, switches, types of authentication."""
_PIN = re.compile(r"\d{4,12}")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_NAME = (
    r"(?:token|_pass(?![a-z])|secret|passw(?:or)?d|passphrase|credential"
    r"|(?:api|access|account|private)[_-]?key|authorization|cookie)"
)
_NAMES = (
    "token", "_pass", "secret", "passw", "passphrase", "credential", "key", "authorization", "cookie",
)  # fmt: skip
_BEGINS_NONE = (
    r"(?:[/~.]|(?:true|false|yes|none|null|basic|bearer|digest|oauth2?|token|agent|required|optional"
    r"|enabled|disabled|auto|undefined|\d+)(?![\w-]))"
)
"""Beginnings of values that aren't secrets."""
_QUOTE = r"\\*[\"']"
"""A quotation mark, which may be escaped in a JSON string."""


class _Form(NamedTuple):
    """A form of secrets in text."""

    hints: tuple[str, ...]
    """Strings of which each `head` contains one, in any case: searching for them is fast. Empty if
    the form has too many beginnings.
    """
    head: re.Pattern[str]
    """The beginning, at most `NEAR` characters."""
    whole: re.Pattern[str]
    """The whole form, from the head on. No pattern may search a long word once per letter."""
    until: re.Pattern[str]
    """The end of a secret that was only matched in part."""


def _form(hints: tuple[str, ...], head: str, rest: str = "", until: str = r"[\s\"']") -> _Form:
    return _Form(hints, re.compile(head), re.compile(head + rest), re.compile(until))


FORMS = [
    # NAME=secret, name: "a secret", {\"name\": \"secret\"}
    _form(
        _NAMES,
        rf"(?i){_NAME}",
        rf"[\w-]{{0,40}}(?:{_QUOTE})?\s*[=:]\s*(?P<quote>{_QUOTE})"
        r"(?P<secret>(?:(?!(?P=quote))[^\n]){1,10000}+)(?=(?P=quote))",
    ),
    _form(
        _NAMES,
        rf"(?i){_NAME}",
        rf"[\w-]{{0,40}}(?:{_QUOTE})?\s*[=:]\s*(?:{_QUOTE})?"
        r"(?P<secret>(?:bearer |basic )?(?:[^\s\"',;\\]|\\(?![\"'\\])){4,})",
    ),
    _form(
        ("cookie",),
        r"(?i)\bcookie",
        rf"(?:{_QUOTE})?\s*:\s*(?:{_QUOTE})?(?P<secret>[^\r\n\"']{{4,}})",
        until=r"[\r\n\"']",
    ),
    # --password secret, -u name:secret
    _form(
        ("--",),
        r"(?i)(?<!\S)--",
        r"(?:[\w-]*-)?(?:token|secret|passw(?:or)?d|passphrase|(?:api|access)-?key)\s+"
        r"[\"']?(?P<secret>(?!\d+\b)[^\s\"'-][^\s\"']{3,})",
    ),
    _form(
        ("-u",),
        r"(?<!\S)(?:-u|--user)[ =]",
        r"[\"']?(?!\d+:\d+\b)[^\s:\"']+:(?P<secret>[^\s\"']+)",
    ),
    _form(
        ("auth", "pwd", "pw", "pass"),
        r"(?i)(?<![a-z])(?:auth|pwd|pw|pass)",
        rf"(?:=(?:{_QUOTE})?|{_QUOTE}\s*:\s*{_QUOTE})"
        rf"(?P<secret>(?!{_BEGINS_NONE})(?:[^\s\"',;&\\]){{4,}})",
    ),
    _form(
        ("pin",),
        r"(?i)(?<![a-z])pin",
        rf"(?:=|{_QUOTE}\s*:\s*)(?:{_QUOTE})?(?P<secret>\d{{4,12}})\b",
    ),
    _form(
        ("--p",),
        r"(?i)(?<!\S)--(?:pass|pwd|pw)\s",
        r"\s*[\"']?(?P<secret>(?!\d+\b)[^\s\"'-][^\s\"']{3,})",
    ),
    # scheme://name:secret@host, ?sig=secret
    _form(("://",), r"(?<=\w)://", r"[^\s/:\"']*:(?P<secret>[^\s/\"']+)@"),
    _form(("://",), r"(?<=\w)://", r"(?P<secret>[^\s/:@\"']{16,})@"),
    _form(  # with a slash in it; ports and drives aren't secrets
        ("://",),
        r"(?<=\w)://",
        r"[^\s/:@\"']{2,}:(?!\d{1,5}/|/)(?P<secret>[^\s@/\"'<>]*/[^\s@\"'<>]*)"
        r"@(?=[\w\[])",
    ),
    *(_form(*command) for command in COMMANDS),
    _form(("login",), r"\blogin\s", r"\s*\S{1,200}\s+password\s+(?P<secret>\S+)"),
    _form(
        ("sig=", "signature=", "code=", "auth="),
        r"(?i)[?&](?:sig|signature|x-amz-signature|code|auth)=",
        r"(?P<secret>[^\s&#\"']{4,})",
    ),
    _form(
        ("private key",),
        r"-----BEGIN [A-Z0-9 ]{0,1000}PRIVATE KEY",
        r"(?: BLOCK)?-----(?P<secret>(?:(?!-----END)[\s\S])+)",
        until="-----END",
    ),
    _form(
        (),
        r"(?<![^\W_])(?P<secret>(?i:bearer|basic) [\w.~+/=-]{8,}"
        r"|sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|gl(?:pat|ptt|dt|rt|oas|soat|cbt|ft|imt|agent)-[\w-]{16,}"
        r"|xox[abeprs]-[\w-]{10,}|xapp-[\w-]{10,}|npm_\w{30,}|hf_\w{20,}|pypi-[\w-]{16,}"
        r"|(?:sk|pk|rk)_(?:live|test)_\w{10,}|whsec_\w{16,}|SK[0-9a-f]{32}|key-[0-9a-f]{32}"
        r"|ya29\.[\w-]{20,}|GOCSPX-[\w-]{16,}|A[KS]IA[0-9A-Z]{16}|AIza[\w-]{30,}"
        r"|do[opr]_v1_[0-9a-f]{32,}|dapi[0-9a-f]{32}|hv[sb]\.[\w-]{20,}|dp\.[a-z]{2,6}\.\w{20,}"
        r"|shp(?:at|ca|pa|ss)_[0-9a-f]{20,}|sq0[a-z]{3}-[\w-]{20,}|lin_api_\w{20,}|ntn_\w{20,}"
        r"|gsk_\w{20,}|xai-[\w-]{20,}|pplx-\w{20,}|r8_\w{20,}|sbp_[0-9a-f]{20,}|figd_[\w-]{20,}"
        r"|sntry[su]_[\w.=+/-]{20,}|NRAK-\w{20,}|PMAK-[\w-]{20,}|ATATT3[\w=-]{20,}"
        r"|pscale_(?:tkn|pw)_[\w.-]{20,}|rubygems_[0-9a-f]{20,}|AGE-SECRET-KEY-1\w{20,}"
        r"|[0-9]{8,10}:AA[\w-]{30,})",
    ),
    _form(
        ("eyj", "sg."),
        r"(?<![\w-])(?=eyJ|SG\.)",
        r"(?P<secret>eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*|SG\.[\w-]{10,}\.[\w-]{10,})",
    ),
]
WINDOW = 64 * 1024
"""Characters that are searched for heads at a time."""
NEAR = 2 * 1024
"""Characters after a window that may belong to a head that begins in the window."""
LONGEST_SECRET_CONTEXT = 256 * 1024
"""Characters that are matched at a time, from a form's head on: the secret must begin within them,
and whatever must follow it be there, too.
"""
EDGE = 8
"""Characters before the end of what was searched that a match may depend on."""


def do_nothing() -> None:
    """Do nothing at a pause."""


def find_secrets(text: str, pause: Callable[[], None] = do_nothing) -> list[tuple[int, int]]:
    """Return the spans of likely secrets in a text, from left to right; a mask isn't one.

    `pause` is called from time to time, and may raise an exception to end the search.
    """
    merged: list[tuple[int, int]] = []
    for start, end in sorted(_spans(text, pause)):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _spans(text: str, pause: Callable[[], None]) -> Iterator[tuple[int, int]]:
    """Yield the spans of secrets. A long text is searched in windows, so that no step takes long."""
    ends = [0] * len(FORMS)
    for start in range(0, len(text), WINDOW):
        pause()
        stop = min(start + WINDOW, len(text))
        folded = text[start : stop + NEAR].casefold()
        for number, form in enumerate(FORMS):
            if form.hints and not any(hint in folded for hint in form.hints):
                continue
            at = max(start, ends[number])
            while (head := form.head.search(text, at, stop + NEAR)) and head.start() < stop:
                found = form.whole.match(text, head.start(), head.start() + LONGEST_SECRET_CONTEXT)
                if found is None:
                    at = head.start() + 1
                    continue
                end = _secret_end(text, form, found)
                at = ends[number] = max(end, found.end())
                if MASK not in found["secret"]:
                    yield found.start("secret"), end


def _secret_end(text: str, form: _Form, found: re.Match[str]) -> int:
    """Return where a secret ends, which may be beyond the part that was matched."""
    seen = found.endpos
    if found.end() <= seen - EDGE or seen == len(text):
        return found.end("secret")
    for at in range(found.end(), len(text), WINDOW):
        if last := form.until.search(text, at - EDGE, at + WINDOW):
            return max(found.end("secret"), last.start())
    return len(text)


@lru_cache(256)
def has_secret(name: str) -> bool:
    """Return whether a field's name contains a secret. Cached, because most names repeat."""
    return bool(find_secrets(name))


def is_secret(key: str) -> bool:
    """Return whether a key's name marks its value as a secret."""
    words = [word.lower() for word in _WORDS.findall(key)]
    return bool(words) and (words[-1] in _SECRET or bool(_SECRET & set(words) - {"key", "token"}))


def may_be_secret(key: str, value: object) -> bool:
    """Return whether a key, or key and value, mark a secret: `pwd` may be a folder, `pin` a chip's."""
    words = [word.lower() for word in _WORDS.findall(key)]
    if is_secret(key) or not words or words[-1] not in _LAST:
        return is_secret(key)
    if words[-1] == "pin":
        whole = isinstance(value, str | int) and not isinstance(value, bool)
        return whole and _PIN.fullmatch(str(value)) is not None
    return isinstance(value, str) and _NO_SECRET.fullmatch(value) is None
