"""Messages against the official schema: what is wrong with them, where, and how bad it is."""

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_tui.protocol import schema
from acp_tui.protocol.findings import format_path
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_schema import Compiler
from acp_tui.protocol.schema import Edition
from acp_tui.protocol.schema_checks import ProblemKind
from acp_tui.protocol.validation import check_message
from tests import refresh_schemas

IN, OUT = Direction.IN, Direction.OUT


def update(**fields: Any) -> dict[str, Any]:
    params = {"sessionId": "s", "update": fields}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def result(value: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "result": value}


def told(
    message: dict[str, Any], direction: Direction = IN, answered: str | None = None
) -> list[str]:
    found = check_message(direction, message, answered)
    return [f"{one.rule.id} {format_path(one.path)}: {one.message}" for one in found]


def test_a_good_message_has_no_findings() -> None:
    assert (
        told(update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "x"}))
        == []
    )


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"sessionUpdate": "zzz"},
            'schema params.update.sessionUpdate: "zzz" is none of: user_message_chunk, ',
        ),
        ({}, "schema params.update.sessionUpdate: is missing"),
        (
            {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": 1}},
            "schema params.update.content.text: must be a string, but is an integer: 1",
        ),
        (
            {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "status": "zzz"},
            'schema-salvaged params.update.status: "zzz" is none of: pending, in_progress, ',
        ),
        (
            {"sessionUpdate": "plan", "entries": [{"content": 1}]},
            "schema-salvaged params.update.entries[0].",
        ),
        (
            {"sessionUpdate": "usage_update", "used": -1, "size": 5},
            "schema params.update.used: must be at least 0",
        ),
        (
            {"sessionUpdate": "usage_update", "used": True, "size": 5},
            "schema params.update.used: must be an integer, but is a boolean: true",
        ),
        (
            {"sessionUpdate": "session_info_update", "title": "T", "mood": 1},
            "custom-field params.update.mood: is not a field that the protocol has here",
        ),
    ],
)
def test_a_problem_is_named_where_it_is(fields: dict[str, Any], expected: str) -> None:
    (found, *rest) = told(update(**fields))
    assert found.startswith(expected)
    assert all(one.startswith("schema-salvaged") for one in rest)


def test_what_only_the_unstable_schema_has_is_no_error() -> None:
    usage = {"totalTokens": 3, "inputTokens": 2, "outputTokens": 1}
    found = told(result({"stopReason": "end_turn", "usage": usage}), IN, "session/prompt")
    assert found == ["unstable result.usage: usage is unstable"]
    fork = {"jsonrpc": "2.0", "id": 1, "method": "session/fork", "params": {"sessionId": "s"}}
    method, problem = told(fork, OUT)
    assert method.startswith("unstable method")
    assert problem == "schema params.cwd: is missing"


def test_to_say_that_something_unstable_is_not_there_is_no_use_of_it() -> None:
    without = {"mcpCapabilities": {"acp": False}, "sessionCapabilities": {"fork": None}}
    answer = result({"protocolVersion": 1, "agentCapabilities": without})
    assert told(answer, IN, "initialize") == []
    answer = result({"protocolVersion": 1, "agentCapabilities": {"mcpCapabilities": {"acp": True}}})
    (uses,) = told(answer, IN, "initialize")
    assert uses.startswith("unstable result.agentCapabilities.mcpCapabilities.acp")


def sign_in(**method: Any) -> list[str]:
    methods = [{"id": "key", "name": "Key", **method}]
    return told(result({"protocolVersion": 1, "authMethods": methods}), IN, "initialize")


def test_the_type_of_a_sign_in_method_is_no_custom_field() -> None:
    assert sign_in() == sign_in(type="agent") == sign_in(type="terminal", args=[], env={}) == []
    assert sign_in(type="agent", mood=1) == [
        "custom-field result.authMethods[0].mood: is not a field that the protocol has here"
    ]


