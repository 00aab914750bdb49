"""Synonyms for the names of actions, and how well an action matches a search."""

import re

_NAME_ENDS = re.compile(r"[:;(]|  ")
"""The end of an action's name, where its explanation begins."""
SYNONYMS = {
    "rewind": "go back, checkpoint, fork, undo",
    "sessions: open": "fork, history, switch",
    "sent prompts": "history",
    "quit (agents can keep running)": "exit, leave, detach, background",
    "cancel the turn": "stop, interrupt, abort",
    "send the last prompt again": "retry, rerun, repeat",
    "open or fold": "expand, collapse",
    "permission rules": "allow, approve",
    "sign-in": "login",
    "options: model": "cost, context, quota, tokens, usage",
    "stage or unstage": "git, index, add",
    "side by side": "split",
    "alongside": "split, log, debug, frames",
    "all keys": "help, shortcuts",
    "a link": "url",
    "restart an agent": "reconnect",
    "protocol messages": "log, debug, frames, cost, tokens",
    "statistics": "cost, tokens",
    "waterfall": "cost, slow",
    "changed files": "review, diff, changes",
    "themes": "dark, light, colors",
    "export the session": "save, share",
    "notifications": "notices, warnings, workarounds",
}
"""Search words for actions, by a text that occurs in the action's name."""


def synonyms_of(text: str) -> str:
    """Return the synonyms of a text, in lower case."""
    text = text.lower()
    return ", ".join(words for meant, words in SYNONYMS.items() if meant in text)


def with_synonyms(text: str) -> str:
    """Return a text in lower case, followed by its synonyms."""
    return f"{text.lower()} {synonyms_of(text)}"


def name_in(words: str) -> str:
    """Return the name of an action: its description up to the first explanation."""
    return _NAME_ENDS.split(words, maxsplit=1)[0]


def match_rank(words: str, written: str) -> int:
    """Return how well an action matches a search text in lower case, 0 being best: a match in the
    name ranks before one in the explanation.
    """
    name = name_in(words).lower().removeprefix("/")
    if name.startswith(written) and name[len(written) : len(written) + 1] != ",":
        return 0
    if written in re.split(r"\W+", name) or written in synonyms_of(words).split(", "):
        return 1
    if f" {written}" in f" {name}":
        return 2
    return 3 if f" {written}" in words.lower() else 4
