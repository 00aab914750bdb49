"""Numbers and long texts for people."""


def size(count: int) -> str:
    """A count of bytes: `812 B`, `4.2 kB`, `1.2 MB`."""
    if count < 1000:
        return f"{count} B"
    if count < 1_000_000:
        return f"{count / 1000:.1f} kB"
    return f"{count / 1_000_000:.1f} MB"


def short(count: int) -> str:
    """A big count: `812`, `4.2k`, `128k`, `1.5M`."""
    if count < 1000:
        return str(count)
    if count < 999_500:
        return f"{count / 1000:.1f}k" if count < 9_950 else f"{count / 1000:.0f}k"
    return f"{count / 1_000_000:.1f}M"


def counted(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: `1 problem`, `3,000 problems`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def cropped(text: str, most: int) -> str:
    """A text, or as much of it as that many characters hold."""
    return text if len(text) <= most else text[: most - 1] + "…"