def test_a_type_that_was_removed_is_told_once_with_all_it_brings() -> None:
    assert sign_in(type="env_var", vars=[{"name": "KEY"}], link="http://x") == [
        'auth-type result.authMethods[0].type: "env_var" was removed in July 2026: '
        "it is read as agent"
    ]
    (unknown,) = sign_in(type="oauth")
    assert "is none of them" in unknown
    assert any(one.startswith("custom-field") for one in sign_in(type="oauth", vars=[]))


def test_models_are_a_thing_of_the_past() -> None:
    models = {"currentModelId": "m", "availableModels": []}
    (removed,) = told(result({"sessionId": "s", "models": models}), IN, "session/new")
    assert removed.startswith("removed result.models")
    call = {"jsonrpc": "2.0", "id": 1, "method": "session/set_model", "params": {}}
    (removed,) = told(call, OUT)
    assert removed.startswith("removed method")


def test_what_the_documentation_shows_is_a_note() -> None:
    mode = update(sessionUpdate="current_mode_update", modeId="x")
    (note,) = told(mode)
    assert note.startswith("documented-form params.update.modeId")
    both = told(update(sessionUpdate="current_mode_update", modeId="x", currentModeId="x"))
    assert both == ["custom-field params.update.modeId: is not a field that the protocol has here"]
    assert told(update(sessionUpdate="zzz"))[0].startswith("schema")


def asked(**call: Any) -> list[str]:
    params = {"sessionId": "s", "toolCall": {"toolCallId": "t", **call}, "options": []}
    method = "session/request_permission"
    return told({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def test_a_bare_content_block_in_a_question_is_as_documented() -> None:
    block, diff = {"type": "text", "text": "x"}, {"type": "diff", "path": "/a", "newText": ""}
    (note,) = asked(content=[diff, block])
    assert note.startswith("documented-form params.toolCall.content[1]")
    assert asked(content=[diff, {"type": "zzz"}])[0].startswith("schema-salvaged")
    assert asked(content=5)[0].startswith("schema-salvaged")
    assert asked(kind="zzz")[0].startswith("schema-salvaged")
    call = {"jsonrpc": "2.0", "id": 1, "method": "session/request_permission", "params": {}}
    assert told(call)[0].startswith("schema")


def test_a_server_may_name_its_transport() -> None:
    server = {"type": "stdio", "name": "m", "command": "/m", "args": [], "env": []}
    params = {"cwd": "/w", "mcpServers": [server]}
    assert told({"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": params}, OUT) == []


def test_a_broken_update_of_the_unstable_schema_is_judged_by_that_schema() -> None:
    uses = 'unstable params.update.sessionUpdate: sessionUpdate "plan_update" is unstable'
    plan = {"type": "items", "entries": []}
    assert told(update(sessionUpdate="plan_update", plan=plan)) == [
        uses,
        "schema params.update.plan.planId: is missing",
    ]
    assert told(update(sessionUpdate="plan_update", plan={**plan, "planId": 1})) == [
        uses,
        "schema params.update.plan.planId: must be a string, but is an integer: 1",
    ]
    broken = result({"stopReason": 5, "usage": {}})
    first, *rest = told(broken, IN, "session/prompt")
    assert first == "unstable result.usage: usage is unstable"
    assert any(one.startswith("schema result.stopReason: 5 is none of") for one in rest)


def test_a_whole_number_with_a_point_is_an_integer() -> None:
    assert told(update(sessionUpdate="usage_update", used=1.0, size=2e3)) == []
    (found,) = told(update(sessionUpdate="usage_update", used=1.5, size=2))
    assert found == "schema params.update.used: must be an integer, but is a number: 1.5"
    (found,) = told(update(sessionUpdate="usage_update", used=float("inf"), size=2))
    assert found.startswith(
        "schema params.update.used: must be an integer, but is a number: Infinity"
    )


def test_null_where_a_receiver_takes_its_default_is_told_of() -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "terminal/create"}
    params = {"sessionId": "s", "command": "ls", "args": None}
    assert told({**call, "params": params}) == [
        "schema-salvaged params.args: must be an array, but is null"
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("x" * 1000, '"' + "x" * 56 + "..."),
        ({"a": [None, True, {"b": {"c": [1]}}]}, '{"a": [null, true, {"b": ...}]}'),
        ([["é"] * 1000] * 1000, '[["é", "é"'),
    ],
)
def test_a_value_is_shown_as_json_and_short(value: Any, words: str) -> None:
    (found,) = told(update(sessionUpdate="usage_update", used=value, size=2))
    assert found.partition(": ")[2].partition(": ")[2].startswith(words)
    assert len(found) < 140


