"""The system of all boxes: a few kinds, each declared once, and one word for Esc."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

from acp_tui import ui
from acp_tui.ui.toolkit.boxes import ASIDE, BELOW, LIST, NARROW, PAGE, QUESTION
from acp_tui.ui.toolkit.screens import OverlayScreen
from tests.unit.ui.class_sources import source_of

KINDS = {QUESTION, BELOW, LIST, NARROW, ASIDE, PAGE}
FOLDER = Path(inspect.getfile(ui)).parent
BY_ITSELF = {"back", "cancel", "leave", "quit", "clear"}
"""Words that say enough: it only returns; what was begun is given up; the program is left; the field is emptied."""


def boxes() -> list[type[OverlayScreen[object]]]:
    for one in walk_packages(ui.__path__, "acp_tui.ui."):
        import_module(one.name)
    found, due = [], [OverlayScreen]
    while due:
        below = due.pop().__subclasses__()
        due += below
        found += [kind for kind in below if kind.__module__.startswith("acp_tui.")]
    return found


def test_each_box_is_of_one_of_the_kinds() -> None:
    assert [kind for kind in boxes() if kind.DEFAULT_CLASSES not in KINDS] == []


def test_places_and_widths_of_boxes_are_declared_once() -> None:
    names = "|".join(["OverlayScreen", "Picker", *(kind.__name__ for kind in boxes())])
    of_box = re.compile(rf"^(?:{names}) \{{\n(?P<own>(?:    [^\n]*\n)*?)\}}", re.MULTILINE)
    wrong = []
    for file in FOLDER.rglob("*.tcss"):
        if file.name == "boxes.tcss":
            continue
        for found in of_box.finditer(file.read_text("utf-8")):
            own = found["own"]
            frames = re.findall(r"& > (?:Frame|QuestionBox) \{([^}]*)\}", own)
            rules = [*re.findall(r"^    ([\w-]+):", own, re.MULTILINE)]
            rules += [rule for one in frames for rule in re.findall(r"([\w-]+):", one)]
            wrong += [
                (file.name, rule)
                for rule in rules
                if rule in ("align", "width", "height", "offset") or rule.startswith(("max", "min"))
            ]
    assert wrong == []


def words_for_esc(source: str) -> list[str]:
    """What Esc is called wherever keys are offered."""
    if '"escape"' not in source:
        return []
    pairs = [
        node.elts
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Tuple) and len(node.elts) == 2
    ]
    said = [
        part.value
        for key, words in pairs
        if isinstance(key, ast.Constant) and key.value == "escape"
        for part in ast.walk(words)
        if isinstance(part, ast.Constant) and not isinstance(words, ast.JoinedStr)
    ]
    return [one for one in said if isinstance(one, str)]


def test_esc_is_back_or_cancel_or_says_what_it_does() -> None:
    found = [
        (file.name, words)
        for file in FOLDER.rglob("*.py")
        for words in words_for_esc(file.read_text("utf-8"))
    ]
    assert len(found) > 20
    wrong = [
        (file, words)
        for file, words in found
        if words not in BY_ITSELF and (" " not in words or words.startswith(("close", "exit")))
    ]
    assert wrong == []


def test_esc_goes_back_from_lists_and_pages_and_cancels_questions() -> None:
    wrong = [
        (kind.__name__, words)
        for kind in boxes()
        for words in words_for_esc(source_of(kind))
        if words == ("back" if kind.DEFAULT_CLASSES in (QUESTION, BELOW, ASIDE) else "cancel")
    ]
    assert wrong == []
