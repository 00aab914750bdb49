from tests.snapshot.svg_rows import differing_rows, svg_rows


def svg(*rows: str, color: str = "r1") -> str:
    texts = (
        f'<text class="terminal-1-{color}" x="24.4" y="{20 + 24.4 * at}" textLength="9">{row}</text>'
        for at, row in enumerate(rows)
    )
    return f"<svg>{''.join(texts)}</svg>"


def test_rows_are_as_on_the_screen() -> None:
    assert svg_rows(svg("a&#160;&lt;b&gt;", "c")) == ["  a <b>", "  c"]


def test_only_rows_that_differ_are_listed() -> None:
    found = differing_rows(svg("same", "old", "end", "more"), svg("same", "new", "end", "more"))
    assert found.splitlines()[3:] == ["   same", "-  old", "+  new", "   end"]


def test_equal_rows_in_other_colors_are_said_to_be_equal() -> None:
    assert "colors differ" in differing_rows(svg("a"), svg("a", color="r2"))
