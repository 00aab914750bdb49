"""The tables of all keys, those that work everywhere and each feature's, in the order of help and
settings.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from textual.binding import Binding

from acp_tui.ui.conversation.bindings import CONVERSATION, SEARCH, TROUBLE
from acp_tui.ui.inspector.bindings import (
    ASK,
    COLUMNS,
    COMPARISON,
    COMPOSER,
    DETAIL,
    FRAMES,
    HELD_EDIT,
    HOLDING,
    INSPECTOR,
    NUMBERS,
    PANE,
    STATISTICS,
    WATERFALL,
)
from acp_tui.ui.keys import (
    CHOICES,
    CLIENT_PROFILE,
    DIFFERENCES,
    EXPORT,
    FIND,
    HELP,
    LAUNCHER,
    MATRIX,
    MOVED,
    NO_KEY,
    NOTICES,
    OPTIONS,
    PAGE,
    PICKER,
    RECORDED,
    REPLAY,
    REWIND_QUESTION,
    SESSIONS,
    SETTINGS,
    SIGN_IN,
    TURNS,
    bind_key,
    feature_action,
    printed_key,
)
from acp_tui.ui.prompt.bindings import PROMPT, QUEUE, RECALL
from acp_tui.ui.question.bindings import ELICITATION, QUESTION, RULES, TRUST
from acp_tui.ui.review.bindings import COMMENTS, FILES, UNDO
from acp_tui.ui.transcript.bindings import TRANSCRIPT

if TYPE_CHECKING:
    from textual.widget import Widget


EVERYWHERE = [
    bind_key("f1", "help", "Show all keys", priority=True),
    bind_key("question_mark", "help", "Show all keys (outside text)"),
    bind_key(
        "ctrl+q", feature_action("leaving.leave"), "Quit (agents can keep running)", priority=True
    ),
    bind_key(
        "ctrl+c", feature_action("leaving.copy_or_leave"), "Copy, clear or quit", priority=True
    ),
    bind_key(
        "shift+tab", feature_action("options.next_mode"), "Next mode of the agent", priority=True
    ),
    bind_key("alt+x", feature_action("palette.open"), "Search all actions", priority=True),
    bind_key("alt+o", feature_action("exports.ask"), "Export the session", priority=True),
    bind_key("f4", feature_action("options.open"), "Options: model, mode, sign-in", priority=True),
    bind_key("f7", feature_action("review.open"), "Changed files: diffs, undo", priority=True),
    bind_key(
        "f9", feature_action("review.undo_newest"), "Undo the agent's last write", priority=True
    ),
    bind_key("alt+u", feature_action("rewind.open"), "Rewind; also Esc Esc", priority=True),
    bind_key(
        "alt+p", feature_action("rules.open"), "Permission rules: list, revoke", priority=True
    ),
    bind_key("f8", feature_action("notices.open"), "Notifications", priority=True),
    bind_key("f3", feature_action("themes.open"), "Themes: preview, choose", priority=True),
    bind_key("f10", feature_action("settings.open"), "Settings: search, change", priority=True),
    bind_key("f12", feature_action("inspector.toggle"), "Protocol messages", priority=True),
    bind_key(
        "shift+f12",
        feature_action("inspector.toggle_pane"),
        "Show protocol messages alongside",
        priority=True,
    ),
    bind_key(
        "f24", feature_action("inspector.toggle_pane"), "", priority=True
    ),  # what many terminals send for Shift+F12
    bind_key("ctrl+z", "stop", "Suspend; in the prompt: undo"),
    bind_key("f5,ctrl+l", "redraw", "Redraw the screen", priority=True),
    bind_key(
        "alt+a",
        feature_action("agents.restart"),
        "Restart an agent that is gone or stuck",
        priority=True,
    ),
]
SESSION_KEYS = [
    bind_key(
        "ctrl+o",
        feature_action("sessions.open_picker"),
        "Sessions: open, resume, delete",
        priority=True,
    ),
    bind_key("ctrl+t", feature_action("sessions.new"), "New session (choose agent)", priority=True),
    bind_key(
        "alt+t",
        feature_action("session_start.choose"),
        "New session, options first (--unstable)",
        priority=True,
    ),
    bind_key(
        "alt+n", feature_action("agents.choose"), "Start or choose another agent", priority=True
    ),
    bind_key("alt+w", feature_action("sessions.close_shown"), "Close the session", priority=True),
    bind_key("alt+shift+w", feature_action("sessions.reopen"), "Reopen closed tab", priority=True),
    bind_key("ctrl+w", feature_action("sessions.name_closing_key"), ""),
    bind_key("ctrl+pagedown", feature_action("sessions.step", 1), "Next session", priority=True),
    bind_key("ctrl+pageup", feature_action("sessions.step", -1), "Previous session", priority=True),
    bind_key(
        "ctrl+s", feature_action("sessions.go_to_question"), "Go to waiting question", priority=True
    ),
    *(
        bind_key(
            f"alt+{number}",
            feature_action("sessions.show_number", number),
            "Session by number",
            priority=True,
        )
        for number in range(1, 10)
    ),
]
NOT_IN_DIALOGS = {
    "options.next_mode",
    "options.open",
    "settings.open",
    "agents.restart",
    "inspector.toggle_pane",
    "exports.ask",
    "palette.open",
    "reruns.send",
    "reruns.compare",
    "review.open",
    "review.undo_newest",
    "rewind.open",
    "sessions.open_picker",
    "sessions.new",
    "session_start.choose",
    "sessions.close_shown",
    "sessions.reopen",
    "sessions.step",
    "sessions.show_number",
    "sessions.go_to_question",
    "agents.choose",
    "notices.open",
    "rules.open",
}
"""Actions that are unavailable while a dialog is open: it may use these keys itself, and only one
is open at a time, apart from the help, the palette's actions, and the dialogs that these open.
"""
PLACES = {
    "everywhere": EVERYWHERE,
    "sessions": SESSION_KEYS,
    "conversation": CONVERSATION,
    "prompt": PROMPT,
    "queue": QUEUE,
    "transcript": TRANSCRIPT,
    "search": SEARCH,
    "lists": PICKER,
    "settings": SETTINGS,
    "recall": RECALL,
    "find": FIND,
    "launcher": LAUNCHER,
    "matrix": MATRIX,
    "session-list": SESSIONS,
    "changed-files": FILES,
    "comments": COMMENTS,
    "turns": TURNS,
    "rules": RULES,
    "notices": NOTICES,
    "differences": DIFFERENCES,
    "comparison": COMPARISON,
    "frames": FRAMES,
    "frame": DETAIL,
    "inspector": INSPECTOR,
    "pane": PANE,
    "held": HOLDING,
    "waterfall": WATERFALL,
    "numbers": STATISTICS,
    "all-numbers": NUMBERS,
    "composer": COMPOSER,
    "replay": REPLAY,
    "help": HELP,
    "page": PAGE,
    "recorded": RECORDED,
    "columns": COLUMNS,
}
"""The tables whose keys can be rebound. Those of questions can't: the keys that answer an agent
never change.
"""
PLAIN = (
    *("lists", "help", "page", "notices", "differences", "comparison", "columns", "numbers"),
    *("waterfall", "all-numbers", "recorded"),
)
"""Places whose keys only move, choose and close."""


class Section(NamedTuple):
    """The keys of one section of the help."""

    title: str
    bindings: list[Binding]
    table: list[Binding] | None = None
    """The place's whole table, if `bindings` is only a part of it."""


