"""What is called or shaped otherwise in the two versions of the protocol: one table, for docs and screens.

What stands in no table is the same in both.
"""

from collections.abc import Callable, Mapping
from typing import Any

from acp_tui.lazy_named_tuple import NamedTuple

About = Callable[[Mapping[str, Any]], bool]
"""Whether a note is about params, or an update."""


def _always(_: Mapping[str, Any]) -> bool:
    return True


def _having(name: str) -> About:
    return lambda content: bool(content.get(name))


def _lacking(name: str) -> About:
    return lambda content: content.get(name) is None


def _having_null(content: Mapping[str, Any]) -> bool:
    return any(value is None for value in content.values())


class Entry(NamedTuple):
    """A name of version 1 and what it is in version 2: None if there is none.

    `note` is told of what is `about` it, `answer` of answers alone.
    """

    v1: str | None
    v2: str | None
    note: str = ""
    answer: str = ""
    about: About = _always


NO_FILES = "agents work on files themselves; an MCP server can offer them what a client has"
NO_TERMINALS = "agents run programs themselves and show them in a `terminal_update`"
NO_MODES = "modes are a config option of the category `mode`"
NO_MODES_HERE = "version 2 answers without modes, and with the commands that there are"
MARKED = "version 2 marks what is supported with an object"

METHODS = (
    Entry(
        "initialize",
        "initialize",
        "version 2 has `info` and `capabilities` where version 1 has `clientInfo` and `clientCapabilities`",
        "version 2 answers with `info` and `capabilities` where version 1 has `agentInfo` and `agentCapabilities`",
    ),
    Entry("authenticate", "auth/login"),
    Entry("logout", "auth/logout"),
    Entry(
        "session/new",
        "session/new",
        "version 2 gives each MCP server a `type`",
        NO_MODES_HERE,
        about=_having("mcpServers"),
    ),
    Entry("session/load", "session/resume", 'with `{"type": "start"}` as `replayFrom`'),
    Entry(
        "session/resume",
        "session/resume",
        "in version 2 `replayFrom` makes the agent replay the history, as `session/load` does in version 1",
        about=_having("replayFrom"),
    ),
    Entry("session/fork", "session/fork", answer=NO_MODES_HERE),
    Entry("session/set_mode", "session/set_config_option", NO_MODES),
    Entry(
        "session/set_config_option",
        "session/set_config_option",
        "version 2 names the type of each value: `id` or `boolean`",
    ),
    Entry(
        "session/prompt",
        "session/prompt",
        answer="version 1 answers with the stop reason when the turn is over; version 2 at once, with "
        "the `messageId` of the prompt, and a `state_update` tells when the turn is over",
    ),
    Entry(
        "session/request_permission",
        "session/request_permission",
        "version 1 asks about a `toolCall`; version 2 has a `title`, a `description` and a `subject`",
    ),
    Entry("fs/read_text_file", None, NO_FILES),
    Entry("fs/write_text_file", None, NO_FILES),
    Entry("terminal/create", None, NO_TERMINALS),
    Entry("terminal/output", None, NO_TERMINALS),
    Entry("terminal/wait_for_exit", None, NO_TERMINALS),
    Entry("terminal/release", None, NO_TERMINALS),
    Entry("terminal/kill", None, "`terminal/cancel` stops a terminal of the agent's"),
    Entry(None, "terminal/cancel", "`terminal/kill` stops a terminal of the client's"),
    Entry(None, "tool_call/cancel", "only a whole turn can be canceled, with `session/cancel`"),
)
"""Methods of both sides."""

UPDATES = (
    *(
        Entry(
            f"{who}_chunk",
            f"{who}_chunk",
            "version 2 requires a `messageId`",
            about=_lacking("messageId"),
        )
        for who in ("user_message", "agent_message", "agent_thought")
    ),
    *(
        Entry(
            None, who, "messages come in chunks alone; this is a whole one, or a new version of it"
        )
        for who in ("user_message", "agent_message", "agent_thought")
    ),
    Entry("tool_call", "tool_call_update", "the first update with an id begins the tool call"),
    Entry(
        "tool_call_update",
        "tool_call_update",
        "null leaves a field as it is in version 1, and clears it in version 2",
        about=_having_null,
    ),
    Entry(None, "tool_call_content_chunk", "a `tool_call_update` has all of the content"),
    Entry("plan", "plan_update", "of the type `items`, with a `planId`"),
    Entry(
        "plan_update",
        "plan_update",
        "version 2 has it alone, stable for items; in version 1 `plan` is the stable one",
    ),
    Entry(
        "available_commands_update",
        "available_commands_update",
        "version 2 gives commands and their input a `type`",
        about=_having("availableCommands"),
    ),
    Entry("current_mode_update", "config_option_update", NO_MODES),
    Entry(
        "config_option_update",
        "config_option_update",
        "`id` and `group` are called `configId` and `groupId` in version 2",
        about=_having("configOptions"),
    ),
    Entry(
        None,
        "state_update",
        "the answer to `session/prompt` says when a turn is over; nothing says the rest",
    ),
    Entry(None, "terminal_update", "terminals are the client's, and made with `terminal/create`"),
    Entry(
        None, "terminal_output_chunk", "terminals are the client's, and read with `terminal/output`"
    ),
)
"""Kinds of `session/update`."""

