"""The page `docs/keys.md`: all keys, and why they are these."""

from typing import NamedTuple

from acp_tui.ui.bindings import EVERYWHERE, PLACES, SESSION_KEYS, key_rows, key_sections
from acp_tui.ui.conversation.bindings import CONVERSATION
from acp_tui.ui.keymap import PRESETS
from acp_tui.ui.keys import printed_key
from acp_tui.ui.prompt.bindings import PROMPT


class Collision(NamedTuple):
    """A key that other programs use, too: what a shell's line editor does with it, who else takes it,
    and why it does here what it does.
    """

    key: str
    readline: str
    others: str
    why: str


COLLISIONS = [
    Collision("ctrl+a", "beginning of the line", "prefix of screen", "as in a shell"),
    Collision("ctrl+b", "a character left", "prefix of tmux", "as in a shell; Left does it, too"),
    Collision(
        "ctrl+c",
        "give up the line",
        "",
        "clears before it leaves; once something was said, leaves at the second",
    ),
    Collision("ctrl+d", "delete, or end of input", "", "as in a shell"),
    Collision("ctrl+e", "end of the line", "", "as in a shell"),
    Collision("ctrl+f", "a character right", "", "as in a shell: the search is Alt+/"),
    Collision(
        "ctrl+g",
        "give up a search",
        "Claude Code opens the editor",
        "as in agents' programs: it sends nothing",
    ),
    Collision("ctrl+j", "send", "", "a new line on each terminal; Shift+Enter isn't sent by all"),
    Collision("ctrl+k", "delete to the end", "", "as in a shell"),
    Collision("ctrl+l", "clear the screen", "", "draws it again: nothing is lost"),
    Collision("ctrl+n", "next line of the history", "", "as in a shell"),
    Collision("ctrl+o", "send, and fetch the next line", "", "rare in shells; o is for open"),
    Collision("ctrl+p", "line before in the history", "", "as in a shell"),
    Collision("ctrl+q", "insert a key as it is", "goes on after Ctrl+S", "leaves most programs"),
    Collision("ctrl+r", "search the history", "", "as in a shell: restarting is Alt+A"),
    Collision(
        "ctrl+s",
        "search forward",
        "stops the output of a terminal",
        "in Ctrl+R it searches forward; else neither is of use",
    ),
    Collision("ctrl+t", "swap two characters", "", "rare in shells; a new tab in browsers"),
    Collision("ctrl+u", "delete to the beginning", "", "as in a shell"),
    Collision(
        "ctrl+v", "insert a key as it is", "paste in some terminals", "pastes, and images, too"
    ),
    Collision("ctrl+w", "delete a word", "", "as in a shell: closing is Alt+W"),
    Collision("ctrl+y", "insert what was deleted", "", "as in a shell"),
    Collision("ctrl+z", "to the shell", "", "in the prompt it undoes, elsewhere it stops"),
    Collision("ctrl+underscore", "undo", "", "as in a shell"),
    Collision("alt+b", "a word left", "", "as in a shell"),
    Collision("alt+d", "delete a word", "", "as in a shell"),
    Collision("alt+f", "a word right", "menu of GNOME Terminal, if shown", "as in a shell"),
    Collision(
        "alt+e", "", "menu of GNOME Terminal, if shown", "beside Ctrl+G, where that is taken"
    ),
    Collision("alt+backspace", "delete a word", "", "as in a shell"),
    Collision("alt+slash", "complete a file's name", "", "/ searches; a letter would be text"),
    Collision("alt+enter", "", "full screen in Windows Terminal", "a new line; there: Ctrl+J"),
    Collision("alt+1", "how often", "tabs of GNOME Terminal", "tabs; else Ctrl+PgDn, Ctrl+O"),
    Collision("ctrl+pagedown", "", "tabs of many terminals", "tabs; where taken: Alt+1 to 9"),
    Collision("alt+u", "word in capitals", "", "u for undo; rare in shells"),
    Collision("alt+r", "undo all of the line", "", "rare in shells"),
    Collision("alt+n", "search forward", "", "rare in shells"),
    Collision("alt+p", "search back", "", "rare in shells; Ctrl+R searches"),
    Collision("f1", "", "help of GNOME Terminal", "help, also ? outside of text"),
    Collision("f10", "", "menu of GNOME Terminal", "settings; also acp-tui config"),
    Collision("ctrl+enter", "", "only newer terminals send it", "where not: Alt+G"),
]
_MEANT = [*PROMPT, *CONVERSATION, *SESSION_KEYS, *EVERYWHERE]


