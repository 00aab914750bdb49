"""The one table of methods: who answers, and the types of params and result."""

from dataclasses import dataclass

from acp_tui.protocol import requests, setup, updates
from acp_tui.protocol.model import Model


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the protocol; no `result` type means a notification."""

    name: str
    params: type[Model]
    result: type[Model] | None = None


AGENT_METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("initialize", setup.InitializeParams, setup.InitializeResult),
        Method("authenticate", setup.AuthenticateParams, setup.Empty),
        Method("session/new", setup.NewSessionParams, setup.NewSessionResult),
        Method("session/prompt", setup.PromptParams, setup.PromptResult),
        Method("session/set_mode", setup.SetModeParams, setup.Empty),
        Method("session/set_config_option", setup.SetConfigOptionParams, setup.ConfigOptionsResult),
        Method("session/cancel", setup.SessionParams),
        Method("$/cancel_request", requests.CancelRequestParams),
    )
}
"""What the client calls and the agent answers."""

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
        Method("session/update", updates.SessionNotification),
        Method("$/cancel_request", requests.CancelRequestParams),
    )
}
"""What the agent calls and the client answers."""