_OF_SHELLS = (
    "delete_word",
    "kill(",
    "yank",
    "cursor_word",
    "cursor_line_",
    "cursor_left",
    "cursor_right",
)
"""Prefixes of actions whose keys are the same in any shell: the help lists them further below."""


def key_sections(topic: str = "") -> list[Section]:
    """Return the sections of the help; those of `topic` and its parts come first."""
    found = [
        Section("Everywhere", EVERYWHERE),
        Section("Sessions", SESSION_KEYS),
        Section("Conversation", CONVERSATION),
        Section("Prompt", [one for one in PROMPT if not one.action.startswith(_OF_SHELLS)], PROMPT),
        Section("Queue", QUEUE),
        Section("Transcript", TRANSCRIPT),
        Section("Search", SEARCH),
        Section("Question of the agent, while nothing is written", QUESTION),
        Section(
            "Prompt: writing, as in any shell",
            [one for one in PROMPT if one.action.startswith(_OF_SHELLS)],
        ),
        Section("Form of the agent", [*ELICITATION, *OPTIONS]),
        Section("Dialogs with a choice", CHOICES),
        Section("Sign-in", SIGN_IN),
        Section("MCP servers of a project", TRUST),
        Section("List of sessions", SESSIONS),
        Section("Settings", SETTINGS[len(PICKER) :]),
        Section("Sent prompts", RECALL[len(PICKER) :]),
        Section("Permission rules", RULES),
        Section("Changed files", FILES),
        Section("Comments on changed files", COMMENTS),
        Section("Undo a write", UNDO[:-1]),
        Section("Rewind", [*TURNS, *REWIND_QUESTION[:-1]]),
        Section("Conversation from a recording", RECORDED),
        Section("Differences", DIFFERENCES),
        Section("Frame comparison", COMPARISON),
        Section("Export", EXPORT),
        Section("Agent in trouble", TROUBLE),
        Section("Inspector", INSPECTOR),
        Section("Inspector: messages", FRAMES),
        Section("Inspector: one frame", DETAIL),
        Section("Inspector: filter", ASK),
        Section("Where the time went", WATERFALL),
        Section("Numbers", STATISTICS),
        Section("Statistics of all recordings", NUMBERS),
        Section("Composer", COMPOSER),
        Section("Inspector: what is held", HOLDING),
        Section("Inspector: edit what is held", HELD_EDIT),
        Section("Be another client", CLIENT_PROFILE),
        Section("Protocol messages alongside", PANE),
        Section("Replay (acp-tui replay)", REPLAY),
        Section("Launcher (acp-tui alone)", LAUNCHER),
        Section("Search in all recordings (acp-tui find)", FIND),
        Section("Agents side by side (acp-tui matrix)", MATRIX),
    ]
    return sorted(found, key=lambda one: not _is_of(one.title, topic))


