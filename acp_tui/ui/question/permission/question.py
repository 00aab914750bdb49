"""Draws a permission request as lines: the asking agent, the subject, and everything to judge it
by.
"""

from collections.abc import Iterable, Iterator, Sequence

from acp_tui.edits.edit_review import OUTSIDE, not_compared
from acp_tui.edits.shown_changes import JoinedContent, Renamed, join_renames
from acp_tui.host.session_names import for_subagent, session_name
from acp_tui.policy.rules import ruling_words
from acp_tui.protocol.content import Diff
from acp_tui.protocol.file_events import FileOperation
from acp_tui.protocol.requests import PermissionOption
from acp_tui.protocol.updates import ToolCallLocation
from acp_tui.state.edit_facts import derived_diffs, edit_remarks, shown_diffs
from acp_tui.state.input_parts import InputParts, covers_words, input_parts
from acp_tui.state.open_questions import Permission
from acp_tui.state.request_facts import paths_outside, permission_facts
from acp_tui.state.state import State
from acp_tui.state.subject import (
    ANNOUNCED,
    ANNOUNCED_KIND,
    ITS_COMMAND,
    NOT_SAID,
    OTHER_COMMAND,
    LeftOutParts,
    asked_about,
    commands_in_terminals,
    files_of,
    folder_words,
    left_out_of,
    names_what_is_written,
    own_and_announced,
    place_words,
)
from acp_tui.state.subject_parts import changed_since_asked
from acp_tui.text import clean_line, one_line, quote_signs, whole_line
from acp_tui.ui.diff import edit_facts
from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.diff.header import NO_PARTS
from acp_tui.ui.lines.stack import Named, Shortened, StackPart
from acp_tui.ui.question.permission.body import QuestionBody
from acp_tui.ui.question.permission.parts import (
    IN,
    SHORT_PATH,
    agent_words,
    content_parts,
    diff_heading,
    judged_words,
    names_only_its_place,
    names_place,
    other_input,
    own_words,
)
from acp_tui.ui.toolkit.choice_rows import AnswerChoice
from acp_tui.ui.toolkit.shortened import crop_text

NAME = 40
"""Most characters of a session's name."""
TITLE_ROWS = 2
"""Most rows of a question's title; a longer one is shown in full at the end."""
CALL_ROWS = 1
"""Most rows of a tool call's title below that of its question."""
DESCRIPTION_ROWS = 1
"""Most rows of the description; a longer one is shown in full at the end."""
TITLE = 40
"""Characters from which a title may take more rows than are shown at first."""
LOCATIONS = 8
"""Locations listed at the top of a question; the rest follows at its end. Changed files are all at
the top.
"""
ONE_ROW = 65
"""Most characters of a kind and its only path in one row."""
PLACE = 72
"""Most characters about the place where an agent runs."""

_KINDS = {
    "allow_once": ("✓", "once", "$success"),
    "allow_always": ("✓", "always", "$success"),
    "reject_once": ("✗", "once", "$error"),
    "reject_always": ("✗", "always", "$error"),
}


def asker_and_subject(agent: str, state: State, permission: Permission) -> str:
    """Return a line with the asking agent and the subject; `agent` is its display name."""
    if permission.access is not None:
        verb = permission.access.operation.value
        asked = f"{verb.capitalize()} a file outside the working directory?"
        if permission.access.operation is FileOperation.RUN:
            asked = "Run a command?"
        elif not permission.access.outside:
            changed = permission.access.changed
            asked = (
                "Overwrite a file that has changed?" if changed else f"{verb.capitalize()} a file?"
            )
    else:
        asked = f"{agent} asks for permission"
    return asked + _session(state, permission)


def _session(state: State, permission: Permission) -> str:
    """Return the name of the subagent, or of the session if there are several; else ""."""
    if asker := for_subagent(state, permission.session_id):
        return crop_text(asker, NAME)
    if len(state.open_sessions()) < 2:
        return ""
    return f" in {crop_text(session_name(state, state.session(permission.session_id)), NAME)}"


def answer_choices(options: Iterable[PermissionOption]) -> list[AnswerChoice]:
    """Return the options in the agent's order, with signs for their kinds, and how long they hold
    if that differs.
    """
    found = [(option, *_KINDS.get(option.kind, ("•", "", "$foreground"))) for option in options]
    differ = len({often for _, _, often, _ in found}) > 1
    return [
        AnswerChoice(
            quote_signs(one_line(option.name or option.option_id)),
            f"{sign} {often} " if differ or often == "always" else sign,
            style,
        )
        for option, sign, often, style in found
    ]


def marked_first(options: Iterable[PermissionOption]) -> int | None:
    """Return the index of the option that Enter chooses at first: allow once, else reject once,
    never "always".
    """
    kinds = [option.kind for option in options]
    return next(
        (kinds.index(kind) for kind in ("allow_once", "reject_once") if kind in kinds), None
    )


def question_body(state: State, permission: Permission, width: int) -> QuestionBody:
    """Return the body to judge a permission request by, for rows of `width` cells."""
    if permission.access:
        return QuestionBody(_access(state, permission))
    return QuestionBody(_tool_call(state, permission, width))


