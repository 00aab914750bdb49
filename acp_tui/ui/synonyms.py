"""What people look for where it is called otherwise here."""

SYNONYMS = {
    "go back": "rewind",
    "checkpoint": "rewind",
    "history": "sent prompts",
    "leave": "quit",
    "exit": "quit",
    "interrupt": "cancel the turn",
    "expand": "open or fold",
    "collapse": "open or fold",
    "allow": "permission rules",
    "login": "sign-in",
    "stage": "git's index",
    "split": "side by side",
    "help": "all keys",
    "url": "a link",
    "reconnect": "restart an agent",
    "debug": "protocol messages",
    "frames": "protocol messages",
}


def with_synonyms(text: str) -> str:
    """Return a text in small letters, with the words by which people look for it."""
    text = text.lower()
    return " ".join([text, *(word for word, meant in SYNONYMS.items() if meant in text)])