def test_what_tells_a_server_from_others_is_named_when_it_is_not_known() -> None:
    server = {"type": "pigeon", "name": "n", "url": "u", "headers": []}
    params = {"cwd": "/", "mcpServers": [server]}
    call = {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": params}
    (found,) = told(call, OUT)
    assert found.endswith('params.mcpServers[0].type: "pigeon" is none of: http, sse')


def test_a_response_is_checked_as_what_it_answers() -> None:
    assert told(result({}), IN, "session/new") == ["schema result.sessionId: is missing"]
    assert told(result({}), OUT, "fs/write_text_file") == []
    assert told(result({"anything": 1}), IN, "_their/own") == []


def test_null_for_an_empty_result_is_a_note_but_not_where_something_is_required() -> None:
    assert told(result(None), OUT, "terminal/release") == ["null-result result: is null"]
    (found,) = told(result(None), IN, "session/new")
    assert found == "schema result: must be an object, but is null"


def test_an_error_must_have_a_code_and_a_message() -> None:
    error = {"jsonrpc": "2.0", "id": 1, "error": {"code": "bad"}}
    assert told(error) == [
        "schema error.message: is missing",
        'schema error.code: must be an integer, but is a string: "bad"',
    ]


def test_extensions_and_meta_are_free() -> None:
    text = {"type": "text", "text": "x", "_meta": {"any": [1]}}
    assert told(update(sessionUpdate="agent_message_chunk", content=text, _meta={"x": 1})) == []
    (found,) = check_message(IN, {"jsonrpc": "2.0", "method": "_x/y", "params": 7}, None)
    assert (found.rule.id, found.rule.severity) == ("extension", "info")


def test_a_fallback_variant_takes_what_no_named_one_does_but_not_a_broken_named_one() -> None:
    params = {"sessionId": "s", "configId": "c"}
    call = {"jsonrpc": "2.0", "id": 1, "method": "session/set_config_option"}
    assert told({**call, "params": {**params, "value": "v"}}, OUT) == []
    assert told({**call, "params": {**params, "type": "boolean", "value": True}}, OUT) == []
    assert told({**call, "params": {**params, "type": "boolean", "value": "v"}}, OUT) != []


@pytest.mark.parametrize("edition", Edition)
def test_every_definition_of_the_schema_can_be_compiled(edition: Edition) -> None:
    definitions = schema.load_schema(edition)["$defs"]
    compiler = Compiler(definitions)
    strange: list[Any] = [None, True, 1, 1.5, "x", [], {}, [None], {"type": 1, "update": []}]
    for name in definitions:
        for value in strange:
            assert compiler.definition(name)(value) != []


def test_an_unknown_keyword_is_an_error_and_not_passed_over() -> None:
    with pytest.raises(ValueError, match="patternProperties"):
        Compiler({"X": {"patternProperties": {}}}).definition("X")


def test_kinds_of_problems() -> None:
    schema = {
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": {"type": "string", "minLength": 1},
            "size": {"type": "integer", "maximum": 5, "x-deserialize-default-on-error": True},
            "tags": {
                "type": "array",
                "items": {"type": "string"},
                "x-deserialize-skip-invalid-items": True,
            },
            "head": {"type": "object", "additionalProperties": {"type": "string"}},
            "list": {"type": "array", "x-deserialize-default-on-null": True},
        },
    }
    one = Compiler({"X": schema}).definition("X")
    value = {
        "id": "",
        "size": 9,
        "tags": ["a", 1],
        "head": {"h": 1, "k": "v"},
        "list": None,
        "new": 1,
    }
    assert {(kind, format_path(path)) for kind, path, _ in one(value) or ()} == {
        (ProblemKind.WRONG, "id"),
        (ProblemKind.SALVAGED, "size"),
        (ProblemKind.SALVAGED, "tags[1]"),
        (ProblemKind.SALVAGED, "list"),
        (ProblemKind.WRONG, "head.h"),
        (ProblemKind.CUSTOM, "new"),
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {}},
        {"type": "object", "additionalProperties": {}},
        {"anyOf": [{"type": "string"}, {}]},
    ],
)
def test_what_the_schema_leaves_open_may_be_anything(schema: Any) -> None:
    one = Compiler({"X": schema}).definition("X")
    values: list[Any] = [[1, None, {}]] if schema.get("type") == "array" else [{"a": 1, "b": []}]
    assert all(not (one and one(value)) for value in values)


