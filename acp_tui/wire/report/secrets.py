"""What looks like a secret: by the name that it has, or by its own form."""

import re
from collections.abc import Iterator

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
}
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_NAME = (
    r"(?:token|_pass(?![a-z])|secret|passw(?:or)?d|passphrase|credential"
    r"|(?:api|access|account|private)[_-]?key|authorization|cookie)"
)
_NAMES = (
    "token", "_pass", "secret", "passw", "passphrase", "credential", "key", "authorization", "cookie",
)  # fmt: skip
_QUOTE = r"\\*[\"']"
"""Also one in a text of JSON that stands in a text."""
PATTERNS = [  # none looks at a long word again from each of its letters
    (re.compile(pattern), hints)
    for hints, pattern in (
        # NAME=secret, name: "a secret", {\"name\": \"secret\"}
        (
            _NAMES,
            rf"(?i){_NAME}[\w-]{{0,40}}(?:{_QUOTE})?\s*[=:]\s*(?P<quote>{_QUOTE})"
            r"(?P<secret>(?:(?!(?P=quote))[^\n]){1,10000})(?=(?P=quote))",
        ),
        (
            _NAMES,
            rf"(?i){_NAME}[\w-]{{0,40}}(?:{_QUOTE})?\s*[=:]\s*(?:{_QUOTE})?"
            r"(?P<secret>(?:bearer |basic )?(?:[^\s\"',;\\]|\\(?![\"'\\])){4,})",
        ),
        (
            ("cookie",),
            rf"(?i)\bcookie(?:{_QUOTE})?\s*:\s*(?:{_QUOTE})?(?P<secret>[^\r\n\"']{{4,}})",
        ),
        # --password secret, -u name:secret
        (
            ("--",),
            r"(?i)(?<!\S)--(?:[\w-]*-)?(?:token|secret|passw(?:or)?d|passphrase|(?:api|access)-?key)\s+"
            r"[\"']?(?P<secret>(?!\d+\b)[^\s\"'-][^\s\"']{3,})",
        ),
        (("-u",), r"(?<!\S)(?:-u|--user)[ =][\"']?[^\s:\"']+:(?P<secret>[^\s\"']+)"),
        # scheme://name:secret@host, ?sig=secret
        (("://",), r"(?<=\w)://[^\s/:\"']*:(?P<secret>[^\s/\"']+)@"),
        (("://",), r"(?<=\w)://(?P<secret>[^\s/:@\"']{16,})@"),
        (("sshpass",), r"\bsshpass\s+-p\s*[\"']?(?P<secret>[^\s\"']+)"),
        (("password",), r"\blogin\s+\S{1,200}\s+password\s+(?P<secret>\S+)"),
        (
            ("sig=", "signature=", "code=", "auth="),
            r"(?i)[?&](?:sig|signature|x-amz-signature|code|auth)=(?P<secret>[^\s&#\"']{4,})",
        ),
        (
            ("private key",),
            r"-----BEGIN [A-Z0-9 ]{0,1000}PRIVATE KEY(?: BLOCK)?-----(?P<secret>(?:(?!-----END)[\s\S])+)",
        ),
        (
            (),
            r"\b(?P<secret>(?i:bearer|basic) [\w.~+/=-]{8,}"
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
        (
            ("eyj", "sg."),
            r"(?<![\w-])(?P<secret>eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*|SG\.[\w-]{10,}\.[\w-]{10,})",
        ),
    )
]
"""Each with texts, one of which is in all that it finds, in whatever case: to look for these is
quick. None for a pattern that begins by too many of them.
"""
WINDOW = 64 * 1024
"""Characters of a long text that are looked at in one go."""
_WORDS_BEYOND = re.compile(r"\s*(?:\S+\s+){4}")
"""What stands between the beginning of a match and its secret is never more than these."""
BEYOND = 16 * 1024
"""Characters behind them within which a secret in quotes ends."""
_LONG = 64 * 1024
"""Characters of words so long that they are better looked at in one go, too."""
EDGE = 8
"""Characters before the end of what was looked at that a match may depend on."""


def secrets(text: str) -> list[tuple[int, int]]:
    """Find what looks like a secret in a text, from left to right; the mask itself is none."""
    found = sorted(match.span("secret") for match in _matches(text) if MASK not in match["secret"])
    merged: list[tuple[int, int]] = []
    for start, end in found:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _matches(text: str) -> Iterator[re.Match[str]]:
    """What each pattern finds; in a long text window by window, so that no step takes long."""
    ends = [0] * len(PATTERNS)
    for start, stop, end in _windows(text):
        folded = text[start:end].casefold()
        for number, (pattern, hints) in enumerate(PATTERNS):
            if hints and not any(hint in folded for hint in hints):
                continue
            at = max(start, ends[number])
            while (found := pattern.search(text, at, end)) and found.start() < stop:
                found = _whole(found, end)
                at = ends[number] = found.end()
                yield found


def _windows(text: str) -> Iterator[tuple[int, int, int]]:
    """Where each window begins and ends, and up to where what begins in it is looked at, so that
    it is known for what it is.
    """
    start = 0
    while start < len(text):
        stop, known = start + WINDOW, start
        while known < len(text):
            words = _WORDS_BEYOND.match(text, stop)
            known = len(text) if words is None else words.end()
            if known - stop <= _LONG:
                break
            stop = known
        yield start, min(stop, len(text)), min(known + BEYOND, len(text))
        start = stop


def _whole(found: re.Match[str], end: int) -> re.Match[str]:
    """All of a match that may go on beyond the end of what was looked at."""
    text = found.string
    while found.end() > end - EDGE and end < len(text):
        end = min(len(text), 2 * end - found.start())
        found = found.re.match(text, found.start(), end) or found
    return found


def is_secret(key: str) -> bool:
    """Whether a key's name says that its value is a secret."""
    words = [word.lower() for word in _WORDS.findall(key)]
    return bool(words) and (words[-1] in _SECRET or bool(_SECRET & set(words) - {"key", "token"}))
