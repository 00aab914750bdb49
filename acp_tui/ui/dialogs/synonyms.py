"""What people look for where it is called otherwise here."""

SYNONYMS = {
    "rewind": "go back to",
    "checkpoint": "go back to",
    "history": "prompts that were sent",
    "quit": "leave",
    "exit": "leave",
    "interrupt": "cancel the turn",
    "expand": "open or fold",
    "collapse": "open or fold",
    "allow": "rules about permissions",
    "login": "sign-in",
    "stage": "git's index",
    "split": "side by side",
    "help": "all keys",
    "url": "all links",
    "reconnect": "restart an agent",
    "debug": "the frames",
}


def with_synonyms(text: str) -> str:
    """Return a text in small letters, with the words by which people look for it."""
    text = text.lower()
    return " ".join([text, *(word for word, meant in SYNONYMS.items() if meant in text)])
