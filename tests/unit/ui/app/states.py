"""States made by hand, as a connection would have left them."""

from acp_tui.protocol.config_options import SessionMode, SessionModeState
from acp_tui.protocol.content import ContentItem, Diff, TextContent
from acp_tui.protocol.file_events import AccessAsked, EditLooked, FileOperation
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.initialization import AuthMethod, Implementation, InitializeResult
from acp_tui.protocol.jsonrpc import Error
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.protocol.requests import PermissionOption
from acp_tui.protocol.setup import NewSessionParams, PromptParams
from acp_tui.protocol.updates import (
    AvailableCommand,
    CommandInput,
    PlanEntry,
    ToolCallLocation,
    ToolCallUpdate,
)
from acp_tui.protocol.wire_events import Requested
from acp_tui.state.blocks import TextRun
from acp_tui.state.entries import (
    EditFacts,
    MessageEntry,
    Role,
    ToolCallEntry,
    TurnEndEntry,
    diff_key,
)
from acp_tui.state.open_questions import Permission
from acp_tui.state.peer import SignIn
from acp_tui.state.session import Session, Turn
from acp_tui.state.state import State

NOW = 1000.0
"""What the clock of these tests shows."""
CWD = "/home/ada/analytical-engine"

OPTIONS = [
    PermissionOption(option_id="yes", name="Allow", kind="allow_once"),
    PermissionOption(option_id="always", name="Allow all edits this session", kind="allow_always"),
    PermissionOption(option_id="no", name="Reject, and tell the agent why", kind="reject_once"),
]
OLD = "".join(f"line {number}\n" for number in range(1, 30))
NEW = OLD.replace("line 12\n", "line twelve\nline twelve and a half\n")


def starting() -> State:
    """A process is being started."""
    state = State()
    state.peer.argv = ("npx", "@google/gemini-cli", "--experimental-acp")
    state.peer.cwd = CWD
    return state


def initializing() -> State:
    """The agent has not answered `initialize` yet."""
    state = starting()
    state.peer.process.started = NOW - 12
    state.calls[1] = Requested(Direction.OUT, NOW - 12, 1, 0, "initialize", None)
    return state


def connected() -> State:
    """An agent that has said who it is."""
    state = starting()
    state.peer.process.started = NOW - 60
    state.peer.initialized = InitializeResult(
        protocol_version=1,
        agent_info=Implementation(name="gemini-cli", version="0.8.1", title="Gemini CLI"),
    )
    return state


def opened() -> tuple[State, Session]:
    """An agent with an open session in which nothing was said."""
    state = connected()
    session = state.session("a1b2c3d4-e5f6")
    session.opened = True
    session.cwd = CWD
    session.config.modes = SessionModeState(
        current_mode_id="default",
        available_modes=[
            SessionMode(id="default", name="Default"),
            SessionMode(id="plan", name="Plan"),
        ],
    )
    session.commands = [
        AvailableCommand(name="memory", description="Show what the agent remembers"),
        AvailableCommand(
            name="memorize", description="Remember a fact", input=CommandInput(hint="what")
        ),
        AvailableCommand(name="stats", description="Tokens and time of this session"),
    ]
    return state, session


def message(role: Role, text: str, at: float = NOW - 50) -> MessageEntry:
    """A whole message."""
    return MessageEntry(role, at, blocks=[TextRun([text])], ended=at + 1)


def talked() -> tuple[State, Session]:
    """A session after a turn."""
    state, session = opened()
    session.title = "Bernoulli numbers"
    session.usage.used, session.usage.size = 12_345, 200_000
    session.turns = 1
    session.entries = [
        message(Role.USER, "Which Bernoulli number does the engine compute first?"),
        message(Role.AGENT, "It computes **B7** first, as note *G* describes:\n\n- set up\n- loop"),
        TurnEndEntry(NOW - 40, NOW - 50, "end_turn"),
    ]
    return state, session


def working() -> tuple[State, Session]:
    """A session in the middle of a turn, with a plan."""
    state, session = talked()
    prompt = message(Role.USER, "Fix the loop in note G.", NOW - 12)
    params = PromptParams(session_id=session.session_id, prompt=[TextContent(text="Fix")])
    request = Requested(Direction.OUT, NOW - 12, 40, 4, "session/prompt", params)
    session.turn = Turn(request, prompt)
    session.turns = 2
    session.entries += [prompt, message(Role.AGENT, "I read the note first.", NOW - 5)]
    session.plan.steps = [
        PlanEntry(content="Read note G", status="completed"),
        PlanEntry(content="Find the wrong operand", status="completed"),
        PlanEntry(content="Correct operation 4", status="in_progress", priority="high"),
        PlanEntry(content="Run the table again"),
        PlanEntry(content="Compare with the published numbers"),
    ]
    return state, session


