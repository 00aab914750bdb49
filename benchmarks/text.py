"""The text that is streamed: mixed Markdown, the same for everyone."""

from collections.abc import Iterator

PARAGRAPH = """\
## Section {n}

Some *mixed* text with `code`, a [link](https://example.com/{n}) and **bold words**, long enough
to be wrapped once or twice on a screen of eighty columns.

- a point about item {n}
- another one, with `inline code`
  1. nested and numbered

| name | value |
|------|------:|
| n    | {n}   |

```python
def answer_{n}(question: str) -> int:
    return {n}  # not quite 42
```

> A quote, for good measure.

"""
CHUNK = 40


def chunks(count: int) -> Iterator[str]:
    """`count` chunks of 40 characters."""
    rest = ""
    number = 0
    for _ in range(count):
        while len(rest) < CHUNK:
            number += 1
            rest += PARAGRAPH.format(n=number)
        yield rest[:CHUNK]
        rest = rest[CHUNK:]
