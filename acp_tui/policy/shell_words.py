"""Splits a command line into words and commands, as a POSIX shell does before running them."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from acp_tui.policy.launchers import Words

RESERVED = frozenset(
    (
        *("!", "{", "}", "[[", "if", "then", "elif", "else", "fi", "for", "while", "until", "do"),
        *("done", "case", "esac", "in", "function", "select", "coproc"),
        *("and", "or", "not", "begin", "end"),  # of fish
    )
)
_TIMING = ("time", "-p", "--")
"""Words after which bash still recognizes a reserved word: `time -p if ...`."""
_HARMLESS = re.compile(
    r"(?:[0-9]?>&[0-9]|[0-9]?>>?[ \t]*/dev/null|<[ \t]*/dev/null)(?=[ \t\n;&|)]|$)"
    r"|&>>?[ \t]*/dev/null(?=[ \t]*(?:[\n;&|)]|$))"
)
"""Redirections that neither write nor read a file.

In dash, several digits are a word, and `&>` ends the command: another command follows.
"""
_BOTH = re.compile(r"&>>?[ \t]*[^\s;&|()<>'\"`$\\]*[ \t]*(?=[\n;&|)]|$)")
"""Bash's redirection of both outputs, if it isn't followed by anything that dash would run."""
_REDIRECTION = re.compile(r"(?:<<<|<<-?|<>|<&|<|>>|>\||>&|>)[ \t]*")
_HERE = re.compile(
    r"<<(?P<tabs>-?)[ \t]*(?:(?P<quote>['\"])(?P<quoted>\w+)(?P=quote)|(?P<plain>\w+))(?=[ \t\n;&|<>)]|$)"
)
"""A here-document whose end is the same line in every shell."""
_CODES_OF_FISH = frozenset("xXuUc01234567abefnrtv")
"""Characters that, after a backslash, begin a character code in fish: `\\x2dx` is `-x`, and `\\t` a tab."""
_EXPANDED = re.compile(r"[{*?\[~]")
_NOT_EXPANDED = ("{}", "[")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LONGEST_COMMAND_LINE = 10_000
"""Most characters of a command line that are parsed; a longer one is unclear."""
MOST_WORDS = 256
"""Most words of a command that are checked; a longer command is unclear."""


class Expanded(str):
    """A word that the shell expands: to matching files, a home folder, or alternatives.

    It may become any words, or none.
    """

    __slots__ = ()


class Commands(NamedTuple):
    """The simple commands of a line; `clear` if exactly these would run, and nothing else.

    Even an unclear line may show all of its commands: `hides` is whether there may be others.
    """

    parts: tuple[Words, ...]
    clear: bool
    hides: bool = False


UNKNOWN = Commands((), clear=False, hides=True)
"""Commands that can't be determined."""


def join_commands(found: Iterable[Commands]) -> Commands:
    """Join the commands of several lines."""
    every = list(found)
    parts = tuple(part for commands in every for part in commands.parts)
    clear = all(commands.clear for commands in every)
    return Commands(parts, clear, any(commands.hides for commands in every))


