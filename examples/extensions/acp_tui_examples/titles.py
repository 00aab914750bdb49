"""A rule: the titles of tool calls are short."""

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.lint.checker import Checker
from acp_tui.protocol.findings import ProtocolRule, Severity

LONG_TITLE = ProtocolRule(
    "house/long-title",
    Severity.WARNING,
    "a title of more than 60 characters is cut in most clients.",
    guess=True,
)


class TitleChecker(Checker):
    """Looks at each tool call that begins."""

    ABOUT = ("tool_call",)

    def check_record(self, reading: Reading) -> None:
        title = reading.update.get("title")
        if isinstance(title, str) and len(title) > 60:
            where = ("params", "update", "title")
            self.report(LONG_TITLE, reading, f"{len(title)} characters", where)
