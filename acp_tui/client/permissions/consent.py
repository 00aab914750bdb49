"""The client's own questions to a person: about what leaves the session's folder, or a rule names."""

from collections.abc import Callable

import anyio

from acp_tui.client.files.resolved_roots import ResolvedRoots
from acp_tui.policy.rules import Answer, Rule, Scope
from acp_tui.protocol.events import AccessAnswered, AccessAsked, LocalEvent
from acp_tui.session.reducers.permissions import ALLOW_FOLDER, ALLOW_ONCE, CANCELLED
from acp_tui.session.state import Permission, State


class Consent:
    """Asks, and waits for the answer. `emit` folds a fact; `add_rule` remembers a leave."""

    def __init__(
        self,
        state: State,
        roots: ResolvedRoots,
        *,
        clock: Callable[[], float],
        emit: Callable[[LocalEvent], None],
        add_rule: Callable[[Rule], None],
    ) -> None:
        self._state = state
        self._roots = roots
        self._clock = clock
        self._emit = emit
        self._add_rule = add_rule
        self._asking: dict[int, anyio.Event] = {}
        self._answers: dict[int, str] = {}

    def settle(self, permission: Permission, option_id: str | None) -> None:
        """A person, a rule or a cancelled turn decided."""
        access = permission.access
        assert access is not None
        words = option_id or CANCELLED
        self._answers[permission.number] = words
        self._emit(AccessAnswered(self._clock(), permission.number, words))
        self._asking[permission.number].set()
        if words == ALLOW_FOLDER:
            from acp_tui.policy.globs import escaped
            from acp_tui.session.request_facts import KINDS

            self._roots.remember(access.folder)  # what was shown to the person
            folder = f"{escaped(access.folder.rstrip('/'))}/**"
            kind = KINDS[access.operation]
            scope, where = Scope.SESSION, permission.session_id
            self._add_rule(
                Rule(Answer.ALLOW, kinds=(kind,), paths=(folder,), scope=scope, where=where)
            )

    async def ask(self, question: AccessAsked) -> bool:
        """Ask a person; whether it is allowed."""
        number = question.request
        self._asking[number] = anyio.Event()
        self._emit(question)
        turn = self._state.session(question.session_id).turn
        permission = self._state.permission(number)
        if permission is not None and turn is not None and turn.cancelled is not None:
            self.settle(permission, None)
        try:
            await self._asking[number].wait()
        finally:
            waits = self._state.permission(number)
            if waits is not None:
                self.settle(waits, None)
            del self._asking[number]
            answer = self._answers.pop(number, CANCELLED)
        return answer in (ALLOW_ONCE, ALLOW_FOLDER)
