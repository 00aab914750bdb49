"""Evaluates the permission rules on the agent's requests; nothing else does."""

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from acp_tui.client.connection.replies import READING, Consent, Replies
from acp_tui.client.core import Core
from acp_tui.client.errors import ServiceError
from acp_tui.client.files.resolved_roots import (
    ResolvedRoots,
    absolute_path,
    leads_through_process,
    real_path,
)
from acp_tui.client.permissions.rule_book import RuleBook
from acp_tui.policy.rules import Rule, RuleAnswer
from acp_tui.protocol.events import Event, Ruled, RulesChanged
from acp_tui.protocol.file_events import AccessAsked, FileOperation
from acp_tui.protocol.jsonrpc import Error, ErrorCode
from acp_tui.protocol.requests import CreateTerminalParams
from acp_tui.protocol.wire_events import Requested
from acp_tui.state.changes import Change
from acp_tui.state.commands import AnswerPermission
from acp_tui.state.open_questions import Permission
from acp_tui.state.session import Session

if TYPE_CHECKING:
    from acp_tui.policy.evaluation import RuleVerdict
    from acp_tui.state.request_facts import RequestFacts

_KINDS = {RuleAnswer.ALLOW: ("allow_once",), RuleAnswer.REJECT: ("reject_once", "reject_always")}
"""Kinds of permission options that a rule may choose. It never chooses "allow_always", whose
meaning is up to the agent.
"""


class PolicyEvaluator:
    """Answers the agent's requests that the rules decide."""

    def __init__(
        self, core: Core, roots: ResolvedRoots, consent: Consent, replies: Replies
    ) -> None:
        self._core = core
        self._roots = roots
        self._consent = consent
        self._replies = replies
        core.listen(self._follow_rules)

    def _follow_rules(self, event: Event, _: list[Change]) -> None:
        """Evaluate pending questions again when the rules change."""
        if isinstance(event, RulesChanged):
            self.reevaluate_pending()

    def reevaluate_pending(self) -> None:
        """Evaluate the rules for all questions that wait for the user."""
        for permission in self._core.state.waiting_permissions():
            self._core.spawn(self.evaluate, permission.number)

    async def decide(self, session: Session, asked: "RequestFacts") -> "RuleVerdict | None":
        """Return the verdict of the rules, or None. Links and `..` are resolved first."""
        folder = session.cwd or self._core.state.peer.cwd
        rules = tuple(self._core.state.rules)
        return await to_thread.run_sync(
            _evaluate_request,
            self._roots,
            rules,
            session.session_id,
            folder,
            asked,
            abandon_on_cancel=True,
        )

    def report(
        self, number: int, session: Session, verdict: "RuleVerdict | None", about: str = ""
    ) -> None:
        """Record the rules' verdict on a request; `about` describes the request if no tool call
        does.
        """
        answer, by = ("none", "") if verdict is None else (str(verdict.answer), verdict.words)
        self._core.emit(Ruled(self._core.clock(), number, session.session_id, answer, by, about))

    async def evaluate(self, number: int) -> None:
        """Answer a question if the rules decide it; otherwise it keeps waiting for the user.

        It also waits if the rules allow it but the agent offers no option to allow it once.
        """
        permission = self._core.state.permission(number)
        if permission is None or (permission.access is not None and permission.access.changed):
            return  # only the user decides about a file that has changed
        from acp_tui.state.request_facts import permission_facts

        session = self._core.state.session(permission.session_id)
        asked, decided_on = permission_facts(session, permission), None
        while asked != decided_on:  # the agent may change the call meanwhile
            verdict, decided_on = await self.decide(session, asked), asked
            if verdict is not None and verdict.answer is RuleAnswer.REJECT:
                await self._files_read(permission)
            if self._core.state.permission(number) is None:
                return  # it was answered meanwhile
            asked = permission_facts(session, permission)
        option = _option(permission, verdict)
        if verdict is not None and verdict.answer is RuleAnswer.ALLOW and option is None:
            verdict = None
        decided = verdict is not None and verdict.answer is not RuleAnswer.ASK
        if decided or permission in session.evaluating:
            access = permission.access
            self.report(
                number, session, verdict, f"{access.operation} {access.path}" if access else ""
            )
        if decided:
            self._replies.permission(AnswerPermission(number, option))

    async def _files_read(self, permission: Permission) -> None:
        """Wait until a question's files are read.

        After the answer, the agent's changes couldn't be distinguished from what was there before.
        """
        from acp_tui.state.subject import is_compared

        state, read = self._core.state, anyio.Event()

        def follow(_: Event, __: list[Change]) -> None:
            if state.permission(permission.number) is None or is_compared(state, permission):
                read.set()

        with anyio.move_on_after(READING), self._core.listening(follow):
            if not is_compared(state, permission):
                await read.wait()
            if permission.number in self._core.reading:
                await self._core.reading[permission.number].wait()

    async def check_command(
        self, request: Requested, session: Session, params: CreateTerminalParams
    ) -> None:
        """Check whether a terminal's command may run: a rule can reject it, or have the user asked.

        Raises ServiceError if it is rejected.
        """
        if not self._core.state.rules:
            return
        from acp_tui.state.request_facts import terminal_facts, terminal_line

        line = terminal_line(params)
        verdict = await self.decide(session, terminal_facts(params))
        if verdict is None or verdict.answer is RuleAnswer.ALLOW:
            return
        if verdict.answer is RuleAnswer.REJECT:
            self.report(request.number, session, verdict, f"run {line}")
            raise not_allowed(line, "a rule of the user's rejects it")
        question = AccessAsked(
            self._core.clock(),
            request.number,
            session.session_id,
            FileOperation.RUN,
            line,
            params.cwd or session.cwd,
            rule=verdict.words,
        )
        if not await self._consent.ask(question):
            raise not_allowed(line, "the user rejects it")


