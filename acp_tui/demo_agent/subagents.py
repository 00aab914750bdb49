"""The scene with subagents: three tasters, one of which starts another one."""

from typing import Any

from acp_tui.demo_agent.turn import Cancelled, DemoTurn

TASTING = (
    ("once", "Yes, let her pour a second cup", "allow_once"),
    ("no", "No, one cup is enough", "reject_once"),
)
LONGEST = 20.0
"""Seconds that the slow taster works unless it is canceled."""


class DemoSubagent:
    """A subagent with its own session; `parent` is the id of the parent's session."""

    def __init__(self, turn: DemoTurn, parent: str, title: str, description: str) -> None:
        self.id = f"{turn.session.id}-{title.lower()}-{turn.session.number()}"
        self.tokens = 0
        self._turn = turn
        self._parent = parent
        self._is_over = False
        self._report_state(title=title, description=description, state={"state": "running"})

    def let_cancel(self) -> None:
        """Advertise that the client may cancel this subagent alone."""
        self._report_state(capabilities={"cancel": {}})

    def say(self, text: str) -> None:
        """Send a message."""
        self.tokens += 800 + len(text)
        content = {"type": "text", "text": text}
        message_id = f"{self.id}-message-{self._turn.session.number()}"
        self._send_update(self.id, "agent_message_chunk", content=content, messageId=message_id)
        self._send_update(self.id, "usage_update", used=self.tokens, size=200_000)

    def ask(self, title: str) -> bool:
        """Request permission; return whether it was granted."""
        options = [{"optionId": id, "name": name, "kind": kind} for id, name, kind in TASTING]
        call = {"toolCallId": f"{self.id}-call", "title": title, "kind": "other"}
        self._send_update(self.id, "tool_call", **call, status="pending")
        answer = self._turn.call(
            "session/request_permission", sessionId=self.id, toolCall=call, options=options
        )
        allowed = bool(answer.get("outcome", {}).get("optionId") == "once")
        status = "completed" if allowed else "failed"
        self._send_update(self.id, "tool_call_update", toolCallId=call["toolCallId"], status=status)
        return allowed

    def end(self, reason: str = "end_turn", **more: Any) -> None:
        """Report that its work is over, and why; do nothing if it was over before."""
        if not self._is_over:
            self._is_over = True
            self._report_state(state={"state": "idle", "stopReason": reason, **more})

    def _report_state(self, **fields: Any) -> None:
        self._send_update(self._parent, "subagent_update", sessionId=self.id, **fields)

    def _send_update(self, session_id: str, kind: str, /, **fields: Any) -> None:
        update = {"sessionUpdate": kind, **fields}
        self._turn.client.notify("session/update", {"sessionId": session_id, "update": update})


def subagents(turn: DemoTurn, _words: str) -> None:
    """Start three tasters; one of them starts another one."""
    if turn.client.version == 1 and not turn.offers("subagents"):
        turn.say("Your client doesn't offer `subagents`, so I keep mine to myself.\n")
        return
    turn.say("I send out three tasters. **Tab** and **o** lead to what each of them does.\n\n")
    tool = turn.tool("Have the tea tasted", "other")
    tool.start()
    ada = DemoSubagent(turn, turn.session.id, "Ada", "Tastes the green tea")
    bo = DemoSubagent(turn, turn.session.id, "Bo", "Tastes the black tea")
    cy = DemoSubagent(turn, turn.session.id, "Cy", "Tastes the rest, slowly")
    children = [ada, bo, cy]
    tool.update(content=[{"type": "session", "sessionId": one.id} for one in children])
    try:
        _taste(turn, children)
    except Cancelled:
        for child in children:
            child.end("cancelled")
        raise
    tool.complete()
    turn.say("All three are back: one asked, one failed, one was slow.\n")


def _taste(turn: DemoTurn, children: list[DemoSubagent]) -> None:
    ada, bo, cy = children
    cy.let_cancel()
    for child, words in ((ada, "It smells of hay."), (bo, "It is black."), (cy, "Where to begin?")):
        child.say(words)
        turn.pause(0.4)
    dee = DemoSubagent(turn, ada.id, "Dee", "Holds the cup for Ada")
    children.append(dee)
    dee.say("The cup is warm.")
    turn.pause(0.6)
    bo.say("It is far too hot.")
    bo.end("error", error={"code": -32603, "message": "Bo has burned his tongue"})
    again = ada.ask("Pour a second cup")
    dee.end()
    ada.say("The second cup is better." if again else "One cup it is, then.")
    ada.end()
    stopped = turn.wait_for_stop(cy.id, LONGEST)
    cy.end("cancelled" if stopped else "end_turn")