def _access(state: State, permission: Permission) -> Iterator[Named]:
    access = permission.access
    assert access is not None
    cwd = state.session(permission.session_id).cwd or state.peer.cwd
    agent = clean_line(state.peer.name)
    runs = access.operation is FileOperation.RUN
    what = "command" if runs else "file"
    yield own_words(f"{agent} wants to {access.operation.value} this {what}:")
    yield Named(
        StackPart(judged_words(access.path, "strong"), indent=2), "command" if runs else "path"
    )
    if permission.rule:
        yield own_words(ruling_words("Asked", permission.rule))
    if runs:
        yield own_words(folder_words(access.folder))
    elif access.outside:
        yield own_words("It is outside the session's working directory:")
        yield Named(StackPart(judged_words(cwd, "text"), indent=2))
    yield from _where(state)
    if access.changed:
        words = "⚠ It has changed on disk since the agent last read or wrote it."
        yield own_words(words, "warning")
    if access.content is not None:
        diff = Diff(path=access.path, old_text=access.old_content, new_text=access.content)
        yield Named(StackPart(DiffLines(diff, cwd=cwd, judged=True), gap=1), "diff")


def _where(state: State) -> Iterator[Named]:
    """Yield the place where the agent runs, cropped to a row; the first screen shows it in full."""
    if state.peer.process.place:
        yield own_words(crop_text(place_words(state.peer), PLACE), "accent")


def _tool_call(state: State, permission: Permission, width: int) -> Iterator[Named]:
    """Yield everything about a tool call, from commands and paths to edits and the rest of its
    input.
    """
    session = state.session(permission.session_id)
    call = asked_about(session, permission)
    title = call.title or permission.title or call.tool_call_id
    own, announced = own_and_announced(session, permission)
    shown, left_out = join_renames(own), join_renames(announced)
    call_input = input_parts(call.kind, call.raw_input, shown_diffs(call))
    names_run = call.title or not permission.title
    runs_title = (
        call.kind == "execute" and not call_input.commands and not call.raw_input and names_run
    )
    is_redundant = names_only_its_place(call) or _is_title_redundant(
        title, permission, call_input, call.kind
    )
    head = diff_heading(call, session.cwd, width) if not call_input.commands else None
    files = _files([*shown, *left_out, *derived_diffs(call)])
    named = dict.fromkeys(
        [*_with_lines(files, call.locations), *map(_format_location, call.locations)]
    )
    places = [quote_signs(one_line(place)) for place in named]
    most = max(LOCATIONS, len(files))
    yield from _own_title(permission, headed=head is not None and head.has_title)
    altered = changed_since_asked(session, permission)
    if altered:
        yield own_words(f"⚠ The agent has changed this since it asked: {altered}", "warning")
    if not names_what_is_written(call):
        yield own_words(f"⚠ {NOT_SAID}", "warning")
    if runs_title:
        yield Named(StackPart(judged_words(title, "strong")), "command")
    elif not is_redundant and not (head and head.has_title):
        rows = CALL_ROWS if permission.title else TITLE_ROWS
        yield Named(StackPart(_Title(judged_words(quote_signs(title), "strong"), rows)))
    if head is None:
        is_titled = len(places) == 1 and not is_redundant and names_place(title, places[0], width)
        yield from _run_and_places(call.kind, call_input, [] if is_titled else places, most)
    yield from _announced(left_out_of(session, permission))
    yield from _in_terminals(state, permission, asks=bool(call_input.commands))
    yield from _where(state)
    if permission.rule:
        yield own_words(ruling_words("Asked", permission.rule))
    far = paths_outside(session, permission_facts(session, permission).paths)
    unread = {not_compared(one_line(path), OUTSIDE): path for path in far[:LOCATIONS]}
    reported_with_place = unread.keys() & {words for words, _ in edit_remarks(call)}
    yield from _outside(far, {unread[words] for words in reported_with_place})
    for path in permission.changed:
        words = f"⚠ {one_line(path)} has changed on disk since the agent last read or wrote it."
        yield own_words(words, "warning")
    for lines in edit_facts.list_remarks(call, excluded=reported_with_place):
        yield Named(StackPart(lines))
    if permission.description:
        yield Named(
            StackPart(_Description(judged_words(permission.description), DESCRIPTION_ROWS), IN)
        )
    for item in shown:
        yield from content_parts(item, call, session.cwd, head.around if head else NO_PARTS)
    if left_out:
        yield own_words(ANNOUNCED, gap=1)
    for item in left_out:
        yield from content_parts(item, call, session.cwd, head.around if head else NO_PARTS)
    for label, diff in edit_facts.list_derived_diffs(call, session.cwd):
        yield Named(StackPart(label, gap=1))
        yield Named(StackPart(diff), "diff")
    yield from other_input(call_input.rest, call_input.asides)
    if len(title) > TITLE and not runs_title and not names_only_its_place(call):
        yield own_words("The whole title:", gap=1)
        yield Named(agent_words(title))
    yield from _uncut_texts(permission, title)
    if len(places) > most:
        yield own_words(f"All {len(places)} places:", gap=1)
        yield Named(agent_words("\n".join(places)), "places")


