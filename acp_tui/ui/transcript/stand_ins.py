"""Plain renderers for what has none of its own yet."""

import json
from typing import Any

from acp_tui.ui.transcript.text_lines import TextLines


class JsonLines(TextLines):
    def __init__(self, value: Any, *, folded: bool = True) -> None:
        super().__init__(json.dumps(value, indent=None if folded else 2, ensure_ascii=False))
