"""Signing in (ACP: Authentication): methods of every kind, and what came of trying them."""

from collections.abc import Mapping
from typing import NamedTuple

from acp_tui.protocol.events import Responded, SignedIn
from acp_tui.protocol.jsonrpc import Error, ErrorCode
from acp_tui.protocol.setup import PROTOCOL_VERSION, AuthMethod, InitializeResult
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.state import Peer, SignIn, State

TERMINAL_AUTH = "terminal-auth"
"""The key in `_meta` under which agents named a sign-in program before ACP had a kind for it."""


class Program(NamedTuple):
    """A sign-in program for the real terminal; `env` comes on top of the agent's own.

    One that was `named_by_agent` is to be shown and agreed to before it is run. One that is
    `of_agent` runs where the agent does; others are the person's own.
    """

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str] = {}
    named_by_agent: bool = False
    of_agent: bool = False


def program(peer: Peer, method: AuthMethod) -> Program | None:
    """Return the program that signs in by a method; None if `authenticate` does.

    An agent elsewhere has no program here.
    """
    if peer.url:
        return None
    if not method.agent_driven:
        return Program((*peer.argv, *method.args), peer.cwd, method.env, of_agent=True)
    named = (method.meta or {}).get(TERMINAL_AUTH)
    if not isinstance(named, dict) or not isinstance(named.get("command"), str):
        return None
    args, env = named.get("args"), named.get("env")
    words = [str(arg) for arg in args] if isinstance(args, list) else []
    values = {str(key): str(env[key]) for key in env} if isinstance(env, dict) else {}
    return Program((named["command"], *words), peer.cwd, values, named_by_agent=True, of_agent=True)


def method_of(peer: Peer, method_id: str) -> AuthMethod | None:
    """Find the method with an id, if the agent offers it."""
    methods = peer.sign_in.methods if peer.sign_in is not None else []
    if peer.initialized is not None:
        methods = [*methods, *peer.initialized.auth_methods]
    return next((method for method in methods if method.id == method_id), None)


def on_refused(state: State, event: Responded) -> bool:
    """Offer the agent's sign-in methods if it refused a request because one is needed."""
    if event.error is None or event.error.code != ErrorCode.AUTH_REQUIRED:
        return False
    methods = _methods_in(event.error.data)
    if not methods and state.peer.initialized is not None:
        methods = state.peer.initialized.auth_methods
    state.peer.sign_in = SignIn(event.request, event.error, methods)
    return True


def on_authenticated(state: State, event: Responded) -> None:
    """Take the response to `authenticate`."""
    sign_in = state.peer.sign_in
    if sign_in is None:
        return
    sign_in.trying = None
    if event.error is not None:
        sign_in.failure = event.error
    else:
        state.peer.sign_in = None


def on_program_ended(state: State, event: SignedIn) -> list[Change]:
    """Take the end of a sign-in program; after a success the agent is restarted."""
    sign_in = state.peer.sign_in
    if sign_in is not None:
        sign_in.trying = event.method_id if event.exit_code == 0 else None
        failure = Error(ErrorCode.AUTH_REQUIRED, f"the program exited with code {event.exit_code}")
        sign_in.failure = None if event.exit_code == 0 else failure
    return [ScreenChanged()]


def _methods_in(data: object) -> list[AuthMethod]:
    """Some agents send the methods with the error, not with `initialize`."""
    offered = data.get("authMethods") if isinstance(data, dict) else None
    if not isinstance(offered, list):
        return []
    wrapped = {"protocolVersion": PROTOCOL_VERSION, "authMethods": offered}
    return InitializeResult.model_validate(wrapped).auth_methods
