"""The client's own questions: about paths outside the session's folder, or those that a rule names."""

import anyio

from acp_tui.client.core import Core
from acp_tui.client.permissions.rule_book import RuleBook
from acp_tui.protocol.events import AccessAnswered, AccessAsked
from acp_tui.state.reducers.permissions import ALLOW_FOLDER, ALLOW_ONCE, CANCELLED
from acp_tui.state.state import Permission
from acp_tui.state.subagents import is_canceled


class Consent:
    """Asks the user, and waits for the answer."""

    def __init__(self, core: Core, rules: RuleBook) -> None:
        self._core = core
        self._rules = rules
        self._asking: dict[int, anyio.Event] = {}
        self._answers: dict[int, str] = {}

    def settle(self, permission: Permission, option_id: str | None) -> None:
        """Answer a question as the user, a rule or a canceled turn decided."""
        access = permission.access
        assert access is not None
        words = option_id or CANCELLED
        self._answers[permission.number] = words
        self._core.emit(AccessAnswered(self._core.clock(), permission.number, words))
        self._asking[permission.number].set()
        if words == ALLOW_FOLDER:
            self._rules.allow_folder(permission.session_id, access.operation, access.folder)

    async def ask(self, question: AccessAsked) -> bool:
        """Ask the user; return whether it is allowed."""
        number = question.request
        self._asking[number] = anyio.Event()
        self._core.emit(question)
        permission = self._core.state.permission(number)
        if permission is not None and is_canceled(self._core.state, question.session_id):
            self.settle(permission, None)
        try:
            await self._asking[number].wait()
        finally:
            waits = self._core.state.permission(number)
            if waits is not None:
                self.settle(waits, None)
            del self._asking[number]
            answer = self._answers.pop(number, CANCELLED)
        return answer in (ALLOW_ONCE, ALLOW_FOLDER)