def done_by(key: str) -> str:
    """Return what a key does in the prompt, or from there. Raises KeyError if it does nothing."""
    for binding in _MEANT:
        if key in binding.key.split(","):
            return binding.description
    raise KeyError(key)


def _presets() -> list[str]:
    """Return what the presets move, as a table."""
    lines = ["| Preset | Place | Key | Instead |", "| --- | --- | --- | --- |"]
    for preset, places in PRESETS.items():
        for place, keys in places.items():
            for key, new in keys.items():
                instead = ", ".join(map(printed_key, new.split(",")))
                lines.append(f"| {preset} | {place} | {printed_key(key)} | {instead} |")
    return [*lines, ""]


def keys_page() -> str:
    """Return the whole page."""
    lines = ["# Keys", "", "To see the keys that work where you are, press F1. All of them:", ""]
    for section in key_sections():
        place = next((name for name, one in PLACES.items() if one[-1] is section.bindings[-1]), "")
        lines += [f"## {section.title}", ""]
        lines += [f"In settings: `[keys.{place}]`", ""] if place else []
        lines += ["| Key | What it does |", "| --- | --- |"]
        lines += [f"| {key} | {words} |" for key, words in key_rows(section.bindings)]
        lines.append("")
    lines += [
        "## The mouse",
        "",
        "Every key that is shown can be clicked: in the last row, in dialogs, and in the edges of questions. Rows,"
        " tabs, links and folds take clicks, too, and the wheel scrolls what it is over. What has no key on"
        " the screen stands in the list of all actions (Alt+X).",
        "",
        "## Esc",
        "",
        "Esc is called `back` where it only returns, as from lists and pages; `cancel` where something that was begun"
        " or is only tried is given up, as in questions; and where it does anything else, by that: `leave it held`.",
        "",
        "## Other keys",
        "",
        "Each key of a table that has a name in settings can be moved: on the left stands a key as the table"
        " has it, on the right what you press in its place. Several are separated by commas, and none is an"
        " empty word. What you save holds at once, wherever keys are shown. A key that would do two things is"
        " refused with its line and column: while acp-tui runs, all keys then stay as they were; at the start it"
        " says so, as do `acp-tui config`, `config edit` and `acp-tui doctor`. The keys that answer an agent's"
        " questions stay where they are.",
        "",
        "```toml",
        'key_preset = "emacs"       # or "vim"; what follows wins over it',
        "",
        "[keys.prompt]",
        '"Ctrl+G" = "Ctrl+X"        # the editor',
        "",
        "[keys.everywhere]",
        'F3 = ""                    # no key for the themes',
        '"Alt+A" = "Alt+A, F11"     # two keys to restart the agent',
        "```",
        "",
        *_presets(),
        "## Why these keys",
        "",
        "The prompt does what a shell's line editor (readline) does. What the program itself does has the"
        " keys that fingers need least there: function keys, Alt and a letter, and a few with Ctrl that"
        " hardly anybody uses in a shell. Inside tmux or screen, their prefix has to be typed twice to get"
        " through. Keys that the terminal takes for itself never reach any program.",
        "",
        "| Key | In a shell | Who else takes it | Here | Why |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {printed_key(one.key)} | {one.readline} | {one.others} | {done_by(one.key)} | {one.why} |"
        for one in COLLISIONS
    ]
    return "\n".join(lines) + "\n"
