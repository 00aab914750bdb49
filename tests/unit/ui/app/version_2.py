"""States that agents of version 2 bring about."""

from base64 import b64encode
from typing import Any

from acp_tui.state.state import State
from tests.unit.state.conversation import Conversation

PATCH = """\
diff --git /work/src/tea.py /work/src/tea.py
index 3367afd..3e75765 100644
--- /work/src/tea.py
+++ /work/src/tea.py
@@ -1,3 +1,3 @@
 def brew():
-    return "coffee"
+    return "tea"

diff --git /work/kettle.sh /work/bin/kettle.sh
similarity index 100%
old mode 100644
new mode 100755
rename from /work/kettle.sh
rename to /work/bin/kettle.sh
"""


def working() -> Conversation:
    """An agent in the middle of a turn, with a server in the background."""
    talk = Conversation.opened_in_2()
    talk.answer(talk.prompt("Make tea, and keep it warm."), result={"messageId": "u"})
    talk.update("state_update", state="running", background=[])
    words = [{"type": "text", "text": "First the **kettle**."}]
    talk.update("agent_message", messageId="a", content=words)
    changes = [
        {"operation": "modify", "path": "/work/src/tea.py", "fileType": "text"},
        {"operation": "move", "path": "/work/bin/kettle.sh", "oldPath": "/work/kettle.sh"},
        {"operation": "add", "path": "/work/cup.png", "fileType": "binary"},
    ]
    diff = {
        "type": "diff",
        "changes": changes,
        "patch": {"format": "git_patch", "text": PATCH.replace("\n\ndiff", "\n \ndiff")},
    }
    talk.update(
        "tool_call_update",
        toolCallId="edit",
        title="Brew tea",
        kind="edit",
        status="completed",
        content=[diff],
    )
    shown = [{"type": "terminal", "terminalId": "warm"}]
    talk.update(
        "tool_call_update",
        toolCallId="warm",
        title="Keep it warm",
        kind="execute",
        status="in_progress",
        content=shown,
        capabilities={"cancel": {}},
    )
    told = {"command": "keep-warm --at 80", "cwd": "/work", "size": {"cols": 60, "rows": 20}}
    talk.update("terminal_update", terminalId="warm", **told, capabilities={"cancel": {}})
    for piece in (b"81 \xc2", b"\xb0C\r\n80 \xc2\xb0C\r\n"):
        data = b64encode(piece).decode()
        talk.update("terminal_output_chunk", terminalId="warm", data=data)
    beside = [{"type": "terminal", "terminalId": "warm"}]
    talk.update("tool_call_update", toolCallId="wait", title="Wait for guests", status="paused")
    talk.update("state_update", state="running", background=beside)
    return talk


OPTIONS = [
    {"optionId": "yes", "name": "Yes, once", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


def asking(about: str) -> State:
    """A question about a command, or about something new."""
    subject = {"type": "command", "command": "rm -r old-tea", "cwd": "/tmp"}
    if about == "new":
        subject = {"type": "_spell", "words": "abracadabra"}
    return asking_for(subject)


def asking_for(
    subject: dict[str, Any],
    title: str = "Throw the old tea away?",
    description: str = "It is from yesterday, and **cold**.",
) -> State:
    """A question with this subject."""
    talk = working()
    said = {"title": title, "description": description, "subject": subject}
    talk.asks("session/request_permission", **said, options=OPTIONS)
    return talk.state
