"""The text that is streamed: mixed Markdown, the same for everyone."""

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


def chunks(count: int) -> list[str]:
    """`count` chunks of 40 characters."""
    text = ""
    number = 0
    pieces = []
    length = 0
    while length < count * CHUNK:
        number += 1
        pieces.append(PARAGRAPH.format(n=number))
        length += len(pieces[-1])
    text = "".join(pieces)
    return [text[at : at + CHUNK] for at in range(0, count * CHUNK, CHUNK)]
