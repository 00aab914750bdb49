"""Each verdict quotes the protocol: word by word, and from where it says."""

import pytest

from acp_tui.check.model import JSON_RPC, PAGES, RETRIES, SCHEMA, Sentence
from acp_tui.check.runner import CHECKS
from tests.quotes import said_of_types, stands_in

SENTENCES = sorted(
    {one for check in CHECKS for one in (*check.sentences, *check.second)}, key=lambda one: one.text
)
OF_SCHEMA = [one for one in SENTENCES if one.page == SCHEMA]


@pytest.mark.parametrize("sentence", OF_SCHEMA, ids=lambda one: one.text[:40])
def test_what_is_quoted_of_the_schema_stands_there(sentence: Sentence) -> None:
    said = said_of_types(int(sentence.version))[sentence.section.partition(", ")[2]]
    assert any(stands_in(sentence.text, text) for text in said)


def test_the_page_of_each_other_sentence_is_named() -> None:
    assert {one.page for one in SENTENCES if one.version != JSON_RPC} == set(PAGES)
    assert {one.version for one in SENTENCES} == {"1", "2", JSON_RPC}


def test_a_sentence_links_to_its_page() -> None:
    site = "https://agentclientprotocol.com/protocol/v1"
    assert Sentence("", "Tool Calls, Status").link == f"{site}/tool-calls"
    assert Sentence("", "Schema, ToolCall").link == f"{site}/schema#toolcall"
    assert Sentence("", RETRIES).link.endswith(".com/rfds/v2/idempotency-keys")
    of_json_rpc = Sentence("", "JSON-RPC 2.0, 5", JSON_RPC)
    assert of_json_rpc.link == "https://www.jsonrpc.org/specification"
    assert of_json_rpc.source == "JSON-RPC 2.0, 5"
