"""Authentication methods, sign-in programs, and the results of signing in (ACP: Authentication)."""

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
"""The `_meta` key with a sign-in program, which agents used before ACP had such a method type."""


class Program(NamedTuple):
    """A sign-in program to run in the real terminal; `env` is added to the agent's environment.

    A program `named_by_agent` must be shown to the user and approved before it is run. A program
    `of_agent` runs where the agent does; others run on the user's machine.
    """

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str] = {}
    named_by_agent: bool = False
    of_agent: bool = False


def sign_in_program(peer: Peer, method: AuthMethod) -> Program | None:
    """Return the program to sign in with, or None if the method uses `authenticate`.

    For a remote agent, no program is run.
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
    """Return the authentication method with this id, or None."""
    methods = peer.sign_in.methods if peer.sign_in is not None else []
    if peer.initialized is not None:
        methods = [*methods, *peer.initialized.auth_methods]
    return next((method for method in methods if method.id == method_id), None)


def on_refused(state: State, event: Responded) -> bool:
    """Offer sign-in methods if the agent refused a request for lack of authentication.

    Returns whether it did.
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
    """Apply the exit of a sign-in program; after success, the client restarts the agent."""
    if event.exit_code == 0:
        state.quota.clear()  # the new account may be another one
    sign_in = state.peer.sign_in
    if sign_in is not None:
        sign_in.trying = event.method_id if event.exit_code == 0 else None
        failure = Error(ErrorCode.AUTH_REQUIRED, f"the program exited with code {event.exit_code}")
        sign_in.failure = None if event.exit_code == 0 else failure
    return [ScreenChanged()]


def _methods_in(data: object) -> list[AuthMethod]:
    """Return the methods in an error's data, where some agents send them."""
    offered = data.get("authMethods") if isinstance(data, dict) else None
    if not isinstance(offered, list):
        return []
    wrapped = {"protocolVersion": PROTOCOL_VERSION, "authMethods": offered}
    return InitializeResult.model_validate(wrapped).auth_methods
