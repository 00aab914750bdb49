"""What people look for where it is called otherwise here."""

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
    "git's index": "stage",
    "side by side": "split",
    "alongside": "split, log, debug, frames",
    "all keys": "help, shortcuts",
    "a link": "url",
    "restart an agent": "reconnect, retry",
    "protocol messages": "log, debug, frames, cost, tokens",
    "statistics": "cost, tokens",
    "where the time": "cost, slow",
    "changed files": "review, diff, changes",
    "themes": "dark, light, colors",
    "export the session": "save, share",
    "notifications": "notices, warnings, workarounds",
}
"""The words that find what has a text: by that text."""


def synonyms_of(text: str) -> str:
    """Return the words by which people look for a text, in small letters."""
    text = text.lower()
    return ", ".join(words for meant, words in SYNONYMS.items() if meant in text)


def with_synonyms(text: str) -> str:
    """Return a text in small letters, with the words by which people look for it."""
    return f"{text.lower()} {synonyms_of(text)}"