_ALWAYS = "an agent that has `session` offers it"
AGENT_CAPABILITIES = (
    Entry("loadSession", "session", _ALWAYS),
    *(
        Entry(f"promptCapabilities.{name}", f"session.prompt.{name}", MARKED)
        for name in ("image", "audio", "embeddedContext")
    ),
    Entry("mcpCapabilities.http", "session.mcp.http", MARKED),
    Entry("mcpCapabilities.acp", "session.mcp.acp", MARKED),
    Entry("mcpCapabilities.sse", None, "there is no such transport"),
    Entry(None, "session.mcp.stdio", "every agent connects to servers over stdio"),
    *(
        Entry(f"sessionCapabilities.{name}", "session", _ALWAYS)
        for name in ("list", "resume", "close")
    ),
    *(
        Entry(f"sessionCapabilities.{name}", f"session.{name}")
        for name in (
            "delete",
            "additionalDirectories",
            "systemPrompt.mode.override",
            "fork",
            "archive",
            "status",
            "title",
        )
    ),
    Entry("auth.logout", None, "an agent that has `authMethods` offers it"),
)
CLIENT_CAPABILITIES = (
    Entry("fs.readTextFile", None, NO_FILES),
    Entry("fs.writeTextFile", None, NO_FILES),
    Entry("terminal", None, NO_TERMINALS),
    *(
        Entry(name, None, "no capability is asked for")
        for name in ("session.compaction", "session.configOptions.boolean", "session.notices")
    ),
    Entry("plan", None, "no capability is asked for"),
    Entry("subagents", None, "no capability is asked for"),
    Entry("auth.terminal", "auth.terminal", MARKED),
)

