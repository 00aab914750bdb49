"""Keys: how tables name them, what is pressed in their place, and how they are drawn."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual.binding import Binding

if TYPE_CHECKING:
    from textual.content import Content


def key(keys: str, action: str, words: str, *, priority: bool = False) -> Binding:
    """Bind keys to an action; `words` name it in footer, help and palette."""
    return Binding(keys, action, words, show=False, priority=priority)


def do(action: str, *arguments: int | str) -> str:
    """Name a feature and its method: `sessions.step`."""
    return f"app.do{(action, *arguments)!r}" if arguments else f"app.do({action!r})"


FIELD = [
    key("alt+backspace,ctrl+backspace", "delete_left_word", ""),
    key("alt+d,alt+delete", "delete_right_word", ""),
    key("alt+b", "cursor_left_word", ""),
    key("alt+f", "cursor_right_word", ""),
    key("ctrl+b", "cursor_left", ""),
    key("ctrl+f", "cursor_right", ""),
]
"""What a field of one line does as the prompt does, where Textual's own doesn't."""
PICKER = [
    key("up", "move(-1)", "Row above", priority=True),
    key("down", "move(1)", "Row below", priority=True),
    key("pageup", "page(-1)", "Page up", priority=True),
    key("pagedown", "page(1)", "Page down", priority=True),
    key("escape", "close", "Back"),
]
CHOICES = [
    *(key(str(number), f"number({number})", "Choose by number") for number in range(1, 10)),
    key("0", "number(0)", ""),
    key("up,k", "move(-1)", "Up"),
    key("down,j", "move(1)", "Down"),
    key("enter", "choose", "Choose what is marked"),
]
DIFFERENCES = [key("escape,q,enter", "close", "Close")]
LINE = [
    key("escape", "close", "Leave it as it is"),
    key("f2", "show", "Show the secret, or hide it"),
]
CONFIRM = [key("escape", "close", "No")]
OPTIONS = [
    key("up,left,k", "move(-1)", "Option before"),
    key("down,right,j", "move(1)", "Option after"),
    key("space", "choose", "Choose, or no longer"),
    key("enter", "go_on", "Choose of one, and go on"),
]
PAGE = [key("escape,q,enter", "close", "Close")]
MOVED: dict[str, dict[str, str]] = {}
"""For each place, the key that is pressed in place of another: filled by `keymap.move`."""
NO_KEY = "none"
"""In place of a key that does nothing anymore."""
SIGNS = {
    "slash": "/",
    "comma": ",",
    "plus": "+",
    "minus": "-",
    "full_stop": ".",
    "apostrophe": "'",
    "equals_sign": "=",
    "underscore": "_",
    "question_mark": "?",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "less_than_sign": "<",
    "greater_than_sign": ">",
}
"""Keys that have names in the tables, and what is printed on them."""
_NAMES = SIGNS | {
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "escape": "Esc",
    "ctrl": "Ctrl",
    "shift": "Shift",
    "alt": "Alt",
}


def pressed(key: str, *places: str) -> str:
    """Return what is pressed where the tables have a key: there, or else in the main window."""
    if MOVED:
        for place in (*places, "conversation", "sessions", "everywhere"):
            if key in MOVED.get(place, ()):
                return MOVED[place][key]
    return key


def shown(key: str) -> str:
    """Return a key as it is printed on a keyboard: `Ctrl+Q`."""
    *modifiers, name = key.split("+")
    single = name.upper() if modifiers and len(name) == 1 else name
    words = [_NAMES.get(part, part.capitalize()) for part in modifiers]
    last = _NAMES.get(single, single if len(single) == 1 else single.capitalize())
    return "+".join([*words, last])


def key_name(key: str, *places: str) -> str:
    """Return what is pressed where the tables have a key, as it is printed on a keyboard."""
    return shown(pressed(key, *places))


CLICKED = "key"
"""What a hint is marked with: the key that a click on it presses."""


def hints(keys: Iterable[tuple[str, str]], *places: str) -> "Content":
    """Format the keys of some places and what they do, in one row: `Enter open   j/k move`. A click on
    one presses it.
    """
    from textual.content import Content
    from textual.style import Style

    def hint(keys: list[str], words: str) -> Content:
        names = [shown(key) for key in keys]
        between = "/" if all(name.isalnum() for name in names) else " "
        said = Content.assemble(
            (between.join(names), "bold $primary"), (f" {words}", "$text-muted")
        )
        said, at = said.stylize(Style.from_meta({CLICKED: keys[-1]})), 0
        for key, name in zip(keys, names, strict=True):
            said = said.stylize(Style.from_meta({CLICKED: key}), at, at + len(name))
            at += len(name + between)
        return said

    there = (
        ([one for part in key.split(",") if (one := pressed(part, *places)) != NO_KEY], words)
        for key, words in keys
    )
    return Content("   ").join(hint(keys, words) for keys, words in there if keys)


def hint_rows(keys: Iterable[tuple[str, str]], width: int, *places: str) -> "Content":
    """Format the keys of some places and what they do, in as many rows as they need."""
    from textual.content import Content

    rows: list[Content] = []
    for key in keys:
        hint = hints([key], *places)
        if not hint:
            continue
        wider = Content("   ").join([*rows[-1:], hint])
        if rows and wider.cell_length <= width:
            rows[-1] = wider
        else:
            rows.append(hint)
    return Content("\n").join(rows)
