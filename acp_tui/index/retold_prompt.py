"""A prompt that tells a new session of an earlier one: how it is written, and what its author wrote."""

BEGIN = "This is what was said in an earlier session, which you don't remember:"
END = "That was the earlier session. Now:"
SAID = "I said: "
_UNKNOWN = "(told of an earlier session)"
_ANSWERED = "\n\nYou "


def own_words(prompt: str) -> str:
    """Return what a person wrote behind what is retold; if that is nothing, the first prompt there."""
    while prompt.startswith(BEGIN):
        retold, _, own = prompt.partition(f"\n\n{END}")
        if own.strip():
            return own.strip()
        quoted = (line.removeprefix(">").removeprefix(" ") for line in retold.split("\n")[2:])
        first = "\n".join(quoted).partition(SAID)[2]
        prompt = first.partition(_ANSWERED)[0] or _UNKNOWN
    return prompt
