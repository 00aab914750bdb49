"""Authentication methods of every kind, and the results of trying them (ACP: Authentication)."""

from collections.abc import Mapping
from typing import NamedTuple

from acp_tui.protocol.events import SignedIn
from acp_tui.protocol.initialization import PROTOCOL_VERSION, AuthMethod, InitializeResult
from acp_tui.protocol.jsonrpc import Error, ErrorCode
from acp_tui.protocol.wire_events import Responded
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.peer import Peer, SignIn
from acp_tui.state.state import State

TERMINAL_AUTH = "terminal-auth"
"""The `_meta` key under which agents named a sign-in program before ACP had a method kind for it."""


class Program(NamedTuple):
    """A sign-in program for the real terminal; `env` is added to the agent's own.

    The user must see and approve one that was `named_by_agent` before it is run. One `of_agent`
    runs where the agent does; others run on the user's machine.
    """

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str] = {}
    named_by_agent: bool = False
    of_agent: bool = False


def sign_in_program(peer: Peer, method: AuthMethod) -> Program | None:
    """Return the program that signs in by a method, or None if `authenticate` does.

    A remote agent has no program here.
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


def sign_in_method(peer: Peer, method_id: str) -> AuthMethod | None:
    """Return the offered method with this id, or None."""
    methods = peer.sign_in.methods if peer.sign_in is not None else []
    if peer.initialized is not None:
        methods = [*methods, *peer.initialized.auth_methods]
    return next((method for method in methods if method.id == method_id), None)


def on_refused(state: State, event: Responded) -> bool:
    """Offer the agent's sign-in methods if it refused a request for lack of authentication; return
    whether it did.
    """
    if event.error is None or event.error.code != ErrorCode.AUTH_REQUIRED:
        return False
    methods = _methods_in(event.error.data)
    if not methods and state.peer.initialized is not None:
        methods = state.peer.initialized.auth_methods
    state.peer.sign_in = SignIn(event.request, event.error, methods)
    return True


def on_authenticated(state: State, event: Responded) -> None:
    """Apply the response to `authenticate`."""
    sign_in = state.peer.sign_in
    if sign_in is None:
        return
    sign_in.trying = None
    if event.error is not None:
        sign_in.failure = event.error
    else:
        state.peer.sign_in = None


def on_program_ended(state: State, event: SignedIn) -> list[Change]:
    """Apply the end of a sign-in program; after a success the agent is restarted."""
    if event.exit_code == 0:
        state.quota.clear()  # it may be another account's
    sign_in = state.peer.sign_in
    if sign_in is not None:
        sign_in.trying = event.method_id if event.exit_code == 0 else None
        failure = Error(ErrorCode.AUTH_REQUIRED, f"the program exited with code {event.exit_code}")
        sign_in.failure = None if event.exit_code == 0 else failure
    return [ScreenChanged()]


def _methods_in(data: object) -> list[AuthMethod]:
    """Return the methods in an error's data: some agents send them there, not with `initialize`."""
    offered = data.get("authMethods") if isinstance(data, dict) else None
    if not isinstance(offered, list):
        return []
    wrapped = {"protocolVersion": PROTOCOL_VERSION, "authMethods": offered}
    return InitializeResult.model_validate(wrapped).auth_methods