def _files(items: Sequence[JoinedContent]) -> list[str]:
    """Return the files that must be named above all changes: all of several, as they may be far
    below, or one whose name is cut in its own header.
    """
    changes = [found for item in items if (found := _files_of(item))]
    paths = dict.fromkeys(path for found in changes for path in found)
    return [path for path in paths if len(changes) > 1 or len(path) > SHORT_PATH]


def _with_lines(files: Iterable[str], locations: Iterable[ToolCallLocation]) -> list[str]:
    lines = {one.path: _format_location(one) for one in locations}
    return [lines.get(path, path) for path in files]


def _files_of(item: JoinedContent) -> list[str]:
    return [item.source, item.diff.path] if isinstance(item, Renamed) else files_of(item)


def _is_title_redundant(
    title: str, permission: Permission, call_input: InputParts, kind: str
) -> bool:
    """Return whether the kind, the request's title or a command already includes the title."""
    bare = title.strip(" `\n")
    return (
        bare == kind
        or title == permission.title
        or any(covers_words(one, bare) for one in call_input.commands)
    )


def _own_title(permission: Permission, *, headed: bool) -> Iterator[Named]:
    """Yield the question's own title, unless the diff is `headed` by the same title."""
    call = permission.tool_call
    if permission.title and not (headed and call is not None and call.title == permission.title):
        yield Named(
            StackPart(_Title(judged_words(quote_signs(permission.title), "strong"), TITLE_ROWS))
        )
    if not permission.kind_known:
        yield own_words("⚠ What this would do is not in a form that acp-tui knows.", "warning")


def _uncut_texts(permission: Permission, title: str) -> Iterator[Named]:
    """Yield in full the texts that may be cut off above."""
    titles = [permission.title] if permission.title != title else []
    for words in (*titles, permission.description):
        if len(words) > TITLE:
            yield own_words("The whole text:", gap=1)
            yield Named(agent_words(words))


def _run_and_places(
    kind: str, call_input: InputParts, places: list[str], most: int
) -> Iterator[Named]:
    """Yield the kind, the commands and the paths, in one row if they fit. The folder is named once."""
    first = kind if call_input.folder is None else f"{kind} {folder_words(call_input.folder)}"
    places = [
        one for one in places if call_input.folder is None or one != one_line(call_input.folder)
    ]
    one_row = len(places) == 1 and len(first) + len(places[0]) <= ONE_ROW
    yield own_words(f"{first} · {places[0]}" if one_row else first)
    for command in call_input.commands:
        yield Named(StackPart(judged_words(command, "strong", mark="$ ")), "command")
    if places and not one_row:
        yield from _places(places, most)


def _announced(left_out: LeftOutParts) -> Iterator[Named]:
    """Yield the announced kind, commands and paths that the question leaves out."""
    if left_out.kind:
        yield own_words(f"⚠ {ANNOUNCED_KIND} {left_out.kind}", "warning")
    if left_out.commands or left_out.places:
        yield own_words(f"⚠ {ANNOUNCED}", "warning")
    for command in left_out.commands:
        yield Named(StackPart(judged_words(command, "strong", mark="$ ")), "command")
    for place in left_out.places:
        yield Named(agent_words(whole_line(place), "strong"), "path")


def _in_terminals(state: State, permission: Permission, *, asks: bool) -> Iterator[Named]:
    """Yield the commands of the terminals that the request refers to, except the command that it
    asks about.
    """
    for command in commands_in_terminals(state, permission):
        yield own_words(OTHER_COMMAND, "warning") if asks else own_words(ITS_COMMAND)
        yield Named(StackPart(judged_words(command, "strong", mark="$ ")), "command")


class _Title(Shortened):
    """The first rows of a title; a long one is shown in full at the end, too."""

    def _hint(self) -> str:
        return "… (the whole title: at the end)"


class _Description(Shortened):
    """The first rows of a question's description."""

    def _hint(self) -> str:
        return "… (the whole text: at the end)"


def _format_location(location: ToolCallLocation) -> str:
    return location.path if location.line is None else f"{location.path}:{location.line}"


def _places(places: list[str], most: int) -> Iterator[Named]:
    """Yield the locations of a tool call, up to the first `most`."""
    shown = places[:most]
    if len(places) > most:
        shown.append(f"and {len(places) - most} more: at the end")
    yield own_words("\n".join(shown))


def _outside(paths: list[str], unread: set[str]) -> Iterator[Named]:
    """Yield warnings about paths outside the session's folders; `unread` ones were not compared for
    that reason.
    """
    for path in paths[:LOCATIONS]:
        so = ", so not compared" if path in unread else ""
        yield own_words(f"⚠ outside the session's folder{so}: {one_line(path)}", "warning")
    if len(paths) > LOCATIONS:
        yield own_words(f"⚠ and {len(paths) - LOCATIONS} more outside", "warning")