def _is_of(title: str, topic: str) -> bool:
    """Return whether a section is `topic` or a part of it, not just one whose title begins the same
    way.
    """
    suffix = title.removeprefix(topic).lstrip()
    return bool(topic) and title.startswith(topic) and suffix[:1] in ("", ",", ":", "(")


_PROGRAMS = (LAUNCHER, FIND, MATRIX, REPLAY)
"""Tables of keys that only separate programs have. Each of these programs is a single screen,
except a replay.
"""


def sections_here(topic: str, *, is_alone: bool) -> list[Section]:
    """Return the sections of the running program: with `is_alone`, those of its only screen;
    otherwise those of the main program. Either begin with the topic.
    """
    if is_alone:
        return [one for one in key_sections() if _is_of(one.title, topic)]
    return [
        one
        for one in key_sections(topic)
        if _is_of(one.title, topic) or not any(one.bindings is own for own in _PROGRAMS)
    ]


def section_of(widget: "Widget | None") -> str:
    """Return the section title of a widget or its nearest ancestor with keys, or ""."""
    tables = [one.BINDINGS for one in widget.ancestors_with_self] if widget is not None else []
    titles = (
        one.title
        for table in tables
        for one in key_sections()
        if (one.table or one.bindings) is table
    )
    return next(titles, "")


def has_palette_actions(screen: "Widget") -> bool:
    """Return whether the palette has actions for a screen other than moving, choosing and closing."""
    return any(table is screen.BINDINGS for name, table in PLACES.items() if name not in PLAIN)


def key_rows(bindings: Iterable[Binding]) -> list[tuple[str, str]]:
    """Return the printed keys and the description of each action; keys of the same action share a
    row.
    """
    keys: dict[str, list[str]] = {}
    for binding in bindings:
        if binding.description:
            pressed = (key for key in binding.key.split(",") if key != NO_KEY)
            keys.setdefault(binding.description, []).extend(pressed)
    return [(_join_keys(names), words) for words, names in keys.items() if names]


def _join_keys(names: list[str]) -> str:
    if len(names) > 6:
        return f"{printed_key(names[0])} to {printed_key(names[-1])}"
    return ", ".join(map(printed_key, dict.fromkeys(names)))


def places_of(widget: "Widget | None") -> list[str]:
    """Return the places whose keys reach a widget, its own first; none if no key was rebound."""
    if not MOVED or widget is None:
        return []
    tables = [one.BINDINGS for one in widget.ancestors_with_self]
    return [place for table in tables for place, one in PLACES.items() if one is table]
