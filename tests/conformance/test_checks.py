"""What a client must do, as a list, and that each point of it is held by a test.

Tests say by `@pytest.mark.check(number, ...)` which points they hold: run with a client in this
process, by `acp-tui run`, and for what needs a person also in the terminal (`test_tui.py`).
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
    assert held() == set(CHECKS)
