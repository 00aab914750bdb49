"""Four tours of half a minute: each makes a situation, names the keys, and ends with one's own agent."""

from acp_tui.demo_agent import texts, tour, work
from acp_tui.demo_agent.turn import DemoTurn, text_content

ONE_CUP = (
    ("once", "Yes, pour it", "allow_once"),
    ("no", "No, not now", "reject_once"),
)
HELD_TITLE = "Pour a second cup"


def wire(turn: DemoTurn, _words: str) -> None:
    """Read a file, so that there is a turn to look at on the wire."""
    turn.say("I read a file, so that there is something to see.\n\n")
    work.read_project_file(turn, "tea.py")
    turn.say(texts.WIRE_TOUR)


def findings(turn: DemoTurn, _words: str) -> None:
    """Break one rule of the protocol."""
    turn.say("I print a line that is no message, as a careless library does.\n\n")
    turn.client.write(b"npm warn deprecated left-pad@1.0.0\n")
    turn.pause(0.2)
    turn.say(texts.FINDINGS_TOUR)


def hold(turn: DemoTurn, _words: str) -> None:
    """Ask twice: the first question is there to be held from then on, the second to be edited."""
    turn.say(texts.HOLD_TOUR)
    _ask_permission(turn, "Pour a cup")
    _ask_permission(turn, HELD_TITLE)
    turn.say(texts.HOLD_TOUR_END.format(title=HELD_TITLE))


def _ask_permission(turn: DemoTurn, title: str) -> None:
    tool = turn.tool(title, "other")
    choice = work.ask_permission(turn, tool, [text_content("Only pretended.")], ONE_CUP)
    if choice == "once":
        tool.complete()
    else:
        tool.fail("Not allowed.")


def rewind(turn: DemoTurn, _words: str) -> None:
    """Change a file, so that there is something to take back."""
    source = work.read_project_file(turn, "tea.py")
    changed = tour.changed_source(source)
    if source is None or changed is None:
        turn.say("`tea.py` isn't in this folder: start me with `acp-tui demo`.\n")
        return
    turn.say("I change a file. Allow it with **1**:\n\n")
    if work.edit(turn, "tea.py", source, changed):
        turn.say(texts.REWIND_TOUR)
    else:
        turn.say("Then there is nothing to take back. Type `/rewind` to try again.\n")