def not_allowed(what: str, why: str) -> ServiceError:
    """Return the error response for an operation that isn't allowed."""
    return ServiceError(Error(ErrorCode.INTERNAL_ERROR, f"Not allowed: {what}: {why}"))


def _option(permission: Permission, verdict: "RuleVerdict | None") -> str | None:
    """Return the id of the option that matches the verdict by its kind, or None."""
    for kind in _KINDS.get(verdict.answer, ()) if verdict is not None else ():
        for option in permission.options:
            if option.kind == kind:
                return option.option_id
    return None


def _evaluate_request(
    roots: ResolvedRoots, rules: Iterable[Rule], session_id: str, folder: str, asked: "RequestFacts"
) -> "RuleVerdict | None":
    from acp_tui.policy.evaluation import ResolvedRequest, evaluate_rules

    project = roots.resolve(folder)
    paths = tuple(pair for path in asked.paths for pair in _places(path, folder))
    request = ResolvedRequest(
        session_id,
        project,
        asked.kind,
        asked.title,
        paths,
        asked.commands,
        clear=asked.clear,
        writes=asked.writes,
        folder=folder,
    )
    return evaluate_rules(rules, request, partial(roots.resolve_rule, project))


def _places(path: str, folder: str) -> list[tuple[str, str]]:
    """Return pairs of a path as written and its real path.

    A link in /proc leads the agent's process elsewhere than ours. Such a path gets no real path, so
    no rule allows it, but both of its spellings are listed, so that a rule can reject it.
    """
    whole = absolute_path(path, folder)
    written, real = Path(os.path.normpath(whole)).as_posix(), real_path(whole)
    if leads_through_process(whole):
        return [(written, ""), (real, "")]
    return [(written, real)]


class Permissions:
    """The parts of the client that decide about requests, created in order of dependency."""

    def __init__(self, core: Core) -> None:
        launch = core.launch
        self.roots = ResolvedRoots([launch.cwd, *launch.additional_directories])
        self.rules = RuleBook(core, self.roots)
        self.consent = Consent(core, self.rules)
        self.replies = Replies(core, self.consent)
        self.policy = PolicyEvaluator(core, self.roots, self.consent, self.replies)