def ask(state: State, session: Session, number: int, title: str, **fields: object) -> Permission:
    """Let the agent ask for permission."""
    update = ToolCallUpdate(
        tool_call_id=f"call-{number}",
        title=title,
        kind="edit",
        locations=[ToolCallLocation(path=f"{CWD}/notes/g.txt", line=12)],
        **fields,
    )
    call = ToolCallEntry(update.tool_call_id, NOW - 3, title, kind="edit")
    session.entries.append(call)
    session.indexes.tool_calls[update.tool_call_id] = len(session.entries) - 1
    permission = Permission(number, session.session_id, NOW - 3, OPTIONS, update, call=call.key)
    session.permissions.append(permission)
    return permission


def asking() -> tuple[State, Session]:
    """An agent that wants to change a file."""
    state, session = working()
    diff = Diff(path=f"{CWD}/notes/g.txt", old_text=OLD, new_text=NEW)
    ask(state, session, 50, "Edit notes/g.txt", content=[diff])
    entry = session.tool_call("call-50")
    assert entry is not None
    place = EditLooked(NOW, "s", "call-50", diff.path, 0, line=1, new_line=1, whole=True)
    entry.edits = EditFacts(1, {diff_key(diff): place})
    return state, session


def asking_untruly() -> tuple[State, Session]:
    """An agent whose diff is of another text than its input, and not in the file."""
    state, session = working()
    path = f"{CWD}/notes/g.txt"
    diff = Diff(path=path, old_text="line zwölf", new_text="line twelve")
    raw = {"file_path": path, "old_string": "line 12", "new_string": "rm -rf"}
    ask(state, session, 50, "Edit notes/g.txt", content=[diff], raw_input=raw)
    entry = session.tool_call("call-50")
    assert entry is not None
    remark = "notes/g.txt doesn't have the text that the diff removes."
    new = OLD.replace("line 12", "rm -rf")
    looks = [
        EditLooked(NOW, "s", "call-50", path, 0, remark=remark, warns=True),
        EditLooked(NOW, "s", "call-50", path, derived=True, old_text=OLD, text=new),
    ]
    entry.edits = EditFacts(2, {diff_key(diff): looks[0]}, looks)
    return state, session


def asking_thrice() -> tuple[State, Session]:
    """Several questions at once: the agent's, and one of the client's own."""
    state, session = working()
    command = {"command": "make table", "cwd": CWD, "timeout": 30}
    ask(state, session, 50, "Run make table", raw_input=command)
    said = ContentItem(content=TextContent(text="Reads the published numbers."))
    ask(state, session, 51, "Fetch numbers", content=[said])
    ask_access(session, 52)
    return state, session


def ask_access(session: Session, number: int) -> Permission:
    """Let the client ask about a file outside the session's folder."""
    access = AccessAsked(
        NOW - 1,
        number,
        session.session_id,
        FileOperation.WRITE,
        "/etc/engine.conf",
        "/etc",
        "speed = 2\n",
        "speed = 1\n",
    )
    permission = Permission(number, session.session_id, NOW - 1, OPTIONS, access=access)
    session.permissions.append(permission)
    return permission


def signing_in() -> State:
    """An agent that wants a sign-in first."""
    state = connected()
    params = NewSessionParams(cwd=CWD)
    blocked = Requested(Direction.OUT, NOW - 2, 2, 1, "session/new", params)
    error = Error(-32000, "Authentication required", {"reason": "no API key was found"})
    methods = [
        AuthMethod(id="oauth", name="Log in with Google", description="Opens your browser"),
        AuthMethod(id="key", name="Use GEMINI_API_KEY"),
        AuthMethod(id="tty", name="Log in by terminal", type="terminal", args=["login"]),
    ]
    state.peer.sign_in = SignIn(blocked, error, methods)
    return state


def died() -> tuple[State, Session]:
    """An agent that exited in mid-turn."""
    state, session = working()
    state.peer.process.exit = ProcessExited(NOW, 0)
    state.peer.output.stderr.extend(
        ["npm warn deprecated", "\x1b[31mTypeError\x1b[0m: x is undefined"]
    )
    session.turn = None
    session.lost = True
    return state, session


def not_found() -> State:
    """A command that doesn't exist."""
    state = starting()
    state.peer.argv = ("gemeni", "--acp")
    state.peer.trouble = "gemeni: command not found.\nIs it installed, and is its folder in PATH?"
    return state


def without_session() -> State:
    """An agent that is there, but could not go on with the session that was wanted."""
    state = connected()
    state.peer.trouble = "session/load failed: the history is broken"
    return state
