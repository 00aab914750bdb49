"""The scripted tour: a turn that fixes a small bug and shows everything on the way; and the short
guided tours.
"""

from acp_tui.demo_agent import texts, work
from acp_tui.demo_agent.turn import DemoTurn, text_content

FRAGILE = "    minutes = MINUTES[tea]\n"
FORGIVING = "    minutes = MINUTES.get(tea, 3)  # most leaves like three\n"
STEPS = (
    ("Read what is there", "high"),
    ("Make `tea.py` kind to unknown teas", "high"),
    ("Run the checks", "medium"),
    ("Look around and sum up", "low"),
)


def play_tour(turn: DemoTurn, _words: str = "") -> None:
    """Play the whole tour."""
    turn.say(texts.WELCOME)
    turn.update("session_info_update", title="A tour of acp-tui")
    _usage(turn)
    turn.think(
        "They want to see everything. A bug, a fix and a check will show most of it. "
        "First I read, then I ask, then I write."
    )
    progress(turn, 0)
    source = work.read_project_file(turn)
    progress(turn, 1)
    _fix(turn, source)
    progress(turn, 2)
    _run_check(turn)
    progress(turn, 3)
    search(turn)
    missing(turn)
    turn.say(texts.MARKDOWN + "\n")
    progress(turn, 4)
    notice(turn)
    _usage(turn)
    turn.say(texts.FAREWELL)


def progress(turn: DemoTurn, done: int) -> None:
    """Show the plan with its first `done` steps completed."""
    status = ["completed"] * done + ["in_progress"] + ["pending"] * len(STEPS)
    turn.plan(*((step, priority, status[at]) for at, (step, priority) in enumerate(STEPS)))
    turn.pause(0.2)


def _fix(turn: DemoTurn, source: str | None) -> None:
    changed = changed_source(source)
    if source is None or changed is None:
        turn.say(
            "The tea timer is not in this folder, and your own files are none of my "
            "business, so I skip the edit. `acp-tui demo` gives me a folder to play in.\n\n"
        )
        return
    if FRAGILE in source:
        why = "An unknown tea raises a `KeyError`. Here is my fix"
    else:
        why = "I fixed this on an earlier tour, so now I put the bug back"
    turn.say(f"{why}; **you** decide:\n\n" if work.would_ask(turn.session) else f"{why}:\n\n")
    written = work.edit(turn, "tea.py", source, changed)
    turn.say("Done.\n\n" if written else "Fine, I leave the file alone.\n\n")


def changed_source(source: str | None) -> str | None:
    """Return the sample with its bug fixed, or put back; None for any other text."""
    if source is None or (FRAGILE not in source and FORGIVING not in source):
        return None
    if FRAGILE in source:
        return source.replace(FRAGILE, FORGIVING)
    return source.replace(FORGIVING, FRAGILE)


def _run_check(turn: DemoTurn) -> None:
    turn.say("Now the checks, in a terminal that the client runs for me:\n\n")
    code = work.run_checks(turn)
    if code == 0:
        turn.say("All green.\n\n")
    elif code is not None:
        turn.say("Not all green: the bug is in there.\n\n")


def search(turn: DemoTurn) -> None:
    """Show a search whose locations can be opened."""
    path = turn.session.path
    tool = turn.tool(
        "Search for brew_time",
        "search",
        rawInput={"pattern": "brew_time", "path": turn.session.cwd},
    )
    tool.start()
    turn.pause(0.2)
    tool.complete(
        locations=[{"path": path("tea.py"), "line": 6}, {"path": path("test_tea.py"), "line": 5}],
        content=[text_content("- `tea.py:6` defines it\n- `test_tea.py:5` imports it")],
        rawOutput={"matches": 2},
    )


def missing(turn: DemoTurn) -> None:
    """Show a tool call that fails."""
    tool = turn.tool("Fetch https://example.invalid/teas.json", "fetch", rawInput={"timeout": 5})
    tool.start()
    turn.pause(0.3)
    tool.fail(
        "No such host: `example.invalid`. (I never tried: this demo has no network. "
        "Failed calls stand out, so that you don't miss them.)",
        rawOutput={"error": "ENOTFOUND"},
    )


def notice(turn: DemoTurn) -> None:
    """Send a notice, if the client supports it."""
    if turn.client.version == 2 or turn.offers("session", "notices"):
        turn.update(
            "notice",
            severity="info",
            title="The tea is ready",
            description="A notice: the agent reports it, but it isn't part of the conversation.",
        )


def _usage(turn: DemoTurn) -> None:
    used = 12_000 + turn.session.tokens
    turn.update(
        "usage_update",
        used=used,
        size=200_000,
        cost={"amount": round(used * 0.000003, 4), "currency": "USD"},
    )


ONE_CUP = (
    ("once", "Yes, pour it", "allow_once"),
    ("no", "No, not now", "reject_once"),
)
HELD_TITLE = "Pour a second cup"


def wire(turn: DemoTurn, _words: str) -> None:
    """Read a file, so that the inspector has a turn to show."""
    turn.say("I read a file, so that there is something to see.\n\n")
    work.read_project_file(turn)
    turn.say(texts.WIRE_TOUR)


def findings(turn: DemoTurn, _words: str) -> None:
    """Break a rule of the protocol."""
    turn.say("I print a line that is no message, as a careless library does.\n\n")
    turn.client.write(b"npm warn deprecated left-pad@1.0.0\n")
    turn.pause(0.2)
    turn.say(texts.FINDINGS_TOUR)


def hold(turn: DemoTurn, _words: str) -> None:
    """Ask twice: the user sets a breakpoint during the first question, and edits the second."""
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
    """Change a file, so that there is something to rewind."""
    source = work.read_project_file(turn)
    changed = changed_source(source)
    if source is None or changed is None:
        turn.say("`tea.py` isn't in this folder: start me with `acp-tui demo`.\n")
        return
    turn.say("I change a file. Allow it with **1**:\n\n")
    if work.edit(turn, "tea.py", source, changed):
        turn.say(texts.REWIND_TOUR)
    else:
        turn.say("Then there is nothing to take back. Type `/rewind` to try again.\n")
