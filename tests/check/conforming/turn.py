"""A turn: what is done for each act that a check asks for."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from session import Message, Running, Session
from wire import Cancelled, RpcError

if TYPE_CHECKING:
    from agent import Agent

FILE = "acp-check.txt"
OPTIONS = (("yes", "allow_once"), ("no", "reject_once"))
STEPS = ("look", "think", "act")


class Turn:
    """Plays one turn of a session; a mutant overrides one of the methods."""

    def __init__(self, agent: "Agent", session: Session, running: Running) -> None:
        self.agent = agent
        self.session = session
        self.running = running
        self.tools = 0
        self.open_tool = ""
        """The tool call that has not ended."""
        self.act = ""
        """The first word of the prompt."""
        self.message = f"{running.id}-{len(session.said)}"

    @property
    def cancelled(self) -> threading.Event:
        """Whether the turn was canceled."""
        return self.running.cancelled

    def play(self, blocks: list[str]) -> str:
        """Do what the first word says; return the stop reason."""
        words = " ".join(blocks)
        self.session.said.append(["user_message_chunk", words])
        self.act = words.split()[0]
        try:
            getattr(self, f"do_{self.act}", self.do_say)()
        except Cancelled:
            return self.when_cancelled()
        except RpcError as error:
            if self.cancelled.is_set():  # a terminal may go away with its session
                return self.when_cancelled()
            self.fail_tools()
            self.when_refused(error)
        return self.at_end()

    def at_end(self) -> str:
        """Return the stop reason of a turn that nobody canceled."""
        return "end_turn"

    def when_refused(self, error: RpcError) -> None:
        """Heed an error that the client answered with."""
        self.say(f"The client answered with an error: {error}")

    def fail_tools(self) -> None:
        """End the tool call that the client refused something to."""
        if self.open_tool:
            self.tool_update(self.open_tool, status="failed")

    def when_cancelled(self) -> str:
        """Return the stop reason of a canceled turn."""
        return "cancelled"

    # Acts

    def do_say(self) -> None:
        self.say("hello")
        if self.agent.offers("session", "cursors"):
            self.mark()

    def do_slow(self) -> None:
        self.say("la ")
        if self.agent.offers("terminal"):
            self.run("sleep", "60")
        for _ in range(2000):
            self.say("la ")
            if self.cancelled.wait(0.02):
                raise Cancelled

    def do_write(self) -> None:
        path = str(Path(self.session.cwd, FILE))
        tool = self.tool("edit", f"Write {FILE}", locations=[{"path": path, "line": 1}])
        if not self.allowed(tool):
            self.tool_update(tool, status="failed")
            return
        self.write(path, "hello\n")
        diff = {"type": "diff", "path": path, "oldText": None, "newText": "hello\n"}
        self.tool_update(tool, status="completed", content=[diff])

    def do_read(self) -> None:
        path = str(Path(self.session.cwd, FILE))
        tool = self.tool("read", f"Read {FILE}", locations=[{"path": path}])
        if self.agent.offers("fs", "readTextFile"):
            text = self.ask("fs/read_text_file", path=path)["content"]
        else:
            text = Path(path).read_text()
        self.tool_update(tool, status="completed", content=[self.content(text)])

    def do_shell(self) -> None:
        self.run("echo", "hello")

    def do_place(self) -> None:
        self.run("sh", "-c", "pwd > acp-check-place.txt")

    def do_plan(self) -> None:
        for done in range(len(STEPS) + 1):
            self.agent.update(self.session.id, "plan", entries=self.entries(done))

    def do_ask(self) -> None:
        if not self.agent.offers("elicitation", "form"):
            self.say("Tea or coffee?")
            return
        schema = {
            "type": "object",
            "properties": {"drink": {"type": "string", "enum": ["tea", "coffee"]}},
            "required": ["drink"],
        }
        answer = self.ask(
            "elicitation/create", mode="form", message="Which?", requestedSchema=schema
        )
        self.say(f"You said: {answer.get('action')}")

    def do_subagent(self) -> None:
        if not self.may_announce():
            self.say("hello, says my subagent")
            return
        child = f"child-{self.message}"
        self.announce(child)
        self.speak_as(child, "hello")
        state = {"state": "idle", "stopReason": "end_turn"}
        self.agent.update(self.session.id, "subagent_update", sessionId=child, state=state)

    # What acts are made of

    def mark(self) -> None:
        """Send a cursor behind the message."""
        where = {"type": "agent_message", "messageId": self.message, "position": "after"}
        fields = {"anchor": where, "capabilities": {"fork": {}}}
        self.agent.update(self.session.id, "cursor_update", cursorId=self.message, **fields)

    def may_announce(self) -> bool:
        """Return whether the client takes subagents."""
        return self.agent.offers("subagents")

    def announce(self, child: str) -> None:
        """Announce a subagent."""
        fields = {"title": "Helper", "state": {"state": "running"}}
        self.agent.update(self.session.id, "subagent_update", sessionId=child, **fields)

    def speak_as(self, child: str, text: str) -> None:
        """Say something in the session of a subagent."""
        content = {"type": "text", "text": text}
        self.agent.update(child, "agent_message_chunk", content=content, messageId=f"of-{child}")

    def say(self, text: str) -> None:
        """Say something."""
        self.session.said.append(["agent_message_chunk", text])
        content = {"type": "text", "text": text}
        self.agent.update(
            self.session.id, "agent_message_chunk", content=content, messageId=self.message
        )

    def ask(self, method: str, **params: Any) -> Message:
        """Ask the client for something. Raises RpcError, or Cancelled."""
        id = self.agent.wire.begin(method, {"sessionId": self.session.id, **params})
        try:
            # A terminal has to be released, whatever happens, so its id is waited for.
            never = threading.Event()
            withdrawn = never if method == "terminal/create" else self.cancelled
            return self.agent.wire.wait(id, withdrawn)
        except Cancelled:
            if method != "session/request_permission":
                self.withdraw(id)
            raise

    def withdraw(self, id: str) -> None:
        """Withdraw a request of ours."""
        self.agent.wire.send({"method": "$/cancel_request", "params": {"requestId": id}})

    def new_tool_id(self) -> str:
        """Return an id that no tool call of the session has."""
        self.tools += 1
        return f"call-{self.message}-{self.tools}"

    def tool(self, kind: str, title: str, **fields: Any) -> str:
        """Report a tool call; return its id."""
        id = self.open_tool = self.new_tool_id()
        self.agent.update(
            self.session.id,
            "tool_call",
            toolCallId=id,
            title=title,
            kind=kind,
            status="pending",
            **fields,
        )
        return id

    def tool_update(self, id: str, **fields: Any) -> None:
        """Report how a tool call goes on."""
        if fields.get("status") in ("completed", "failed"):
            self.open_tool = ""
        self.agent.update(self.session.id, "tool_call_update", toolCallId=id, **fields)

    def options(self) -> list[Message]:
        """Return the answers that can be given."""
        return [{"optionId": id, "name": id.title(), "kind": kind} for id, kind in OPTIONS]

    def allowed(self, tool: str) -> bool:
        """Ask for permission."""
        call = {"toolCallId": tool}
        answer = self.ask("session/request_permission", toolCall=call, options=self.options())
        outcome = answer.get("outcome", {})
        if outcome.get("outcome") == "cancelled" and self.cancelled.wait(1):
            raise Cancelled
        return bool(outcome.get("optionId") == "yes")

    def write(self, path: str, text: str) -> None:
        """Write a file: through the client, if it offers that."""
        if self.agent.offers("fs", "writeTextFile"):
            self.ask("fs/write_text_file", path=path, content=text)
        else:
            Path(path).write_text(text)

    def run(self, *argv: str) -> None:
        """Run a command: in a terminal of the client's, if it offers that."""
        tool = self.tool("execute", " ".join(argv))
        if not self.agent.offers("terminal"):
            import subprocess

            ran = subprocess.run(argv, cwd=self.session.cwd, capture_output=True, text=True)
            self.tool_update(tool, status="completed", content=[self.content(ran.stdout)])
            return
        folder = self.folder()
        id = self.ask("terminal/create", command=argv[0], args=argv[1:], cwd=folder)["terminalId"]
        try:
            shown = {"type": "terminal", "terminalId": id}
            self.tool_update(tool, status="in_progress", content=[shown])
            self.ask("terminal/wait_for_exit", terminalId=id)
            self.ask("terminal/output", terminalId=id)
        except Cancelled:
            self.tool_update(tool, status="failed")
            raise
        finally:
            self.release(id)
        self.tool_update(tool, status="completed")

    def folder(self) -> str:
        """Return where commands run."""
        return self.session.cwd

    def release(self, id: str) -> None:
        """Release a terminal."""
        params = {"sessionId": self.session.id, "terminalId": id}
        self.agent.wire.begin("terminal/release", params)

    def entries(self, done: int) -> list[Message]:
        """Return the plan, with so many steps done."""
        return [
            {
                "content": step,
                "priority": "medium",
                "status": "completed" if at < done else "pending",
            }
            for at, step in enumerate(STEPS)
        ]

    def content(self, text: str) -> Message:
        """Return text as the content of a tool call."""
        return {"type": "content", "content": {"type": "text", "text": text}}
