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
        "copies or clears first; after a conversation, quits when pressed twice",
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
    Collision("ctrl+l", "clear the screen", "", "redraws: nothing is lost"),
    Collision("ctrl+n", "next line of the history", "", "as in a shell"),
    Collision("ctrl+o", "send, and fetch the next line", "", "rare in shells; o is for open"),
    Collision("ctrl+p", "line before in the history", "", "as in a shell"),
    Collision("ctrl+q", "insert a key as it is", "goes on after Ctrl+S", "quits most programs"),
    Collision("ctrl+r", "search the history", "", "as in a shell: restarting is Alt+A"),
    Collision(
        "ctrl+s",
        "search forward",
        "stops the output of a terminal",
        "in Ctrl+R it searches forward, as in a shell",
    ),
    Collision("ctrl+t", "swap two characters", "", "rare in shells; a new tab in browsers"),
    Collision("ctrl+u", "delete to the beginning", "", "as in a shell"),
    Collision(
        "ctrl+v", "insert a key as it is", "paste in some terminals", "pastes text, else an image"
    ),
    Collision("ctrl+w", "delete a word", "", "as in a shell: closing is Alt+W"),
    Collision("ctrl+y", "insert what was deleted", "", "as in a shell"),
    Collision("ctrl+z", "to the shell", "", "in the prompt it undoes, elsewhere it suspends"),
    Collision("ctrl+underscore", "undo", "", "as in a shell"),
    Collision("alt+b", "a word left", "", "as in a shell"),
    Collision("alt+d", "delete a word", "", "as in a shell"),
    Collision("alt+f", "a word right", "menu of GNOME Terminal, if shown", "as in a shell"),
    Collision("alt+e", "", "menu of GNOME Terminal, if shown", "for terminals that take Ctrl+G"),
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
    """Return what a key does in the prompt, or everywhere from there. Raises KeyError if it does nothing."""
    for binding in _MEANT:
        if key in binding.key.split(","):
            return binding.description
    raise KeyError(key)


def _presets() -> list[str]:
    """Return a Markdown table of the keys that each preset rebinds."""
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
        "You can click every key that is shown: in the last row, in dialogs, and on the borders of questions. Rows,"
        " tabs, links and folds can be clicked, too, and the wheel scrolls what is below the pointer. Alt+X lists"
        " the actions whose keys aren't shown.",
        "",
        "## Esc",
        "",
        "The last row calls Esc `back` if it only returns, as from lists and pages, and `cancel` if it gives up"
        " something, as in questions. Where Esc does anything else, the row says what: `leave it held`.",
        "",
        "## Other keys",
        "",
        "You can change the keys of each table above that has a name in settings. On the left is the key in the"
        " table, on the right the one that you press instead: several are separated by commas, and an empty text is"
        " no key. A change applies at once, wherever keys are shown. A key that would do two things is an error with"
        " its line and column, and then no key changes; `acp-tui config` and `acp-tui doctor` report it, too. The"
        " keys that answer an agent's questions can't be changed.",
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
        "The prompt does what a shell's line editor (readline) does. The program's own actions have keys that are"
        " hardly used there: function keys, Alt with a letter, and a few with Ctrl. In tmux or screen, press the"
        " prefix twice to send it. Keys that the terminal keeps for itself reach no program.",
        "",
        "| Key | In a shell | Who else takes it | Here | Why |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {printed_key(one.key)} | {one.readline} | {one.others} | {done_by(one.key)} | {one.why} |"
        for one in COLLISIONS
    ]
    return "\n".join(lines) + "\n"
