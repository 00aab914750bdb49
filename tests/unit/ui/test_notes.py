"""What is said in passing is short enough to be seen on a terminal of 80 columns."""

import ast
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import acp_tui.ui
from acp_tui.ui.toolkit.notes import MOST_ROWS, REFUSAL, SEVERITIES, Note

CELLS = 76
SAYS = {"show_note", "refuse", "notify", "Note"}
INSPECTOR = {"_inspector", "status", "_status"}
KEY, VALUE = "Ctrl+X", "some value"
"""What stands here for the name of a key, and for what only is known when it is said."""
SOURCES = [*Path(acp_tui.ui.__file__).parent.rglob("*.py")]
Assigned = dict[str, list[ast.expr]]


def told(source: Path) -> Iterator[tuple[int, Note, int]]:
    """The line, the words and the rows for them of all that a module says, as far as it stands there."""
    text = source.read_text("utf-8")
    if not any(f"{one}(" in text for one in SAYS):
        return
    tree = ast.parse(text)
    of_module = assigned(tree.body)
    for scope in ast.walk(tree):
        if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        within = [*ast.walk(scope)]
        calls = [node for node in within if isinstance(node, ast.Call) and node.args]
        said = [node for node in calls if name_of(node.func) in SAYS]
        names = of_module | assigned(within) if said else {}
        for node in said:
            for words in readings(node.args[0], names):
                yield node.lineno, note(node, words), rows_for(node.func)


def note(call: ast.Call, words: str) -> Note:
    """What is drawn of words, with what stands before them."""
    given = {one.arg: one.value for one in call.keywords}
    severity = constant(given.get("severity")) or "information"
    title = constant(given.get("title")) or (VALUE if "title" in given else "")
    kind = REFUSAL if name_of(call.func) == "refuse" else SEVERITIES[severity]
    return Note(words, kind, title=title)


def constant(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def rows_for(called: ast.expr) -> int:
    """How many rows there are for what is said: the inspector's counts leave it the room of theirs."""
    receiver = called.value if isinstance(called, ast.Attribute) else None
    return 1 if name_of(receiver) in INSPECTOR else MOST_ROWS


def assigned(nodes: list[ast.AST] | list[ast.stmt]) -> Assigned:
    """What each name stands for."""
    found: Assigned = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    return found


def name_of(named: ast.expr | None) -> str:
    return named.attr if isinstance(named, ast.Attribute) else getattr(named, "id", "")


def readings(node: ast.expr, names: Assigned) -> list[str]:
    """What an expression can say; nothing if none of it stands here."""
    match node:
        case ast.Constant(value=str() as words):
            return [words]
        case ast.IfExp(body=body, orelse=orelse):
            return [*readings(body, names), *readings(orelse, names)]
        case ast.BoolOp(values=values):
            return [words for one in values for words in readings(one, names)]
        case ast.Name(id=name):
            others = {key: value for key, value in names.items() if key != name}
            return [words for one in names.get(name, ()) for words in readings(one, others)]
        case ast.Call(func=called, args=[first]) if name_of(called) == "clean_line":
            return readings(first, names)
        case ast.JoinedStr(values=values):
            return ["".join(one) for one in product(*(pieces(value, names) for value in values))]
    return []


def pieces(node: ast.expr, names: Assigned) -> list[str]:
    """What a piece of an f-string can say."""
    if not isinstance(node, ast.FormattedValue):
        return readings(node, names)
    if isinstance(node.value, ast.Call) and name_of(node.value.func) == "key_name":
        return [KEY]
    return readings(node.value, names) or [VALUE]


def test_what_is_said_in_passing_fits_into_its_rows() -> None:
    said = [(source.name, *one) for source in SOURCES for one in told(source)]
    assert len(said) > 100, "what is said is no longer found"
    too_long = [
        (name, line, note.words)
        for name, line, note, rows in said
        if len(note.content.wrap(CELLS)) > rows
    ]
    assert too_long == []


def test_words_are_read_with_all_that_they_can_say() -> None:
    code = "window.show_note(clean_line(f'{words}: {key_name(1)}' if a else 'no' or f'{1}{b or \"x\"}'))"
    call = ast.parse(code, mode="eval").body
    assert isinstance(call, ast.Call)
    names: Assigned = {"words": [ast.Constant("one"), ast.Constant("two")]}
    assert readings(call.args[0], names) == [
        f"one: {KEY}",
        f"two: {KEY}",
        "no",
        f"{VALUE}x",
    ]