def test_each_rule_for_a_value_is_told_of() -> None:
    schema = {"type": "array", "minLength": 2, "items": {"type": "string"}}
    one = Compiler({"X": schema}).definition("X")
    assert [format_path(path) for _, path, _ in one([1]) or ()] == ["", "[0]"]


def test_the_schemas_say_where_they_come_from() -> None:
    for edition in Edition:
        origin = schema.load_schema(edition)["origin"]
        assert origin["package"] == "@agentclientprotocol/sdk"
        assert origin["version"]
        assert len(origin["sha256"]) == 64


def told_2(
    message: dict[str, Any], direction: Direction = IN, answered: str | None = None
) -> list[str]:
    """What is wrong with a message by version 2."""
    found = check_message(direction, message, answered, 2)
    return [f"{one.rule.id} {format_path(one.path)}: {one.message}" for one in found]


def test_a_message_is_judged_by_the_version_that_is_spoken() -> None:
    running = update(sessionUpdate="state_update", state="running", background=[])
    assert told_2(running) == []
    assert told(running)[0].startswith("schema params.update.sessionUpdate")
    call = {"jsonrpc": "2.0", "method": "fs/read_text_file", "params": {"path": "/a"}, "id": 1}
    assert told_2(call) == [
        "method-of-other-version method: fs/read_text_file is a method of version 1"
    ]
    assert told_2({**call, "method": "session/set_model"}, OUT)[0].startswith("unknown-method")
    assert told_2({**call, "method": "x/y"}, OUT)[0].startswith("unknown-method")
    newer = told({"jsonrpc": "2.0", "method": "auth/login", "params": {}, "id": 1}, OUT)
    assert newer == ["method-of-other-version method: auth/login is a method of version 2"]
    chunk = update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "x"})
    assert told_2(chunk) == ["schema params.update.messageId: is missing"]
    assert told_2(result({"messageId": 7}), answered="session/prompt") == [
        "schema result.messageId: must be a string, but is an integer: 7"
    ]


def test_what_only_the_unstable_schema_of_version_2_knows_is_judged_by_it() -> None:
    good = {"sessionUpdate": "subagent_update", "sessionId": "child", "title": "T"}
    assert [one for one in told_2(update(**good)) if one.startswith("schema")] == []
    broken = told_2(update(**{**good, "title": True}))
    assert any(one.startswith("schema") and "params.update.title" in one for one in broken)