_NAMED = "the same under another name"
_CALLED = "see the methods"
_MARKER = "what is true in version 1 is an object in version 2"
TYPES = (
    *(
        Entry(v1, v2, _NAMED)
        for v1, v2 in (
            ("AuthenticateRequest", "LoginAuthRequest"),
            ("AuthenticateResponse", "LoginAuthResponse"),
            ("LogoutRequest", "LogoutAuthRequest"),
            ("LogoutResponse", "LogoutAuthResponse"),
            ("CancelNotification", "CancelSessionNotification"),
            ("SessionNotification", "UpdateSessionNotification"),
            ("LoadSessionRequest", "ResumeSessionRequest"),
            ("LoadSessionResponse", "ResumeSessionResponse"),
            ("ToolCall", "ToolCallUpdate"),
            ("Plan", "PlanItems"),
            ("UnstructuredCommandInput", "TextCommandInput"),
            ("AuthCapabilities", "ClientAuthCapabilities"),
            ("TerminalOutputResponse", "TerminalOutput"),
        )
    ),
    *(
        Entry(name, None, "see the capabilities")
        for name in (
            "BooleanConfigOptionCapabilities",
            "ClientSessionCapabilities",
            "CompactionCapabilities",
            "FileSystemCapabilities",
            "LogoutCapabilities",
            "NoticeCapabilities",
            "PlanCapabilities",
            "SessionCloseCapabilities",
            "SessionConfigOptionsCapabilities",
            "SessionListCapabilities",
            "SessionResumeCapabilities",
            "SubagentCapabilities",
        )
    ),
    *(
        Entry(name, None, _CALLED)
        for name in (
            "CreateTerminalRequest",
            "CreateTerminalResponse",
            "KillTerminalRequest",
            "KillTerminalResponse",
            "ReadTextFileRequest",
            "ReadTextFileResponse",
            "ReleaseTerminalRequest",
            "ReleaseTerminalResponse",
            "TerminalOutputRequest",
            "WaitForTerminalExitRequest",
            "WaitForTerminalExitResponse",
            "WriteTextFileRequest",
            "WriteTextFileResponse",
        )
    ),
    *(
        Entry(name, None, NO_MODES)
        for name in (
            "CurrentModeUpdate",
            "SessionMode",
            "SessionModeId",
            "SessionModeState",
            "SetSessionModeRequest",
            "SetSessionModeResponse",
        )
    ),
    Entry("McpServerSse", None, "there is no such transport"),
    Entry("StopReason", None, "the constants of `stopReason` in `IdleStateUpdate`"),
    *(
        Entry(None, name, _MARKER)
        for name in (
            "McpAcpCapabilities",
            "McpHttpCapabilities",
            "McpStdioCapabilities",
            "PromptAudioCapabilities",
            "PromptEmbeddedContextCapabilities",
            "PromptImageCapabilities",
            "TerminalAuthCapabilities",
        )
    ),
    *(
        Entry(None, name, "a plain string")
        for name in ("AbsolutePath", "MediaType", "SessionListCursor")
    ),
    *(
        Entry(None, name, "see the updates")
        for name in (
            "AgentMessage",
            "AgentThought",
            "UserMessage",
            "TerminalOutputChunk",
            "TerminalUpdate",
            "ToolCallContentChunk",
        )
    ),
    *(
        Entry(None, name, "nothing reports background work")
        for name in (
            "BackgroundSubagent",
            "BackgroundTerminal",
            "BackgroundToolCall",
            "BackgroundWork",
        )
    ),
    *(
        Entry(None, name, _CALLED)
        for name in (
            "CancelTerminalRequest",
            "CancelTerminalResponse",
            "CancelToolCallRequest",
            "CancelToolCallResponse",
        )
    ),
    *(
        Entry(None, name, "nothing says whether a single thing can be stopped")
        for name in (
            "TerminalCancelCapabilities",
            "TerminalCapabilities",
            "ToolCallCancelCapabilities",
            "ToolCallCapabilities",
        )
    ),
    *(
        Entry(None, name, "a diff has the path and both texts of one file")
        for name in (
            "DiffChange",
            "DiffFileType",
            "DiffPatch",
            "DiffPatchFormat",
            "DiffPathChange",
            "DiffPathPairChange",
        )
    ),
    *(
        Entry(None, name, "a question is about a tool call")
        for name in (
            "CommandPermissionSubject",
            "RequestPermissionSubject",
            "ToolCallPermissionSubject",
        )
    ),
    Entry(None, "CancelledPermissionOutcome", "a part of `RequestPermissionOutcome`"),
    Entry(None, "Command", "a part of `AvailableCommand`"),
    *(
        Entry(None, name, "the data of an error can be anything")
        for name in ("ErrorData", "SessionNotFoundErrorData", "UnsupportedProtocolVersionErrorData")
    ),
    *(Entry(None, name, "links have no icons") for name in ("Icon", "IconTheme")),
    *(Entry(None, name, "`session/load` replays") for name in ("ReplayFrom", "ReplayFromStart")),
    Entry(None, "TerminalSize", "nothing tells the size of a terminal"),
)
"""Types of the schemas."""

