"""Each rule that is no guess quotes the protocol, word by word."""

from acp_tui.protocol.findings import protocol_rules
from tests.quotes import pieces, said_of_types

OF_TYPES = {
    version: [text for texts in said_of_types(version).values() for text in texts]
    for version in (1, 2)
}
OF_PAGES = {
    "Agent Plan": (
        "The Agent MUST send a complete list of all plan entries in each update and their current "
        "status.",
    ),
    "Extensibility": (
        "Implementations MUST NOT add any custom fields at the root of a type that's part of the "
        "specification.",
        "The protocol reserves any method name starting with an underscore (_) for custom extensions.",
    ),
    "Initialization": (
        "Clients and Agents MUST treat all capabilities omitted in the initialize request as "
        "UNSUPPORTED.",
        "If the Agent supports the requested version, it MUST respond with the same version. "
        "Otherwise, the Agent MUST respond with the latest version it supports.",
        "It SHOULD also provide a name and version to the Client as well",
        "The Agent MUST respond with the chosen protocol version and the capabilities it supports.",
    ),
    "Overview": ("All file paths in the protocol MUST be absolute.",),
    "Prompt Turn": (
        "The Agent MAY send session/update notifications with content or tool call updates after "
        "receiving the session/cancel notification, but it MUST ensure that it does so before "
        "responding to the session/prompt request.",
        "After all ongoing operations have been successfully aborted and pending updates have been "
        "sent, the Agent MUST respond to the original session/prompt request with the cancelled stop "
        "reason.",
        "Agents MUST catch these errors and return the semantically meaningful cancelled stop reason, "
        "so that Clients can reliably confirm the cancellation.",
        "The Client MUST respond to all pending session/request_permission requests with the "
        "cancelled outcome.",
        "If there are no pending tool calls, the turn ends and the Agent MUST respond to the original "
        "session/prompt request with a StopReason",
        "When the tool completes, the Agent sends another update with the final status and any "
        "content",
    ),
    "RFD v2 Idempotency Keys": (
        "A Client then knows whether a request is safe to send again as is, safe to send again with a "
        "key, or not resent at all.",
        "The Agent inserts the user message at most once for that key and answers retries with the "
        "messageId of the original.",
    ),
    "Session Config Options": (
        "Agents MUST always provide a default value for every configuration option.",
        "Must be one of the values listed in the option's options array.",
        "The Agent MUST respond with the complete list of all configuration options and their "
        "current values",
    ),
    "Session Modes": ("Must be one of the modes listed in availableModes",),
    "Session Setup": (
        "Before creating a session, Clients MUST first complete the initialization phase to "
        "establish protocol compatibility and capabilities.",
        "The Agent MUST respond with a unique Session ID that identifies this conversation",
        "The Agent MUST replay the entire conversation to the Client in the form of session/update "
        "notifications (like session/prompt).",
        "When all the conversation entries have been streamed to the Client, the Agent MUST respond "
        "to the original session/load request.",
        "Unlike session/load, the Agent MUST NOT replay the conversation history via session/update "
        "notifications before responding.",
        "The Agent MUST cancel any ongoing work for that session as if session/cancel had been "
        "called, then free the resources associated with the session.",
    ),
    "Subagents": (
        "Later updates for the same child patch its fields. They do not create another child or move "
        "the child to another parent.",
    ),
    "Terminals": (
        "The Agent MUST release the terminal using terminal/release when it's no longer needed.",
        "After release the terminal ID becomes invalid for all other terminal/* methods.",
    ),
    "Tool Calls": (
        "When the language model requests a tool invocation, the Agent SHOULD report it to the "
        "Client",
    ),
    "Transports": (
        "Messages are delimited by newlines (\\n), and MUST NOT contain embedded newlines.",
        "JSON-RPC messages MUST be UTF-8 encoded.",
        "The agent MUST NOT write anything to its stdout that is not a valid ACP message.",
        "The agent MUST NOT write anything to its stdout that is not a valid ACP message. The client "
        "MUST NOT write anything to the agent's stdin that is not a valid ACP message.",
        "Implementers who choose to support custom transports MUST ensure they preserve the JSON-RPC "
        "message format and lifecycle requirements defined by ACP.",
    ),
    "the official SDK for TypeScript": ("ACP does not use JSON-RPC batches",),
    "JSON-RPC 2.0": (
        'A String specifying the version of the JSON-RPC protocol. MUST be exactly "2.0".',
        "When a rpc call is made, the Server MUST reply with a Response, except for in the case of "
        "Notifications.",
        "This member is REQUIRED. It MUST be the same as the value of the id member in the Request "
        "Object.",
        "The Server MUST NOT reply to a Notification, including those that are within a batch "
        "request.",
        "This member MUST NOT exist if there was an error invoking the method.",
        "This member MUST NOT exist if there was no error triggered during invocation.",
    ),
    "RFC 8259": (
        "Implementations MUST NOT add a byte order mark (U+FEFF) to the beginning of a "
        "networked-transmitted JSON text.",
        "Numeric values that cannot be represented in the grammar below (such as Infinity and NaN) "
        "are not permitted.",
        "The names within an object SHOULD be unique.",
    ),
}
"""Sentences of the documentation's pages, and of what the protocol builds on, as they stand there."""
KNOWN = {text for texts in OF_PAGES.values() for text in texts}
QUOTING = [
    (meant, OF_TYPES[version])
    for rule in protocol_rules()
    for version in rule.versions
    for meant in dict.fromkeys((rule.of(version), rule.of(version).on_network()))
    if not meant.guess
]


def test_a_rule_quotes_what_stands_somewhere() -> None:
    for rule, said in QUOTING:
        for piece in pieces(rule.sentence):
            assert piece in KNOWN or any(piece in text for text in said), f"{rule.id}: {piece}"


def test_no_sentence_of_a_page_is_left_over() -> None:
    rules = [rule.of(version) for rule in protocol_rules() for version in rule.versions]
    rules += [rule.on_network() for rule in rules]
    quoted = {piece for rule in rules if not rule.guess for piece in pieces(rule.sentence)}
    assert sorted(KNOWN - quoted) == []