def test_what_version_2_leaves_open_is_no_fault_but_a_known_variant_in_a_bad_form_is() -> None:
    assert told_2(update(sessionUpdate="of_the_future", some=1)) == []
    assert told_2(update(sessionUpdate="_mine", some=1)) == []
    known = update(sessionUpdate="state_update", state=7)
    assert told_2(known)[0].startswith("schema params.update.state: ")
    ask = {"jsonrpc": "2.0", "id": 1, "method": "session/request_permission"}
    params = {"sessionId": "s", "title": "T", "subject": {"type": "_x"}, "options": []}
    assert told_2({**ask, "params": params}) == ["schema params.options: must not be empty"]


REQUEST = {
    "x-method": "x",
    "x-side": "agent",
    "properties": {
        "title": {"allOf": [{"$ref": "#/$defs/Title"}]},
        "name": {"$ref": "#/$defs/Title"},
    },
}
"""It stays as it is."""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of the npm registry, as far as a refresh looks at it."""
    package = tmp_path / "package"
    for version in ("v1", "v2"):
        (package / "schema" / version).mkdir(parents=True)
    (package / "package.json").write_text('{"name": "n", "version": "9"}')
    (package / "LICENSE").write_text("words")
    described = {"type": "string", "description": "prose"}
    definitions = {
        "Error": {"title": "Error", "type": "object"},
        "Title": described,
        "Unused": {},
        "XRequest": REQUEST,
    }
    for name in ("v1/schema.json", "v1/schema.unstable.json"):
        (package / "schema" / name).write_text(json.dumps({"$defs": definitions}))
    for name in ("v2/schema.json", "v2/schema.unstable.json"):
        (package / "schema" / name).write_text(json.dumps({"$defs": {"Error": {}}}))
    return package


def test_a_refresh_takes_the_rules_without_the_prose(
    package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refresh_schemas.main([str(package)], tmp_path)
    data = json.loads((tmp_path / "v1.json").read_text())
    assert data["origin"]["version"] == "9"
    assert data["$defs"] == {
        "Error": {"type": "object"},
        "Title": {"type": "string"},
        "XRequest": REQUEST,
    }
    assert (tmp_path / "LICENSE").read_text() == "words"
    assert "x" in json.loads((tmp_path / "docs.json").read_text())
    schemas = [tmp_path / f"{edition}.json" for edition in Edition]
    names = ("docs", "prose", "prose.v2")
    texts = [tmp_path / f"{name}.json" for name in names]
    written = [*schemas, *texts, tmp_path / "overlay.json", tmp_path / "LICENSE"]
    assert capsys.readouterr().out.split() == [str(path) for path in written]


STABILIZED = {"versions": [1, 2], "stabilized": {"NewRequest": ["mood"], "LoadRequest": ["mood"]}}
VARIANTS = {"versions": [1, 2], "variants": {"Content": ["song"]}}
UNSTABLE_METHOD = {
    "versions": [2],
    "unstable": True,
    "definitions": {"SingRequest": {}},
    "properties": {"NewRequest": {"mood": {}}},
}
ADDED = {
    "versions": [2],
    "added": {"Content": [{"properties": {"type": {"type": "string", "const": "song"}}}]},
}


@pytest.mark.parametrize(
    ("addition", "without", "with_it"),
    [
        (
            STABILIZED,
            {"NewRequest": {"properties": {}}},
            {"NewRequest": {"properties": {"mood": {}}}},
        ),
        (VARIANTS, {"Content": {"oneOf": [{}]}}, {"Content": {"anyOf": ADDED["added"]["Content"]}}),
        (ADDED, {"Content": {"anyOf": [{}]}}, {"Content": {"oneOf": ADDED["added"]["Content"]}}),
        (UNSTABLE_METHOD, {}, {"SingRequest": {}}),
        (
            UNSTABLE_METHOD,
            {"SingRequest": {}, "NewRequest": {"properties": {}}},
            {"SingRequest": {}, "NewRequest": {"properties": {"mood": {}}}},
        ),
    ],
)
def test_a_refresh_drops_what_of_the_overlay_all_new_schemas_have(
    addition: dict[str, Any], without: dict[str, Any], with_it: dict[str, Any]
) -> None:
    first, second = (
        (Edition.UNSTABLE, Edition.UNSTABLE_2)
        if addition.get("unstable")
        else (Edition.STABLE, Edition.STABLE_2)
    )
    assert refresh_schemas.still_missing([addition], {first: with_it, second: without}) == [
        addition
    ]
    assert refresh_schemas.still_missing([addition], {first: with_it, second: with_it}) == []
    other = without if 1 not in addition["versions"] else {}
    assert refresh_schemas.still_missing([addition], {first: other, second: with_it}) == []


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("subagent_update", {"sessionId": "c", "state": {"state": "running"}, "title": None}),
        ("session_message", {"messageId": "m", "senderSessionId": "s", "content": []}),
        ("session_message_chunk", {"messageId": "m", "content": {"type": "text", "text": "x"}}),
        (
            "tool_call_update",
            {"toolCallId": "t", "content": [{"type": "session", "sessionId": "c"}]},
        ),
    ],
)
def test_subagents_are_part_of_both_versions(
    kind: str, fields: dict[str, Any], version: int
) -> None:
    assert check_message(IN, update(sessionUpdate=kind, **fields), version=version) == []


@pytest.mark.parametrize("version", [1, 2])
def test_what_is_wrong_in_an_update_about_a_subagent_is_named(version: int) -> None:
    link = {"type": "session"}
    found = check_message(
        IN,
        update(sessionUpdate="tool_call_update", toolCallId="t", content=[link]),
        version=version,
    )
    assert [(one.rule.id, format_path(one.path)) for one in found] == [
        ("schema-salvaged", "params.update.content[0].sessionId")
    ]
    (found_one, *_) = check_message(IN, update(sessionUpdate="subagent_update"), version=version)
    assert found_one.rule.id == "schema"


def test_background_work_of_version_2_may_be_a_subagent() -> None:
    work = [{"type": "subagent", "sessionId": "c"}]
    idle = update(sessionUpdate="state_update", state="idle", background=work)
    assert check_message(IN, idle, version=2) == []


def test_release_and_date_are_those_of_the_package_that_the_schemas_are_from() -> None:
    packages = {schema.load_schema(edition)["origin"]["version"] for edition in Edition}
    assert packages == {"2.4.0"}
    assert (schema.RELEASE, schema.DATE) == ("1.29", "2026-11-01")


def test_each_addition_of_the_overlay_has_a_name_of_its_own() -> None:
    names = [addition["what"] for addition in schema.load_overlay()]
    assert len(set(names)) == len(names)


def test_each_addition_of_the_overlay_names_its_source_and_release() -> None:
    for addition in schema.load_overlay():
        assert addition["source"]
        assert addition["date"] > schema.DATE
        assert addition["release"] > schema.RELEASE


def test_what_the_schema_says_is_kept_by_type_also_where_the_type_is_used() -> None:
    used = {
        "description": "Cancels.\n\nSee protocol docs: x",
        "allOf": [{"$ref": "#/$defs/Cancel"}],
    }
    cancel = {
        "description": "A cancel.",
        "properties": {"id": {"description": "Which."}, "_meta": {"description": "More."}},
        "oneOf": [{"description": "Which."}, {"type": "null"}],
    }
    schema = {"anyOf": [{"anyOf": [used]}], "$defs": {"Cancel": cancel, "Id": {"type": "string"}}}
    assert refresh_schemas.extract_prose(schema) == {"Cancel": ["A cancel.", "Which.", "Cancels."]}


def test_a_refresh_without_a_package_says_what_it_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["refresh"])
    with pytest.raises(SystemExit, match="PACKAGE_DIR is the unpacked npm package"):
        runpy.run_path(refresh_schemas.__file__, run_name="__main__")