_TYPED = "each variant names its type"
FIELDS: Mapping[str, tuple[Entry, ...]] = {
    "AgentAuthCapabilities": (Entry("logout", None, "see the capabilities"),),
    "AgentCapabilities": (
        Entry("loadSession", "session", "see the capabilities"),
        Entry("promptCapabilities", "session", "`session.prompt`"),
        Entry("mcpCapabilities", "session", "`session.mcp`"),
        Entry("sessionCapabilities", "session"),
    ),
    "AuthMethod": (
        Entry(None, "methodId", "`id` of each kind"),
        Entry(None, "name", "`name` of each kind"),
    ),
    "AuthMethodAgent": (Entry("id", "methodId"),),
    "AuthMethodTerminal": (Entry("id", "methodId"),),
    "AvailableCommand": (
        Entry("input", None, "`input` of `Command`"),
        Entry(None, "type", _TYPED),
    ),
    "AvailableCommandInput": (Entry(None, "type", _TYPED),),
    "ClientCapabilities": (
        Entry("fs", None, NO_FILES),
        Entry("terminal", None, NO_TERMINALS),
        Entry("session", None, "no capability is asked for"),
        Entry("plan", None, "no capability is asked for"),
        Entry("subagents", None, "no capability is asked for"),
    ),
    "Diff": (
        Entry("path", "changes", "an operation, and its path or paths"),
        Entry("oldText", "patch"),
        Entry("newText", "patch", "the text as git writes it, with whole paths"),
    ),
    "ForkSessionResponse": (
        Entry("modes", "configOptions", NO_MODES),
        Entry(None, "availableCommands", "`available_commands_update`"),
    ),
    "IdleStateUpdate": (Entry(None, "background", "nothing reports background work"),),
    "InitializeRequest": (
        Entry("clientCapabilities", "capabilities"),
        Entry("clientInfo", "info", "required in version 2"),
    ),
    "InitializeResponse": (
        Entry("agentCapabilities", "capabilities"),
        Entry("agentInfo", "info", "required in version 2"),
    ),
    "LoadSessionRequest": (Entry(None, "replayFrom", "`session/load` replays"),),
    "LoadSessionResponse": (
        Entry("modes", "configOptions", NO_MODES),
        Entry(None, "availableCommands", "`available_commands_update`"),
    ),
    "McpCapabilities": (
        Entry("sse", None, "there is no such transport"),
        Entry(None, "stdio", "every agent connects to servers over stdio"),
    ),
    "NewSessionResponse": (
        Entry("modes", "configOptions", NO_MODES),
        Entry(None, "availableCommands", "`available_commands_update`"),
    ),
    "Plan": (Entry(None, "planId", "there is one plan"),),
    "PlanUpdateContent": (Entry(None, "planId", "in each variant"),),
    "PromptResponse": (
        Entry("stopReason", None, "`stopReason` of `state_update`"),
        Entry("usage", None, "`usage` of `state_update`"),
        Entry(None, "messageId", "the prompt's own id; nothing names it"),
    ),
    "RequestPermissionRequest": (
        Entry("toolCall", "subject", "of the type `tool_call`"),
        Entry(None, "title", "`title` of `toolCall`"),
        Entry(None, "description", "none"),
    ),
    "RequiresActionStateUpdate": (Entry(None, "background", "nothing reports background work"),),
    "ResourceLink": (Entry(None, "icons", "links have no icons"),),
    "ResumeSessionRequest": (Entry(None, "replayFrom", "`session/load` replays"),),
    "ResumeSessionResponse": (
        Entry("modes", "configOptions", NO_MODES),
        Entry(None, "availableCommands", "`available_commands_update`"),
    ),
    "RunningStateUpdate": (Entry(None, "background", "nothing reports background work"),),
    "SessionCapabilities": (
        Entry("list", None, _ALWAYS),
        Entry("resume", None, _ALWAYS),
        Entry("close", None, _ALWAYS),
        Entry(None, "prompt", "`promptCapabilities`"),
        Entry(None, "mcp", "`mcpCapabilities`"),
    ),
    "SessionConfigOption": (Entry("id", "configId"),),
    "SessionConfigSelectGroup": (Entry("group", "groupId"),),
    "SessionStatusResponse": (Entry(None, "state", "nothing reports what a session is doing"),),
    "TerminalOutputResponse": (
        Entry("output", "data", "in base64"),
        Entry("truncated", None, "the whole output is sent"),
        Entry("exitStatus", None, "`exitStatus` of `terminal_update`"),
    ),
    "ToolCall": (Entry(None, "capabilities", "nothing says whether it can be stopped on its own"),),
    "ToolCallUpdate": (
        Entry(None, "capabilities", "nothing says whether it can be stopped on its own"),
    ),
    "UnknownStateUpdate": (Entry(None, "background", "nothing reports background work"),),
}
"""Fields by their type; a type with two names goes by version 1's."""

VALUES: Mapping[str, tuple[Entry, ...]] = {
    "AuthMethod.type": (Entry(None, "agent", "the type is left out"),),
    "AvailableCommand.type": (Entry(None, "command", "commands have no types"),),
    "AvailableCommandInput.type": (Entry(None, "text", "the input has no types"),),
    "ErrorCode": (Entry(None, "-32022", "an agent answers the version that it speaks"),),
    "McpServer.type": (
        Entry("sse", None, "there is no such transport"),
        Entry(None, "stdio", "the type is left out"),
    ),
    "PlanEntryStatus": (Entry(None, "cancelled", "`completed`, or the entry is left out"),),
    "SetSessionConfigOptionRequest.type": (Entry(None, "id", "the type is left out"),),
    "ToolCallStatus": (
        Entry(None, "cancelled", "`failed`"),
        Entry(None, "paused", "`pending` or `in_progress`"),
    ),
}
"""Values of enums and of what tells variants apart; those of updates stand in UPDATES."""


def counterpart(called: str, content: Any = None, *, is_answer: bool = False) -> str:
    """Say what a message is in the other version; nothing if that is the same.

    `called` is its method, of an update its kind, and `content` its params, update or result.
    """
    entries = (*METHODS, *UPDATES)
    same = next((one for one in entries if one.v1 == one.v2 == called), None)
    if is_answer:
        return "" if same is None else _plain(same.answer)
    if same is not None:
        is_about = same.about(content if isinstance(content, dict) else {})
        return _plain(same.note) if is_about else ""
    told = [_told(2, one.v2, one.note) for one in entries if one.v1 == called]
    return "; ".join(told or [_told(1, one.v1, one.note) for one in entries if one.v2 == called])


def _told(version: int, name: str | None, note: str) -> str:
    words = f"in version {version} it is {name}" if name else f"not in version {version}"
    return f"{words}: {_plain(note)}" if note else words


def _plain(note: str) -> str:
    return note.replace("`", "")
