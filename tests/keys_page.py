"""The page `docs/keys.md`: all keys, and why they are these."""

from typing import NamedTuple

from acp_tui.ui.bindings import EVERYWHERE, PLACES, SESSION_KEYS, key_rows, key_sections
from acp_tui.ui.conversation.bindings import CONVERSATION
from acp_tui.ui.keymap import PRESETS
from acp_tui.ui.keys import printed_key
from acp_tui.ui.prompt.bindings import PROMPT


class Collision(NamedTuple):
    """A key that other programs use, too: its action in a shell's line editor, its other users, and the
    reason for its action here.
    """

    key: str
    readline: str
    others: str
    why: str


COLLISIONS = [
    Collision("ctrl+a", "beginning of the line", "prefix of screen", "as in a shell"),
    Collision("ctrl+b", "a character left", "prefix of tmux", "as in a shell; same as Left"),
    Collision(
        "ctrl+c",
        "give up the line",
        "",
        "first copies or clears; in a conversation, press twice to quit",
    ),
    Collision("ctrl+d", "delete, or end of input", "", "as in a shell"),
    Collision("ctrl+e", "end of the line", "", "as in a shell"),
    Collision("ctrl+f", "a character right", "", "as in a shell: the search is Alt+/"),
    Collision(
        "ctrl+g",
        "give up a search",
        "Claude Code opens the editor",
        "as in other agents' programs; sends nothing",
    ),
    Collision("ctrl+j", "send", "", "a new line on every terminal; not all send Shift+Enter"),
    Collision("ctrl+k", "delete to the end", "", "as in a shell"),
    Collision("ctrl+l", "clear the screen", "", "redraws; nothing is lost"),
    Collision("ctrl+n", "next line of the history", "", "as in a shell"),
    Collision("ctrl+o", "send, and fetch the next line", "", "rare in shells; o is for open"),
    Collision("ctrl+p", "previous line of the history", "", "as in a shell"),
    Collision(
        "ctrl+q", "insert a key as it is", "resumes output after Ctrl+S", "quits most programs"
    ),
    Collision("ctrl+r", "search the history", "", "as in a shell: restarting is Alt+A"),
    Collision(
        "ctrl+s",
        "search forward",
        "stops a terminal's output",
        "in Ctrl+R it searches forward, as in a shell",
    ),
    Collision("ctrl+t", "swap two characters", "", "rare in shells; a new tab in browsers"),
    Collision("ctrl+u", "delete to the beginning", "", "as in a shell"),
    Collision(
        "ctrl+v",
        "insert a key as it is",
        "paste in some terminals",
        "pastes text, or else an image",
    ),
    Collision("ctrl+w", "delete a word", "", "as in a shell: closing is Alt+W"),
    Collision("ctrl+y", "insert what was deleted", "", "as in a shell"),
    Collision("ctrl+z", "to the shell", "", "in the prompt it undoes, elsewhere it suspends"),
    Collision("ctrl+underscore", "undo", "", "as in a shell"),
    Collision("alt+b", "a word left", "", "as in a shell"),
    Collision("alt+d", "delete a word", "", "as in a shell"),
    Collision("alt+f", "a word right", "menu of GNOME Terminal, if shown", "as in a shell"),
    Collision(
        "alt+e", "", "menu of GNOME Terminal, if shown", "for terminals that intercept Ctrl+G"
    ),
    Collision("alt+backspace", "delete a word", "", "as in a shell"),
    Collision("alt+slash", "complete a file's name", "", "/ is for search; a letter would be text"),
    Collision(
        "alt+enter",
        "",
        "full screen in Windows Terminal",
        "a new line; in Windows Terminal: Ctrl+J",
    ),
    Collision("alt+1", "repeat count", "tabs of GNOME Terminal", "tabs; or Ctrl+PgDn, Ctrl+O"),
    Collision("ctrl+pagedown", "", "tabs of many terminals", "tabs; where unavailable: Alt+1 to 9"),
    Collision("alt+u", "word in capitals", "", "u for undo; rare in shells"),
    Collision("alt+r", "undo all changes to the line", "", "rare in shells"),
    Collision("alt+n", "search forward", "", "rare in shells"),
    Collision("alt+p", "search back", "", "rare in shells; Ctrl+R searches"),
    Collision("f1", "", "help of GNOME Terminal", "help; also ? outside text"),
    Collision("f10", "", "menu of GNOME Terminal", "settings; also acp-tui config"),
    Collision("ctrl+enter", "", "only newer terminals send it", "elsewhere: Alt+G"),
]
_MEANT = [*PROMPT, *CONVERSATION, *SESSION_KEYS, *EVERYWHERE]


def done_by(key: str) -> str:
    """Return a key's action in the prompt, or else everywhere. Raises KeyError if it has none."""
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
    lines = [
        "# Keys",
        "",
        "To see the keys that work on the current screen, press F1. These are all keys:",
        "",
    ]
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
        "You can click every key on the screen: in the last row, in dialogs, and on the borders of questions. You can"
        " also click rows, tabs, links and folds. The wheel scrolls the area below the pointer. Alt+X lists the"
        " actions whose keys aren't shown.",
        "",
        "## Esc",
        "",
        "The last row calls Esc `back` if it only returns, as from lists and pages, and `cancel` if it gives up"
        " something, as in questions. Where Esc does anything else, the row names the action: `leave it held`.",
        "",
        "## Other keys",
        "",
        "You can change the keys of each table above that has a name in settings. On the left is the key in the"
        " table, on the right the key that you press instead. Separate several keys by commas; an empty text means no"
        " key. A change applies at once, wherever keys are shown. If a key would do two things, that is an error with"
        " its line and column, and no key changes; `acp-tui config` and `acp-tui doctor` report it, too. You can't"
        " change the keys that answer an agent's questions.",
        "",
        "```toml",
        'key_preset = "emacs"       # or "vim"; the lines below override it',
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
        "The prompt's keys are those of a shell's line editor (readline). The program's own actions have keys that are"
        " rarely used there: function keys, Alt with a letter, and a few with Ctrl. In tmux or screen, press the"
        " prefix twice to send it to acp-tui. Keys that the terminal reserves reach no program.",
        "",
        "| Key | In a shell | Also used by | In acp-tui | Why |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {printed_key(one.key)} | {one.readline} | {one.others} | {done_by(one.key)} | {one.why} |"
        for one in COLLISIONS
    ]
    return "\n".join(lines) + "\n"
