"""The agent's methods as forms."""

import json
import re
from pathlib import Path

import pytest

from acp_tui.protocol import validation
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.method_forms import (
    MethodForm,
    Param,
    ParamKind,
    extension_names,
    method_forms,
    result_forms,
)
from acp_tui.protocol.methods import AGENT_METHODS
from acp_tui.protocol.schema import load_extensions
from tests import refresh_schemas


def param(method: str, name: str) -> Param:
    return next(one for one in method_forms()[method].params if one.name == name)


def test_there_is_one_for_each_method_of_the_agent() -> None:
    extensions = {"session/set_model", "_agentao.cn/session/steering", "_session/steering"}
    assert AGENT_METHODS.keys() - extensions <= method_forms().keys() | {
        one for one in AGENT_METHODS if one.startswith("_")
    }
    assert not method_forms()["session/cancel"].is_request


@pytest.mark.parametrize("form", method_forms().values(), ids=lambda form: form.name)
def test_what_it_begins_with_is_valid(form: MethodForm) -> None:
    params = {one.name: one.example for one in form.params if one.required}
    message = {"jsonrpc": "2.0", "method": form.name, "params": params}
    if form.is_request:
        message["id"] = 1
    wrong = [
        one
        for one in validation.check_message(Direction.OUT, message)
        if one.rule.severity == "error"
    ]
    assert wrong == []


@pytest.mark.parametrize(("method", "result"), result_forms().items(), ids=result_forms())
def test_what_an_answer_begins_with_is_valid(method: str, result: object) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "result": result}
    wrong = validation.check_message(Direction.OUT, message, method)
    assert [one for one in wrong if one.rule.severity == "error"] == []


def test_a_param_tells_what_it_is_and_what_the_schema_says_of_it() -> None:
    prompt = param("session/prompt", "prompt")
    assert (prompt.kind, prompt.words, prompt.required) == (
        ParamKind.JSON,
        "list of ContentBlock",
        True,
    )
    assert prompt.about.startswith("The blocks of content")
    assert param("session/new", "cwd").kind is ParamKind.TEXT
    assert param("initialize", "protocolVersion").kind is ParamKind.INTEGER
    assert param("session/set_config_option", "value").words == "boolean or SessionConfigValueId"
    assert param("session/list", "archived").words.endswith(": exclude, include, only")
    assert not param("session/list", "archived").required


def test_methods_outside_the_protocol_have_forms_of_their_own() -> None:
    action = param("_session/goal", "action")
    assert (action.kind, action.example, action.required) == (ParamKind.TEXT, "set", True)
    assert action.words == "GoalAction: set, clear, pause, resume"
    assert action.about.startswith("What is done with the goal")
    assert method_forms()["_codex/hooks/trust"].about.startswith("Trusts these hooks")
    assert "_session/list/changes" not in method_forms()  # the agent sends it


def test_the_page_on_the_protocol_lists_each_method_outside_it() -> None:
    page = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text("utf-8")
    outside = page.partition("## Outside the protocol")[2]
    named = set(re.findall(r"`(_(?:auth|session|codex)/[a-z_/]+)`", outside))
    assert named == extension_names().keys()


def test_a_method_outside_the_protocol_is_named_and_is_no_violation() -> None:
    (found,) = validation.check_message(
        Direction.OUT, {"jsonrpc": "2.0", "id": 1, "method": "_session/goal", "params": 7}
    )
    assert found.rule.severity == "info"
    assert found.message == "_session/goal is an extension (JetBrains AIR: goals)"


def test_each_method_outside_the_protocol_has_a_source() -> None:
    assert all("acp" in group["source"] for group in load_extensions())


def test_what_the_schema_says_is_found_in_the_type_of_a_param() -> None:
    schema = {
        "$defs": {
            "Words": {"description": "Some words.", "type": "string"},
            "XRequest": {
                "description": "It asks.",
                "x-side": "agent",
                "x-method": "x",
                "properties": {
                    "a": {"$ref": "#/$defs/Words"},
                    "b": {"description": "Its own.", "$ref": "#/$defs/Words"},
                    "c": {"type": "string"},
                },
            },
            "XResponse": {"x-side": "agent", "x-method": "x"},
        }
    }
    assert refresh_schemas.extract_documentation(json.loads(json.dumps(schema))) == {
        "x": {"": "It asks.", "a": "Some words.", "b": "Its own.", "c": ""}
    }
