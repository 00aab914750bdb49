"""Plain renderers for what has none of its own yet."""

import json
from typing import Any

from acp_tui.protocol.content import Diff
from acp_tui.session.state import Terminal
from acp_tui.ui.transcript.text_lines import TextLines


class JsonLines(TextLines):
    def __init__(self, value: Any, *, folded: bool = True) -> None:
        super().__init__(json.dumps(value, indent=None if folded else 2, ensure_ascii=False))


class DiffLines(TextLines):
    def __init__(self, diff: Diff) -> None:
        old = "".join(f"- {line}\n" for line in (diff.old_text or "").splitlines())
        new = "".join(f"+ {line}\n" for line in diff.new_text.splitlines())
        super().__init__(f"{diff.path}\n{old}{new}")


class TerminalLines(TextLines):
    def __init__(self, terminal: Terminal, *, tail: int | None = 10) -> None:  # noqa: ARG002
        command = " ".join([terminal.command, *terminal.args])
        super().__init__(f"$ {command}\n{terminal.output.decode(errors='replace')}")
