"""Scripts of sed: whether they only print and change what passes, or also run and write something."""

import re

from acp_tui.policy.launchers import Words

_BRACKETS = r"\[\^?\]?[^\]\n]*\]"
_ADDRESS = rf"(?:\d+|\$|/(?:\\[^\n]|[^\\\n\[/]|{_BRACKETS.replace('n]', 'n/]')})*/I?)(?:~\d+)?"
_MARKS = "/|#,:@!%"
_PARTS = "|".join(
    rf"[sy]{mark}(?:{part}){mark}(?:{part}){mark}[gpiImM0-9]*"
    for mark in map(re.escape, _MARKS)
    for part in [rf"(?:\\[^\n]|[^\\\n\[{mark}]|\[\^?\]?[^\]\n{mark}]*\])*"]
)
_COMMAND = (
    rf"(?:{_ADDRESS}(?:,[ \t]*[+~]?(?:{_ADDRESS}))?)?[ \t]*!?[ \t]*"
    rf"(?:[pPdDnNgGhHxlqQ=](?!\w)|{_PARTS}|\{{)"
)
_SCRIPT = re.compile(rf"[\s;}}]*(?:{_COMMAND}[ \t]*(?:[;\n}}]|(?<=\{{)|$)[\s;}}]*)*")
"""Commands that print, delete and replace; none that runs, reads or writes a file, or adds text."""
_LONGEST = 2000
"""Characters of a script that is looked at."""
_PLAIN = re.compile(r"-[nErsuzb]*(?:i.*)?")
_BEGINS = re.compile(r"-[nErsuzb]*e(?P<script>.*)", re.DOTALL)
_NAMES = re.compile(
    r"--(?:quiet|silent|regexp-extended|in-place(?:=.*)?|null-data|separate|posix|unbuffered"
    r"|zero-terminated|line-length=\d+|sandbox|debug|follow-symlinks|help|version)"
)


def is_harmless(rest: Words) -> bool:
    """Whether it is known of these words after `sed` that they run nothing and write nothing else."""
    scripts: list[str] = []
    operands: list[str] = []
    words = iter(rest)
    for word in words:
        begins = _BEGINS.fullmatch(word)
        if word == "--expression" or (begins is not None and not begins["script"]):
            scripts.append(next(words, ""))
        elif word.startswith("--expression="):
            scripts.append(word.partition("=")[2])
        elif begins is not None:
            scripts.append(begins["script"])
        elif not word.startswith("-") or word == "-":
            operands.append(word)
        elif _PLAIN.fullmatch(word) is None and _NAMES.fullmatch(word) is None:
            return False
    most = 2 if operands[:1] == [""] else 1  # to BSD's `-i ''` the first is no script
    return all(map(_is_harmless, scripts or operands[:most]))


def _is_harmless(script: str) -> bool:
    return len(script) <= _LONGEST and _SCRIPT.fullmatch(script) is not None
