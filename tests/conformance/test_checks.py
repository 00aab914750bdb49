"""What a client must do, as a list, and that each point of it is held by a test.

Tests say by `@pytest.mark.check(number, ...)` which points they hold: run with a client in this
process, by `acp-tui run`, and for what needs a person also in the terminal (`test_tui.py`). Those of
version 2 are held where its models are folded, and by clients with real processes.
"""

import re
from pathlib import Path

CHECKS = {
    1: "initialize comes first, with version 1",
    2: "the client gives its name and version",
    3: "one message a line, UTF-8, whatever the text",
    4: "nothing else before initialize is answered",
    5: "another version closes the connection, and both are named",
    6: "a minimal agent gets only what every agent supports",
    7: "load names the session, its absolute folder and the servers",
    8: "no load where it is not offered, and a word about it",
    9: "an absolute folder, always servers, directories only where taken",
    10: "servers of a kind that is not taken are left out; commands are absolute",
    11: "authenticate by a method of the list, then the session again",
    12: "a terminal method is run, never sent",
    13: "terminal sign-in is claimed only with a terminal",
    14: "updates before the answer to session/new are kept",
    15: "updates for unknown sessions are not answered",
    16: "unknown notifications are not answered",
    17: "unknown extensions get -32601, by the id as it came",
    18: "unknown methods get -32601",
    19: "what was not claimed is not served",
    20: "files are read by absolute path and by lines",
    21: "files are created; outside the folder a person is asked",
    22: "no files for an unknown session",
    23: "a permission is answered once, by an offered option",
    24: "two permissions are answered in any order",
    25: "a cancel answers every permission",
    26: "a permission after the cancel is cancelled at once",
    27: "late updates count, and the next turn works",
    28: "an error to a cancelled prompt ends the turn only",
    29: "a cancel is a notification",
    30: "cancelled requests are answered once, unknown ones not at all",
    31: "a terminal is there at once, and waiting for it blocks nothing",
    32: "arguments, environment and folder of a terminal are as given",
    33: "the output limit keeps the end, from a whole character on",
    34: "the exit status is there after the exit",
    35: "killed, a terminal still tells; released, nothing is left of it",
    36: "noise on stdout is survived, and not answered",
    37: "unknown kinds are survived; both spellings of a mode count",
    38: "options are set by their types; where there are options, modes are not",
    39: "lists are followed to their end; a history is shown once",
    40: "questions are accepted, declined, cancelled; links are not opened unasked",
    41: "an agent that dies in a turn is told of, with its last words",
    42: "a flood on stderr blocks nothing",
    43: "on leaving: stdin closed, SIGTERM, SIGKILL; nothing is left",
    44: "a batch gets one error",
    45: "odd answers are ignored and counted",
    46: "ids are not used again",
    47: "no fields of our own at the root",
    48: "a sign-in of an unknown kind is driven by the agent",
    49: "a logout only where offered; what is refused then leads to a sign-in",
    50: "load, resume and fork name the directories again",
    51: "close, delete and fork only where offered",
    52: "what is gone already is closed and deleted",
    53: "modes are of the list, and set in a turn, too",
    54: "an option of an unknown type is left alone",
    55: "a refusal is said to take its prompt out of the conversation",
    56: "a cancel marks what has not finished",
    57: "chunks of one id are one message",
    58: "what an update leaves out stays; null clears where it may",
    59: "plans, commands and options come whole",
    60: "notices and compactions are kept as they are patched",
    61: "usage is that of the last word",
    62: "a question without options is cancelled",
    63: "what a released terminal printed stays in sight",
    64: "a form names the agent; it is declined and cancelled by a key",
    65: "a question about a request of ours ends with it",
    66: "archives, titles and status only where offered and asked for",
    67: "a subagent is the agent's own",
    68: "providers are set and disabled, but for those that are required",
    69: "a trace goes with every request",
    70: "whose accounts an agent has is not handed on",
}
CHECKS_2 = {
    101: "version 2 is asked in its own form, and known by the form of the answer",
    102: "an agent that knows only version 1 is asked again in it, and that is said",
    103: "version 1 is asked in its own form only",
    104: "where only version 2 is wanted, another one ends the connection",
    105: "no files and no commands are claimed, and none are served",
    106: "a sign-in is auth/login, and what was refused is asked again",
    107: "a session is loaded by a resume from its start",
    108: "after a restart a session is resumed without its history",
    109: "a session brings its options and commands",
    110: "options have their own names in version 2",
    111: "a prompt is only accepted by its answer; the turn ends when the agent is idle",
    112: "a state of before ends no turn, nor does one that isn't known",
    113: "why a turn ended is told, with the data of its error",
    114: "work that nobody asked for is shown, and ends",
    115: "what goes on in the background is a snapshot",
    116: "a prompt into work that goes on ends with it",
    117: "a cancel leaves to the agent what became of each tool call",
    118: "what interrupts a turn is sent when the agent is idle",
    119: "an agent that dies in a turn does no more, and that is told",
    120: "pieces are appended to the message of their id, wherever it stands",
    121: "a message is left, cleared or replaced, also in a later turn",
    122: "the echo of a prompt is shown once, in the agent's words",
    123: "a prompt without an echo stays as it was sent",
    124: "a malformed update of a known kind is kept as it came, and changes nothing",
    125: "a tool call's fields are left, cleared or replaced",
    126: "pieces are appended to the content of a tool call, also of a new one",
    127: "what is paused may go on; what is canceled is over",
    128: "only what offers it is stopped alone",
    129: "values that are new are kept, and taken for no less than they may be",
    130: "the hunks of a patch are diffs, and changes of files are told in words",
    131: "pieces of a terminal's output are decoded each by itself, and may split a character",
    132: "a snapshot replaces a terminal's output, and pieces go on after it",
    133: "a terminal has exited once that is told, even if nobody knows how",
    134: "what is no base64 is kept as it came",
    135: "terminals of sessions stay apart",
    136: "a question updates the tool call that it is about",
    137: "a command that is asked about is judged as a command",
    138: "a subject that isn't known is never clear",
    139: "no outcome but selected is approval",
    140: "rules are as strict as in version 1",
    141: "a malformed question is none",
    142: "a plan replaces the one of its id",
    143: "a history that isn't shown twice still tells what goes on",
    144: "files that move or are binary are listed with what happened",
}
"""What only version 2 asks of a client. What it has in common with version 1 is held by the tests of
that: both go by one state, and one connection.
"""


def held() -> set[int]:
    """The points that tests say they hold."""
    found = set()
    for file in Path(__file__).parents[1].rglob("test_*.py"):
        for numbers in re.findall(
            r"^@pytest\.mark\.check\(([\d, ]+)\)$", file.read_text(), re.MULTILINE
        ):
            found |= set(map(int, numbers.split(",")))
    return found


def test_each_point_is_held_by_a_test() -> None:
    assert held() == {*CHECKS, *CHECKS_2}
