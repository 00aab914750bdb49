"""Keys: their names, the tables of small screens, and the formatting of key hints."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual.binding import Binding

if TYPE_CHECKING:
    from textual.content import Content


def bind_key(keys: str, action: str, words: str, *, priority: bool = False) -> Binding:
    """Bind keys to an action; `words` describe it in footer, help and palette."""
    return Binding(keys, action, words, show=False, priority=priority)


def feature_action(action: str, *arguments: int | str) -> str:
    """Return the binding action that calls a feature's method: `sessions.step`."""
    return f"app.do{(action, *arguments)!r}" if arguments else f"app.do({action!r})"


FIELD = [
    bind_key("alt+backspace,ctrl+backspace", "delete_left_word", ""),
    bind_key("alt+d,alt+delete", "delete_right_word", ""),
    bind_key("alt+b", "cursor_left_word", ""),
    bind_key("alt+f", "cursor_right_word", ""),
    bind_key("ctrl+b", "cursor_left", ""),
    bind_key("ctrl+f", "cursor_right", ""),
]
"""The prompt's keys that Textual's one-line input lacks."""
ROWS = [
    bind_key("up", "move(-1)", "Row above", priority=True),
    bind_key("down", "move(1)", "Row below", priority=True),
    bind_key("pageup", "page(-1)", "Page up", priority=True),
    bind_key("pagedown", "page(1)", "Page down", priority=True),
]
PICKER = [*ROWS, bind_key("escape", "close", "Back")]
CHOICES = [
    *(bind_key(str(number), f"number({number})", "Choose by number") for number in range(1, 10)),
    bind_key("0", "number(0)", ""),
    bind_key("up,k", "move(-1)", "Up"),
    bind_key("down,j", "move(1)", "Down"),
    bind_key("enter", "choose", "Choose what is marked"),
]
DIFFERENCES = [bind_key("escape,q,enter", "close", "Close")]
LINE = [
    bind_key("escape", "close", "Cancel"),
    bind_key("f2", "show", "Show the secret, or hide it"),
]
CONFIRM = [bind_key("escape", "close", "No")]
OPTIONS = [
    bind_key("up,left,k", "move(-1)", "Previous option"),
    bind_key("down,right,j", "move(1)", "Next option"),
    bind_key("space", "choose", "Select or deselect"),
    bind_key("enter", "go_on", "Choose, then next field"),
]
PAGE = [bind_key("escape,q,enter", "close", "Close")]
SETTINGS = [*PICKER, bind_key("delete", "reset", "Back to the default", priority=True)]
NOTICES = [bind_key("escape,f8,q,enter", "close", "Close")]
HELP = [
    bind_key("alt+x", "do", "Search all actions", priority=True),
    bind_key("up", "scroll(0, -1)", "Line up", priority=True),
    bind_key("down", "scroll(0, 1)", "Line down", priority=True),
    bind_key("pageup", "scroll(-1)", "Page up", priority=True),
    bind_key("pagedown", "scroll(1)", "Page down", priority=True),
    bind_key("escape,f1,enter", "close", "Close", priority=True),
]
EXPORT = [
    bind_key("m", "choose('md')", "Markdown: the whole conversation"),
    bind_key("h", "choose('html')", "HTML: a page that looks like the screen"),
    bind_key("s", "choose('svg')", "SVG: a picture of the screen as it is"),
    bind_key("escape,q", "close", "Close"),
]
SIGN_IN = [
    bind_key("r", "restart", "Restart after a sign-in elsewhere"),
    bind_key("escape", "close", "Cancel; close: sending a prompt asks again"),
]
CLIENT_PROFILE = [
    *(
        bind_key(str(number), f"choose({number})", "Choose a known client")
        for number in range(1, 6)
    ),
    bind_key("r", "restart", "Restart the agent with this choice", priority=True),
    bind_key("escape", "close", "Cancel"),
]
LAUNCHER = [
    *ROWS,
    bind_key("enter", "", "Start the selection or the race"),
    bind_key("alt+r", "race", "Add to or remove from race"),
    bind_key("alt+t", "start_with_options", "Start, options first (--unstable)"),
    bind_key("f1", "help", "Show all keys", priority=True),
    bind_key("escape", "clear", "Clear, else quit", priority=True),
    bind_key("ctrl+q,ctrl+c", "close", "Quit", priority=True),
]
FIND = [
    *ROWS,
    bind_key("enter", "", "Open in a replay"),
    bind_key("alt+r", "resume", "Resume the session (asks first)", priority=True),
    bind_key("f1", "help", "Show all keys", priority=True),
    bind_key("escape,ctrl+q,ctrl+c", "close", "Quit", priority=True),
]
MATRIX = [
    *ROWS,
    bind_key("left", "column(-1)", "Agent to the left", priority=True),
    bind_key("right", "column(1)", "Agent to the right", priority=True),
    bind_key("enter", "", "Show the frame in a replay"),
    bind_key("f1", "help", "Show all keys", priority=True),
    bind_key("escape,ctrl+q,ctrl+c", "close", "Quit", priority=True),
]
SESSIONS = [
    *PICKER,
    bind_key("ctrl+t", "new", "New session", priority=True),
    bind_key("alt+r", "session('resume')", "Resume without the history", priority=True),
    bind_key("alt+k", "session('fork')", "Fork", priority=True),
    bind_key("alt+w", "session('close')", "Close", priority=True),
    bind_key("f8", "session('delete')", "Delete for good", priority=True),
    bind_key("alt+a", "session('archive')", "Archive or unarchive (--unstable)", priority=True),
    bind_key("f2", "session('rename')", "Rename (--unstable)", priority=True),
    bind_key("alt+s", "session('status')", "Check if in memory (--unstable)", priority=True),
]
RECORDED = [
    bind_key("enter", "tell", "Write this conversation into the prompt"),
    bind_key("escape,q", "close", "Close"),
]
TURNS = [
    bind_key("up,k", "move(-1)", "Turn above"),
    bind_key("down,j", "move(1)", "Turn below"),
    bind_key("pageup", "scroll(-1)", "Scroll the changes up"),
    bind_key("pagedown,space", "scroll(1)", "Scroll the changes down"),
    bind_key("enter", "choose", "Preview a rewind, then choose; unfold other sessions"),
    bind_key("u", "undo", "Undo the last rewind"),
    bind_key("escape,alt+u,q", "close", "Close"),
]
REWIND_QUESTION = [
    bind_key("pageup", "scroll(-1)", "Scroll the files up"),
    bind_key("pagedown,space", "scroll(1)", "Scroll the files down"),
    bind_key("escape", "close", "Cancel"),
]
REPLAY = [
    bind_key("space", feature_action("replay.pause"), "Pause or resume", priority=True),
    bind_key("plus", feature_action("replay.faster"), "Faster", priority=True),
    bind_key("minus", feature_action("replay.slower"), "Slower", priority=True),
    bind_key("full_stop", feature_action("replay.step", 1), "Step forward", priority=True),
    bind_key("comma", feature_action("replay.step", -1), "Step back", priority=True),
    bind_key(
        "g",
        feature_action("replay.ask_goal"),
        "Go to a time, a frame (#12) or a percentage",
        priority=True,
    ),
    bind_key("end", feature_action("replay.seek_end"), "Go to the end", priority=True),
]
MOVED: dict[str, dict[str, str]] = {}
"""For each place, the keys that replace its own; filled by `keymap.move_keys`."""
NO_KEY = "none"
"""The key of a binding that was unbound."""
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
"""Printed characters of keys that have names in the tables."""
_NAMES = SIGNS | {
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "escape": "Esc",
    "ctrl": "Ctrl",
    "shift": "Shift",
    "alt": "Alt",
}


