"""Messages in lines that can't be read."""

import pytest

from acp_tui.protocol.json_decoder import MOST_ATTEMPTS, MOST_CHARACTERS, Malformed, decode

UPDATE = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{}}}'
RESPONSE = '{"jsonrpc": "2.0", "id": 3, "result": {"stopReason": "end_turn"}}'
OTHER = '{"level":"info","text":"starting"}'


def lost_message(line: str) -> str:
    """Return how the decoder describes the messages in a line that isn't JSON."""
    read = decode(line.encode())
    assert isinstance(read, Malformed)
    return read.reason if read.lost_message else ""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            UPDATE + RESPONSE,
            "2 messages on one line, so neither can be read: session/update, response to 3",
        ),
        (
            UPDATE * 2 + " " + RESPONSE + UPDATE,
            "4 messages on one line, so none can be read: "
            "session/update, session/update, response to 3, …",
        ),
        (
            "warn: {x} " + UPDATE,
            "other text before a message on one line, so it can't be read: session/update",
        ),
        (
            OTHER + RESPONSE,
            "other text before a message on one line, so it can't be read: response to 3",
        ),
        (
            RESPONSE + " done",
            "other text after a message on one line, so it can't be read: response to 3",
        ),
        (
            UPDATE + RESPONSE[:30],
            "a message and the beginning of another on one line, so it can't be read: session/update",
        ),
        (
            "\ufeff" + RESPONSE[:40],
            "the beginning of a message that doesn't end on its line, so it can't be read",
        ),
        (
            "$ " + RESPONSE[:40],
            "other text, and the beginning of a message that doesn't end on its line, so it can't be read",
        ),
        (
            '{"jsonrpc": "2.0", "method": "say "hi""}',
            "not JSON from character 36 on, so the message can't be read",
        ),
        (
            'x {"jsonrpc": "2.0", "params": ' + "[" * 100_000,
            "a message that is nested too deep, so it can't be read",
        ),
        ("Content-Length: 86\r", "a header as of LSP"),
        ("content-type: application/json", "a header as of LSP"),
        (f"{RESPONSE}Content-Length: 86", "other text after a message on one line"),
        (UPDATE[40:], "probably the rest of a message that began on an earlier line"),
        (
            f'x {{"jsonrpc": "2.0", "id": {"9" * 5000}, "result": {{}}}}',
            "other text before a message on one line, so it can't be read: response to Infinity",
        ),
        (
            f'x {{"jsonrpc": "2.0", "params": "{"y" * MOST_CHARACTERS}"}}',
            "a message in a line that is too long to be searched, so it can't be read",
        ),
        (RESPONSE * (MOST_ATTEMPTS + 1), f"at least {MOST_ATTEMPTS} messages on one line, so none"),
        (
            RESPONSE + UPDATE[:-2] + " " * MOST_CHARACTERS + "}}",
            "other text after a message on one line, so it can't be read: response to 3",
        ),
        (RESPONSE * 2 + " " * MOST_CHARACTERS + "x", "at least 2 messages on one line, so none"),
        (
            '{"id": null, "error": 1}]',
            "other text after a message on one line, so it can't be read",
        ),
        ('{"method": "m", "params": []}x', "other text after a message on one line"),
    ],
)
def test_what_happened_to_a_message_is_described(line: str, words: str) -> None:
    assert lost_message(line).startswith(words)


@pytest.mark.parametrize(
    "line",
    [
        "npm warn",
        "the Content-Length: 86",
        "{",
        "}}",
        '{"a": 1',
        '{"method": "GET"} 200',
        '{"id": 7} created',
        OTHER + OTHER,
        'calls f({"a": {"b": 1}})',
        '{"jsonrpc" is what we speak',
        '{"a": 1} ' * MOST_ATTEMPTS + UPDATE,  # no more are tried
        '{"a":' * 100_000 + " ",
    ],
)
def test_other_text_has_lost_no_message(line: str) -> None:
    assert lost_message(line) == ""
