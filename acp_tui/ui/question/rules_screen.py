"""The screen that lists the rules in force: where they are from, and how to revoke them."""

from collections.abc import Callable
from pathlib import Path

from textual.app import ComposeResult
from textual.content import Content

from acp_tui.host.agent import Agent
from acp_tui.policy.rules import Rule, RuleAnswer, RuleScope
from acp_tui.state.commands import ForgetRule
from acp_tui.text import clean_line, judged_text
from acp_tui.ui.keys import key_name
from acp_tui.ui.question import bindings
from acp_tui.ui.toolkit.boxes import LIST, BoxFrame
from acp_tui.ui.toolkit.dialogs.listing import Listing
from acp_tui.ui.toolkit.screens import OverlayScreen

KEYS = (("d", "revoke"), ("escape", "back"))
HEAD = "Permission rules"
ORDER = ": reject wins over ask, ask over allow"
LOST = "the rule that was marked has gone; ↑ or ↓ marks another one"
NOTHING = (
    "No rules yet: you answer every question.",
    f"Press {key_name('a')} at a question to make one, or write them in settings.toml.",
)
_STYLES = {RuleAnswer.ALLOW: "$success", RuleAnswer.ASK: "$warning", RuleAnswer.REJECT: "$error"}


class RulesScreen(OverlayScreen[None]):
    """Lists one rule in each row, in order of precedence."""

    DEFAULT_CLASSES = LIST
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.RULES  # type: ignore[assignment]

    def __init__(self, agent: Agent, refuse: Callable[[str], None]) -> None:
        """List an agent's rules. `refuse` shows why a rule can't be revoked here."""
        super().__init__()
        self._agent = agent
        self._refuse = refuse
        self._rules: list[Rule] = []
        self._listing = Listing()
        self._frame = BoxFrame(title=HEAD)

    def compose(self) -> ComposeResult:
        with self._frame:
            yield self._listing

    def on_mount(self) -> None:
        self.show()

    def show(self) -> None:
        """Update the rows; the mark stays on its rule."""
        order, marked = list(RuleAnswer), self._marked
        self._rules = sorted(self._agent.state.rules, key=lambda rule: order.index(rule.answer))
        rows = [_draw_rule(rule) for rule in self._rules]
        nothing = [Content.styled(words, "$text-muted") for words in NOTHING]
        headings = frozenset(range(0 if rows else len(nothing)))
        self._listing.is_lost |= marked is not None and marked not in self._rules
        cursor = self._rules.index(marked) if marked in self._rules else self._listing.cursor
        self._listing.show(rows or nothing, cursor, headings)
        self._frame.entitle(HEAD + ORDER if rows else HEAD, f"{len(rows)}")
        self._offer_keys()

    @property
    def _marked(self) -> Rule | None:
        at = self._listing.cursor
        return None if self._listing.is_lost or at >= len(self._rules) else self._rules[at]

    def _offer_keys(self) -> None:
        is_lost = self._listing.is_lost and self._rules
        if is_lost:
            self._frame.show_message(LOST)
        else:
            self._frame.offer(KEYS if self._rules else KEYS[-1:], "rules")

    def action_move(self, step: int) -> None:
        """Mark the row above or below."""
        self._listing.move(step)
        self._offer_keys()

    def on_listing_row_clicked(self, event: Listing.RowClicked) -> None:
        """Show the keys for the clicked rule."""
        event.stop()
        self._offer_keys()

    def action_forget(self) -> None:
        """Revoke the marked rule."""
        rule = self._marked
        if rule is None:
            return
        if rule.scope is RuleScope.FILE:
            self._refuse(f"it is in {rule.origin}: remove it there")
        else:
            self._agent.do(ForgetRule(rule))


def _draw_rule(rule: Rule) -> Content:
    conditions = clean_line(judged_text(rule.words).removeprefix(str(rule.answer)))
    where = "any session in " + rule.where if rule.scope is RuleScope.PROJECT else rule.origin
    return Content.assemble(
        (f"{rule.answer:6}", _STYLES[rule.answer]),
        (conditions, "$foreground"),
        (f"  {clean_line(where)}", "$text-muted"),
    )