class ShellReader:
    """Splits a line into words and commands; `commands_only` ignores comments and here-documents."""

    def __init__(self, line: str, *, commands_only: bool = False) -> None:
        self._commands_only = commands_only
        self._line = line[:_LONGEST_COMMAND_LINE]
        self._hides = len(line) > _LONGEST_COMMAND_LINE or _CONTROL.search(line) is not None
        self._clear = True
        self._at = 0
        self._word: list[str] | None = None
        self._expands = False
        self._is_target = False
        self._words: list[str] = []
        self._parts: list[Words] = []
        self._here: list[re.Match[str]] = []

    def read(self) -> Commands:
        while self._at < len(self._line):
            self._read_step()
        self._hides = self._hides or bool(self._here)
        self._end_command()
        clear = self._clear and not self._hides and bool(self._parts)
        return Commands(tuple(self._parts), clear, self._hides)

    def _read_step(self) -> None:  # noqa: C901  one case per special character
        char = self._line[self._at]
        harmless = _HARMLESS.match(self._line, self._at) if char in "0123456789<>&" else None
        if harmless and (self._word is None or char == "&"):
            self._end_word()
            self._at = harmless.end()
            return
        if char == "&" and self._line.startswith("&>", self._at):
            self._hides = self._hides or _BOTH.match(self._line, self._at) is None
            self._at += 1
            char = ">"
        if char in "<>":
            self._redirected()
            return
        self._at += 1
        match char:
            case " " | "\t":
                self._end_word()
            case "\n" | ";" | "&" | "|":
                self._end_command()
                if char == "&" and self._is_within_word():
                    self._hides = True  # fish takes this `&` for an ordinary character
                if char == "&" and self._line.startswith("!", self._at):
                    self._clear = False
                    self._at += 1  # in zsh, `&!` ends a command, and another follows
                if char == "\n":
                    self._here_documents()
            case "'" | '"':
                self._quoted(char)
            case "\\":
                self._escaped()
            case "(" | ")":
                self._clear = False
                self._end_command()
            case "`":
                self._hides = True
                self._end_command()
            case "#" if self._word is None and not self._commands_only:
                self._comment()
            case "$":
                self._hides = True
                self._add_text(char)
            case _ if char.isspace():
                self._hides = True  # in fish, some Unicode spaces end a word
                self._add_text(char)
            case _:
                before = self._word[-1][-1:] if self._word else "="
                self._expands |= char in "{*?[" or (char == "~" and before in "=:")
                # zsh expands `=program` to the program's path.
                self._expands |= char == "=" and not any(self._word or ())
                self._add_text(char)

    def _is_within_word(self) -> bool:
        """Return whether the previous character is inside a word."""
        around = self._line[max(0, self._at - 2) : self._at + 1]
        return len(around) > 2 and set(around[::2]).isdisjoint(" \t\n;&|")

    def _redirected(self) -> None:
        """Skip a redirection and its file: the command continues after it."""
        self._clear = False
        if self._word is not None and "".join(self._word).isdigit():
            self._word = None
        self._end_word()
        found = _REDIRECTION.match(self._line, self._at)
        assert found is not None
        if found.group().strip() in ("<<", "<<-") and not self._commands_only:
            self._begin_here_document()
        self._at = found.end()
        self._is_target = True

    def _begin_here_document(self) -> None:
        """Record the end of a here-document: its text isn't parsed for quotes."""
        here = _HERE.match(self._line, self._at)
        if here is None or "((" in self._line[: self._at]:  # `<<` may be a shift in arithmetic
            self._hides = True
        else:
            self._here.append(here)

    def _here_documents(self) -> None:
        """Skip the here-documents that begin here, but search their text for commands."""
        for here in self._here:
            end = here["quoted"] or here["plain"]
            tabs = r"\t*" if here["tabs"] else ""
            last = re.compile(rf"^{tabs}{end}$", re.MULTILINE).search(self._line, self._at)
            text = self._line[self._at : last.start() if last else None]
            expanded = here["quoted"] is None and any(char in text for char in "$`\\")
            self._hides = self._hides or last is None or expanded
            self._aside(text)
            self._at = last.end() if last else len(self._line)
        self._here.clear()

    def _comment(self) -> None:
        """Skip a comment, even if it has quotes."""
        self._clear = False
        end = self._line.find("\n", self._at)
        text = self._line[self._at : end if end != -1 else None]
        self._aside(text)
        self._at += len(text)

    def _aside(self, text: str) -> None:
        """Find commands in text that isn't code for most shells, as a whole and line by line."""
        for line in dict.fromkeys([text, *text.split("\n")]):
            self._parts += ShellReader(line, commands_only=True).read().parts

    def _quoted(self, quote: str) -> None:
        """Read up to the closing quote; if it is missing, the line is unclear."""
        self._add_text("")
        while self._at < len(self._line):
            char = self._line[self._at]
            self._at += 1
            self._hides = self._hides or (char == "\n" and bool(self._here))
            if char == quote:
                self._hides = self._hides or (quote == "'" and self._is_escaped_in_fish())
                return
            if (
                quote == '"'
                and char == "\\"
                and self._line[self._at : self._at + 1] in tuple('$`"\\\n')
            ):
                self._escaped()
            else:
                is_last = self._line[self._at : self._at + 1] == '"'  # a literal `$`
                expands = char == "`" or (char == "$" and not is_last)
                self._hides = self._hides or (quote == '"' and expands)
                self._add_text(char)
        self._hides = True

    def _is_escaped_in_fish(self) -> bool:
        """Return whether fish continues the quoted text, because the quote follows a backslash."""
        before = self._line[: self._at - 1]
        return (len(before) - len(before.rstrip("\\"))) % 2 == 1

    def _escaped(self) -> None:
        """Add the character after a backslash; an escaped newline is dropped."""
        char = self._line[self._at : self._at + 1]
        self._at += 1
        self._hides = self._hides or not char or (char == "\n" and bool(self._here))
        self._hides = self._hides or char in _CODES_OF_FISH
        if char != "\n":
            self._add_text(char)

    def _add_text(self, text: str) -> None:
        self._word = self._word or []
        self._word.append(text)

    def _end_word(self) -> None:
        if self._word is not None:
            word = "".join(self._word)
            expands = self._expands and word not in _NOT_EXPANDED
            if not self._is_target:
                self._words.append(Expanded(word) if expands else word)
            self._word, self._expands, self._is_target = None, False, False

    def _end_command(self) -> None:
        self._end_word()
        self._is_target = False
        if self._words:
            self._clear = self._clear and not _is_compound(self._words)
            self._hides = self._hides or not _is_plain(self._words)
            self._parts.append(tuple(self._words))
            self._words = []


def _is_compound(words: list[str]) -> bool:
    """Return whether words are a compound command: a reserved word is first, or follows `time`."""
    return next((word for word in words if word not in _TIMING), "") in RESERVED


def _is_plain(words: list[str]) -> bool:
    """Return whether the first word is a literal program name, and the words aren't too many."""
    first = words[0]
    named = first in RESERVED or first == "[" or (first and _EXPANDED.search(first) is None)
    return bool(named) and len(words) <= MOST_WORDS