def pressed_key(key: str, *places: str) -> str:
    """Return the key that is bound in place of a key of the tables, which may be rebound in some
    `places` or in the main window.
    """
    if MOVED:
        for place in (*places, "conversation", "sessions", "everywhere"):
            if key in MOVED.get(place, ()):
                return MOVED[place][key]
    return key


def printed_key(key: str) -> str:
    """Return a key as it is printed: `Ctrl+Q`."""
    *modifiers, name = key.split("+")
    single = name.upper() if modifiers and len(name) == 1 else name
    words = [_NAMES.get(part, part.capitalize()) for part in modifiers]
    last = _NAMES.get(single, single if len(single) == 1 else single.capitalize())
    return "+".join([*words, last])


def key_name(key: str, *places: str) -> str:
    """Return the name of the key that is bound in place of a key of the tables, as it is printed."""
    return printed_key(pressed_key(key, *places))


CLICKED = "key"
"""The style metadata of a hint: the key that is pressed by a click on it."""


def format_hints(keys: Iterable[tuple[str, str]], *places: str) -> "Content":
    """Format keys and their actions in one row: `Enter open   j/k move`. A click on a hint presses
    its key.
    """
    from textual.content import Content
    from textual.style import Style

    def hint(keys: list[str], words: str) -> Content:
        names = [printed_key(key) for key in keys]
        between = "/" if all(name.isalnum() for name in names) else " "
        text = Content.assemble(
            (between.join(names), "bold $primary"), (f" {words}", "$text-muted")
        )
        text, at = text.stylize(Style.from_meta({CLICKED: keys[-1]})), 0
        for key, name in zip(keys, names, strict=True):
            text = text.stylize(Style.from_meta({CLICKED: key}), at, at + len(name))
            at += len(name + between)
        return text

    there = (
        ([one for part in key.split(",") if (one := pressed_key(part, *places)) != NO_KEY], words)
        for key, words in keys
    )
    return Content("   ").join(hint(keys, words) for keys, words in there if keys)


def hint_rows(keys: Iterable[tuple[str, str]], width: int, *places: str) -> "Content":
    """Format keys and their actions, in as many rows as needed."""
    from textual.content import Content

    rows: list[Content] = []
    for key in keys:
        hint = format_hints([key], *places)
        if not hint:
            continue
        wider = Content("   ").join([*rows[-1:], hint])
        if rows and wider.cell_length <= width:
            rows[-1] = wider
        else:
            rows.append(hint)
    return Content("\n").join(rows)
