"""The table of methods: which side handles them, and the types of params and results."""

from collections.abc import Callable
from typing import NamedTuple

from acp_tui.protocol import (
    config_options,
    elicitation,
    initialization,
    requests,
    setup,
    unstable,
    updates,
)
from acp_tui.protocol.initialization import InitializeResult
from acp_tui.protocol.model import Model

Gate = Callable[[InitializeResult], bool]


def _always(_: InitializeResult) -> bool:
    return True


class Method(NamedTuple):
    """A method of the protocol; without a `result` type it is a notification.

    `offered` returns whether the agent supports it, according to its result of `initialize`. An
    `unstable` method is only called if the user enabled unstable features.
    """

    name: str
    params: type[Model]
    result: type[Model] | None = None
    offered: Gate = _always
    unstable: bool = False


def _capability(name: str) -> Gate:
    """Return a check whether the agent has a session capability."""
    return lambda agent: getattr(agent.agent_capabilities.session_capabilities, name) is not None


def _has_providers(agent: InitializeResult) -> bool:
    return agent.agent_capabilities.providers is not None


AGENT_METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("initialize", initialization.InitializeParams, initialization.InitializeResult),
        Method("authenticate", initialization.AuthenticateParams, setup.Empty),
        Method(
            "logout",
            setup.Empty,
            setup.Empty,
            lambda agent: agent.agent_capabilities.auth.logout is not None,
        ),
        Method("session/new", setup.NewSessionParams, setup.NewSessionResult),
        Method(
            "session/load",
            setup.OpenSessionParams,
            setup.SessionSetup,
            lambda agent: agent.agent_capabilities.load_session,
        ),
        Method(
            "session/resume", setup.OpenSessionParams, setup.SessionSetup, _capability("resume")
        ),
        Method(
            "session/fork", setup.ForkSessionParams, setup.NewSessionResult, _capability("fork")
        ),
        Method(
            "session/list",
            setup.ListSessionsParams,
            setup.ListSessionsResult,
            _capability("list"),
        ),
        Method("session/close", setup.SessionParams, setup.Empty, _capability("close")),
        Method("session/delete", setup.SessionParams, setup.Empty, _capability("delete")),
        Method("session/prompt", setup.PromptParams, setup.PromptResult),
        Method("session/set_mode", config_options.SetModeParams, setup.Empty),
        Method(
            "session/set_config_option",
            config_options.SetConfigOptionParams,
            config_options.ConfigOptionsResult,
        ),
        Method("session/set_model", config_options.SetModelParams, setup.Empty),
        Method(
            unstable.STEERING,
            unstable.SteeringParams,
            unstable.SteeringResult,
            unstable.offers_steering,
        ),
        Method("session/cancel", setup.SessionParams),
        Method("$/cancel_request", requests.CancelRequestParams),
        *(
            Method(name, setup.SessionParams, setup.Empty, _capability("archive"), unstable=True)
            for name in ("session/archive", "session/unarchive")
        ),
        Method(
            "session/options",
            unstable.SessionOptionsParams,
            setup.SessionSetup,
            _capability("options"),
            unstable=True,
        ),
        Method(
            "session/set_title",
            unstable.SetTitleParams,
            unstable.SetTitleResult,
            _capability("title"),
            unstable=True,
        ),
        Method(
            "session/status",
            setup.SessionParams,
            unstable.SessionStatusResult,
            _capability("status"),
            unstable=True,
        ),
        Method(
            "auth/status",
            setup.Empty,
            unstable.AuthStatus,
            lambda agent: agent.agent_capabilities.auth.status is not None,
            unstable=True,
        ),
        *(
            Method(name, params, result, _has_providers, unstable=True)
            for name, params, result in (
                ("providers/list", setup.Empty, unstable.ProvidersResult),
                ("providers/set", unstable.SetProviderParams, setup.Empty),
                ("providers/disable", unstable.DisableProviderParams, setup.Empty),
            )
        ),
    )
}
"""Methods that the client calls and the agent handles."""

CLIENT_METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "session/request_permission",
            requests.RequestPermissionParams,
            requests.RequestPermissionResult,
        ),
        Method("fs/read_text_file", requests.ReadTextFileParams, requests.ReadTextFileResult),
        Method("fs/write_text_file", requests.WriteTextFileParams, setup.Empty),
        Method("terminal/create", requests.CreateTerminalParams, requests.CreateTerminalResult),
        Method("terminal/output", requests.TerminalParams, requests.TerminalOutputResult),
        Method("terminal/wait_for_exit", requests.TerminalParams, requests.TerminalExitStatus),
        Method("terminal/kill", requests.TerminalParams, setup.Empty),
        Method("terminal/release", requests.TerminalParams, setup.Empty),
        Method("elicitation/create", elicitation.ElicitationParams, elicitation.ElicitationResult),
        Method("elicitation/complete", elicitation.ElicitationCompleteParams),
        Method(unstable.ASK_USER, unstable.AskUserParams, unstable.AskUserResult),
        Method("session/update", updates.SessionNotification),
        Method("auth/status_update", unstable.AuthStatus),
        Method("$/cancel_request", requests.CancelRequestParams),
    )
}
"""Methods that the agent calls and the client handles."""
