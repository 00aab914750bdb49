"""Modes in which an agent doesn't ask: by id, name and description, and told in the transcript."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_tui.protocol.frames import Direction
from acp_tui.state.approval_phrases import _CLUES, _PHRASES, _PHRASES_ELSEWHERE
from acp_tui.state.entries import NoticeEntry
from acp_tui.state.modes import Mode, available_modes, current_mode
from tests.examples import some_of
from tests.unit.state.conversation import Conversation

UNASKED = [
    ("m", "Mode", "Changes files without asking", "without asking"),
    ("m", "Mode", "Plans. Then I won't ask before commands", "won't ask"),
    ("m", "Mode", "Don’t prompt for permissions", "Don’t prompt"),
    ("m", "Mode", "Edits files and uses the network without approval.", "without approval"),
    ("m", "Mode", "Asks nothing", "Asks nothing"),
    ("bypass", "Bypass permissions", "Accepts all permissions", "Accepts all permissions"),
    ("bypassPermissions", "Bypass", "", "Bypass"),
    ("m", "Mode", "Bypass all permission checks", "Bypass all permission"),
    ("auto", "Auto", "The agent handles permission decisions", "handles permission decisions"),
    ("auto", "Auto", "A classifier auto-approves safe actions, blocks risky ones", "Auto"),
    ("auto", "Smart", "", "auto"),
    ("full", "Full access", "Unrestricted access to any file", "Unrestricted access"),
    ("fa", "Full access", "All tools, no prompts.", "no prompts"),
    ("danger-full-access", "Agent", "Runs in no sandbox", "danger-full-access"),
    ("pilot", "Autopilot", "Enables allow-all and runs to the end", "allow-all"),
    ("m", "Mode", "Runs without user interaction", "without user interaction"),
    ("yolo", "YOLO", "Auto-approves all tools", "Auto-approves"),
    ("yolo", "Whatever", "", "yolo"),
    ("m", "Yes to all", "", "Yes to all"),
    ("m", "Zero prompts", "", "Zero prompts"),
    ("m", "No confirmation", "", "No confirmation"),
    ("m", "Run Everything", "", "Run Everything"),
    ("permissionless", "Calm", "", "permissionless"),
    ("m", "Brave mode", "", "Brave mode"),
    ("autoAccept", "Fast", "", "autoAccept"),
    ("m", "Auto-accept", "", "Auto-accept"),
    ("m", "Mode", "Auto-approves edits and commands", "Auto-approves"),
    ("https://agent/modes#autopilot", "Pilot", "", "https://agent/modes#autopilot"),
    ("never", "Never", "", "Never"),
    ("acceptAll", "Fast", "", "acceptAll"),
    ("m", "Accept all", "", "Accept all"),
    ("m", "Approve everything", "", "Approve everything"),
    ("trust-all-tools", "Trusted", "", "trust-all-tools"),
    ("m", "YOLO edits", "", "YOLO edits"),
    ("m", "Y.O.L.O", "", "Y.O.L.O"),
    ("m", "approval: never", "", "approval: never"),
    ("m", "Always proceed", "", "Always proceed"),
    ("m", "Autopilot", "", "Autopilot"),
    ("m", "Unattended", "", "Unattended"),
    ("m", "Hands-free", "", "Hands-free"),
    ("m", "No restrictions", "", "No restrictions"),
    ("m", "Agent", "Tools are pre-approved", "pre-approved"),
    ("m", "Ask less", "Skips confirmation for tools", "Skips confirmation"),
    ("m", "Mode", "No need to approve anything", "No need to approve"),
    ("m", "Mode", "Nothing needs your approval", "Nothing needs your approval"),
    ("m", "Mode", "You will be asked nothing", "asked nothing"),
    ("m", "Mode", "You won't be asked", "won't be asked"),
    ("m", "Mode", "Trusts all tools", "Trusts all tools"),
    ("m", "Mode", "Approves everything", "Approves everything"),
    ("m", "Mode", "Works with no restrictions", "no restrictions"),
    (
        "m",
        "Edit mode",
        "Approves edits and shell commands automatically",
        "Approves edits and shell commands automatically",
    ),
    ("m", "Mode", "Runs them automatically", "Runs them automatically"),
    (
        "m",
        "Mode",
        "Executes tools on its own; you are told afterwards",
        "Executes tools on its own",
    ),
    ("z", "Read only", "Runs every command at once", "Runs every command at once"),
    ("default", "Default", "Tool calls proceed immediately", "proceed immediately"),
    ("m", "Mode", "Plans first. Immediately runs its commands", "Immediately runs"),
    ("god", "God mode", "", "God mode"),
    ("godMode", "All in", "", "godMode"),
    ("m", "Mode", "Runs commands at once; nobody is asked", "nobody is asked"),
    ("m", "Mode", "No one will be asked", "No one will be asked"),
    ("m", "Trusted", "The agent is trusted to do everything", "trusted to do everything"),
    ("m", "Mode", "Does it, no questions asked", "no questions asked"),
    ("m", "Mode", "You are no longer asked", "no longer asked"),
    ("m", "Mode", "Commands are executed without being asked", "without being asked"),
    ("m", "Mode", "Acts without supervision", "without supervision"),
    ("m", "Mode", "Runs with no human in the loop", "no human in the loop"),
    ("m", "Mode", "For unattended runs", "unattended"),
    ("m", "Mode", "Says yes to everything", "yes to everything"),
    ("m", "Mode", "Works without guardrails", "without guardrails"),
    ("m", "Mode", "Zero prompts", "Zero prompts"),
    ("m", "Mode", "Tools don't need approval", "don't need approval"),
    ("m", "Mode", "Approval is not required", "Approval is not required"),
    ("m", "Mode", "Permission checks are disabled", "Permission checks are disabled"),
    ("m", "Mode", "All tools are allowed", "All tools are allowed"),
    ("m", "Mode", "Disables all permission prompts", "Disables all permission"),
    ("m", "Mode", "Runs all commands by itself", "Runs all commands by itself"),
    ("unsupervised", "Mode", "", "unsupervised"),
    ("m", "No questions asked", "", "No questions asked"),
    ("m", "Unsafe", "", "Unsafe"),
    ("m", "Mode", "Goes ahead without your okay", "without your okay"),
    ("m", "Mode", "Runs commands instead of asking", "instead of asking"),
    ("m", "Mode", "Works without checking with you", "without checking with"),
    ("m", "Mode", "Never stops for your approval", "Never stops for your approval"),
    ("m", "Mode", "Doesn't pause to ask", "Doesn't pause to ask"),
    ("m", "Mode", "You will not be consulted", "will not be consulted"),
    ("m", "Mode", "No consent needed", "No consent"),
    ("m", "Mode", "Your approval isn't required", "approval isn't required"),
    ("m", "Mode", "User confirmation: off", "confirmation: off"),
    ("m", "Mode", "approval_policy = never, no sandbox", "approval policy = never"),
    ("m", "Mode", "Permission prompts are suppressed", "Permission prompts are suppressed"),
    ("m", "Mode", "Permissions are auto-granted", "auto-granted"),
    ("m", "Mode", "Permits all actions", "Permits all actions"),
    ("m", "Mode", "Every prompt is accepted", "Every prompt is accepted"),
    ("m", "Mode", "All tool calls go through", "All tool calls go through"),
    ("m", "Mode", "Treats every command as trusted", "Treats every command as trusted"),
    ("m", "Mode", "Complete access to your computer", "Complete access"),
    ("m", "Mode", "Has free rein over your machine", "free rein"),
    ("m", "Mode", "Fully autonomous", "Fully autonomous"),
    ("m", "Mode", "The agent decides on its own", "decides on its own"),
    (
        "m",
        "Mode",
        "Applies and runs everything straight away",
        "Applies and runs everything straight away",
    ),
    ("m", "Hands off", "", "Hands off"),
    ("m", "Unleashed", "", "Unleashed"),
    ("m", "模式", "无需确认即可执行所有命令", "无需确认"),
    ("m", "全自动", "", "全自动"),
    ("m", "モード", "確認なしで実行します", "確認なし"),
    ("m", "모드", "모든 도구를 자동으로 승인", "자동으로 승인"),
    ("m", "Modus", "Führt Befehle ohne Rückfrage aus", "ohne Rückfrage"),
    ("m", "Alles erlauben", "", "Alles erlauben"),
    ("m", "Mode", "Exécute tout sans demander", "sans demander"),
    ("m", "Modo", "Ejecuta todo sin pedir permiso", "sin pedir permiso"),
    ("m", "Modo", "Executa tudo sem confirmação", "sem confirmação"),
    ("m", "Modo", "Esegue tutto senza chiedere", "senza chiedere"),
    ("m", "Режим", "Выполняет команды без подтверждения", "без подтверждения"),
    ("m", "Ask before commands Never", "", "Ask before commands Never"),
    ("m", "Require approval No", "", "Require approval No"),
    ("m", "Confirm commands Off", "", "Confirm commands Off"),
    ("m", "Autonomy Full", "", "Autonomy Full"),
    ("m", "Run all", "", "Run all"),
    ("m", "Mode", "Don't bother me with requests", "Don't bother me"),
    ("m", "Mode", "All operations are pre-authorized", "pre-authorized"),
    ("m", "Mode", "Is free to run any command", "free to run any"),
    ("m", "Mode", "The agent decides what needs approval", "agent decides what needs approval"),
    ("m", "Mode", "Runs without needing your permission", "without needing your permission"),
    ("m", "Mode", "Commands aren't confirmed", "aren't confirmed"),
    ("m", "Mode", "Approvals: auto", "Approvals: auto"),
]
ASKING = [
    ("m", "Mode", "Nobody is asked about reads; commands need your approval"),
    ("m", "Mode", "Never works without supervision"),
    ("m", "Mode", "Not for unattended use"),
    ("m", "Mode", "Runs commands that don't need approval, asks about the others"),
    ("m", "Mode", "Runs a tool where approval is not required"),
    ("m", "Mode", "Not all tools are allowed"),
    ("m", "Mode", "All tools are allowed after your approval"),
    ("m", "Mode", "Everything is allowed once you confirm"),
    ("m", "Mode", "All reads are allowed"),
    ("m", "Mode", "Permission prompts can't be disabled"),
    ("m", "Mode", "Disables all tools that need approval"),
    ("m", "Mode", "Plans by itself, nothing is run"),
    ("m", "Mode", "Answers questions, never edits"),
    ("m", "Godot", "Writes for the Godot engine"),
    ("m", "Good mode", ""),
    ("turbo", "Turbo", "A faster model"),
    ("review", "Unsafe code review", ""),
    ("default", "Manual", "Always ask before making changes"),
    ("acceptEdits", "Accept edits", "Automatically accept all file edits"),
    ("autoEdit", "Auto Edit", "Auto-approves edit tools"),
    ("accept-edits", "Accept Edits", "Auto-approves file edits only"),
    ("auto-accept-edits", "Auto-accept edits", ""),
    ("strict", "Strict", "Auto-approves only read operations"),
    ("auto", "Auto", "Approves safe commands, asks for others"),
    ("no-ask", "Careful", "Nothing is executed unless you approve it"),
    ("auto", "Auto", "Auto-approves only read operations"),
    ("auto-approve", "Auto-approve", "Auto-approves only read operations"),
    ("auto", "Agent", "Reads, edits and runs. Approval is required to access the internet"),
    ("auto", "Auto", "Asks for approval where it is not sure"),
    ("dontAsk", "Don't ask", "Don't prompt for permissions, deny if not pre-approved"),
    ("plan", "Plan", "Read-only mode"),
    ("build", "build", "Executes tools based on configured permissions."),
    ("ask", "Ask", "Requires approval for tool executions"),
    ("m", "Mode", "Never changes a file without asking"),
    ("m", "Mode", "Changes nothing without your approval"),
    ("m", "Mode", "Doesn't auto-approve anything"),
    ("m", "Mode", ""),
    ("m", "Mode", "Asks before it edits"),
    ("m", "Mode", "Read only, never writes"),
    ("plan", "Plan mode", "Plans without changing anything"),
    ("default", "Default", "Standard behavior"),
    ("m", "Mode", "Does not run commands automatically"),
    ("m", "Mode", "Doesn't execute tools on its own"),
    ("m", "Mode", "Commands never run at once"),
    ("m", "Mode", "Tools are not pre-approved"),
    ("m", "Mode", "Doesn't skip confirmation"),
    ("m", "Mode", "Runs safe commands automatically, asks about the others"),
    ("m", "Mode", "Runs commands at once after your approval"),
    ("m", "Mode", "Accepts file edits automatically"),
    ("m", "Mode", "Automatically accepts edits in the workspace"),
    ("m", "Mode", "Runs in a sandbox on its own"),
    ("m", "Mode", "Approves read-only tools automatically"),
    ("m", "Accept all edits", ""),
    ("m", "Accept all", "Accepts edits only"),
    ("m", "Always proceed", "Asks for approval before commands"),
    ("m", "Mode", "Auto-approve: off"),
    ("m", "Auto-approve None", ""),
    ("m", "Auto-approve Never", ""),
    ("m", "Auto-run Ask first", ""),
    ("m", "Ask before edits Never", ""),
    ("m", "Ask before commands Always", ""),
    ("m", "Mode", "Auto-approval is disabled"),
    ("m", "Auto-approve off", ""),
    ("m", "No auto-approve", ""),
    ("m", "YOLO off", ""),
    ("m", "Disable YOLO", ""),
    ("m", "Not unattended", ""),
    ("m", "Ask, never auto-run", ""),
    ("m", "Dangerous code finder", ""),
    ("m", "Mode", "Nichts wird ohne Rückfrage ausgeführt"),
    ("m", "Mode", "Ne modifie rien sans demander"),
    ("m", "Mode", "No hace nada sin pedir permiso"),
    ("m", "Mode", "不会自动批准"),
    ("m", "Mode", "每次操作都需要确认"),
    ("m", "Mode", "自动接受编辑"),
    ("m", "Mode", "只自动批准读取"),
    ("m", "Mode", "所有操作都需要批准"),
    ("m", "Mode", "すべての操作に承認が必要"),
    ("m", "Mode", "編集のみ自動承認"),
    ("m", "Mode", "自動承認しません"),
    ("m", "Mode", "모든 작업 승인 필요"),
    ("m", "Mode", "편집만 자동 승인"),
    ("m", "Mode", "Fragt vor allen Befehlen"),
    ("m", "Mode", "Fragt immer nach"),
    ("m", "Mode", "Demande avant chaque commande"),
    ("m", "Mode", "Pregunta antes de cada comando"),
    ("m", "Mode", "Спрашивает перед каждой командой"),
    ("m", "Mode", "Ничего не делает без подтверждения"),
    ("m", "Mode", "Doesn't proceed on its own"),
    ("m", "Mode", "Never acts alone"),
    ("m", "Mode", "All actions require approval"),
    ("m", "Mode", "Every command needs your okay"),
    ("m", "Mode", "You approve every tool call"),
    ("m", "Mode", "You accept all changes by hand"),
    ("m", "Mode", "Asks you to approve all tools"),
    ("m", "Mode", "Accept all changes"),
    ("m", "Mode", "Never interrupts streaming"),
    ("m", "Mode", "Doesn't check in code"),
    ("m", "Mode", "Confirmation is never skipped"),
    ("m", "Mode", "Permission is never granted automatically"),
    ("m", "Mode", "Writes fully automated tests"),
    ("m", "Mode", "Fully automatic formatting"),
    ("m", "Mode", "Decides on its own which model to use"),
    ("m", "Mode", "Operates independently of the network"),
    ("m", "Mode", "Writes and modifies code with full tool access"),
    ("m", "Mode", "Full agent capabilities with tool access"),
    ("m", "Mode", "Q&A mode - no edits or command execution"),
    ("m", "Mode", "Denies everything without asking"),
    ("m", "Mode", "Blocks all commands without prompting"),
    ("m", "Mode", "Automatically approve edits, ask for everything else"),
    ("m", "Mode", "Automatically approves reads and prompts for everything else"),
    ("m", "Mode", "Grants permission per call"),
    ("m", "Mode", "Requests permission for all tools"),
    ("m", "Mode", "Waits for your confirmation"),
    ("m", "Mode", "Checks with you before commands"),
    ("m", "Mode", "Stops for approval before each command"),
    ("m", "Mode", "Answers without waiting for tools"),
    ("m", "Mode", "Never runs anything without checking with you"),
    ("m", "Mode", "Nothing goes through without your review"),
    ("m", "Mode", "Accepte automatiquement les modifications"),
    ("m", "Mode", "Akzeptiert Bearbeitungen automatisch"),
]


def test_a_mode_that_does_not_ask_is_known() -> None:
    for id, name, description, phrase in UNASKED:
        assert Mode(id, name, description).no_approval_phrase == phrase, (id, description)


def test_a_mode_that_asks_or_approves_edits_only_is_none() -> None:
    for id, name, description in ASKING:
        assert Mode(id, name, description).no_approval_phrase == "", (id, description)


@pytest.mark.parametrize("phrase", [*_PHRASES, *_PHRASES_ELSEWHERE])
@settings(max_examples=some_of(30), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_each_phrase_has_one_of_the_clues_without_which_none_is_searched(
    phrase: str, data: st.DataObject
) -> None:
    # Other letters are a clue, so a phrase in English is tried without.
    pattern = re.compile(phrase, re.IGNORECASE | (re.ASCII if phrase.isascii() else 0))
    assert re.search(_CLUES, data.draw(st.from_regex(pattern, fullmatch=True)))


def test_of_a_description_without_an_end_only_the_beginning_is_read() -> None:
    assert not Mode("m", "Mode", "run " * 1_000_000).no_approval_phrase
    assert Mode("m", "Mode", "Asks nothing. " + "run " * 1_000_000).no_approval_phrase


def modes(current: str) -> dict[str, object]:
    listed = [
        {"id": "ask", "name": "Ask"},
        {"id": "bypass", "name": "Go", "description": "Accepts all permissions"},
        {"id": "yolo", "name": "Yolo"},
    ]
    return {"currentModeId": current, "availableModes": listed}


def option(current: str) -> list[dict[str, object]]:
    values = [{"value": "ask", "name": "Ask first"}, {"value": "bypass", "name": "Go on"}]
    kind = {"id": "mode", "name": "Mode", "category": "mode", "type": "select"}
    return [kind | {"currentValue": current, "options": values}]


def titles(talk: Conversation) -> list[str]:
    return [one.title for one in talk.session.entries if isinstance(one, NoticeEntry)]


GO = "Mode Go: the agent doesn't ask before it acts"


def begun(method: str, **setup: object) -> Conversation:
    talk = Conversation.opened("other")
    params = {"cwd": "/work", "mcpServers": [], "sessionId": "s"}
    talk.call(method, params, result={"sessionId": "s", **setup})
    return talk


@pytest.mark.parametrize("method", ["session/new", "session/load", "session/resume"])
def test_a_session_that_begins_in_such_a_mode_says_so_in_its_transcript(method: str) -> None:
    talk = begun(method, modes=modes("bypass"))
    assert titles(talk) == [GO]
    (notice,) = talk.session.entries
    assert isinstance(notice, NoticeEntry)
    assert notice.severity == "warning"
    assert notice.description == "The agent says of it: Accepts all permissions"
    assert not titles(begun(method, modes=modes("ask")))
    assert not titles(begun(method))


@pytest.mark.parametrize(("category", "is_warned"), [("speed", False), ("other", True)])
def test_a_speed_may_have_any_name(category: str, is_warned: bool) -> None:
    kind = {"id": "fast", "name": "Speed", "category": category, "type": "select"}
    values = [{"value": "raw", "name": "Without prompts in the cache"}]
    options = [kind | {"currentValue": "raw", "options": values}]
    assert bool(titles(begun("session/new", configOptions=options))) is is_warned


def test_it_is_told_again_when_the_session_is_opened_again() -> None:
    talk = begun("session/new", modes=modes("bypass"))
    params = {"cwd": "/work", "mcpServers": [], "sessionId": "s"}
    talk.call("session/resume", params, result={"modes": modes("bypass")})
    assert titles(talk)[-1] == GO
    assert titles(talk).count(GO) == 2


def test_whoever_changes_to_such_a_mode_it_is_told_once() -> None:
    talk = begun("session/new", modes=modes("ask"))
    talk.update("current_mode_update", currentModeId="bypass")
    assert titles(talk) == [GO]
    talk.update("current_mode_update", currentModeId="bypass")
    assert titles(talk) == [GO]
    talk.call("session/set_mode", {"sessionId": "s", "modeId": "ask"}, result={})
    assert titles(talk) == [GO]
    talk.call("session/set_mode", {"sessionId": "s", "modeId": "yolo"}, result={})
    assert titles(talk) == [GO, "Mode Yolo: the agent doesn't ask before it acts"]
    (_, notice) = talk.session.entries
    assert isinstance(notice, NoticeEntry)
    assert notice.description is None


def test_what_is_replayed_before_a_session_is_open_is_told_once() -> None:
    talk = Conversation.opened("other")
    params = {"cwd": "/work", "mcpServers": [], "sessionId": "s"}
    id = talk.call("session/load", params)
    talk.update("config_option_update", configOptions=option("bypass"))
    talk.frame(Direction.IN, {"id": id, "result": {"configOptions": option("bypass")}})
    assert titles(talk) == ["Mode Go on: the agent doesn't ask before it acts"]


def test_an_option_for_modes_is_described_by_modes_where_it_has_no_words() -> None:
    talk = begun("session/new", modes=modes("ask"), configOptions=option("bypass"))
    assert current_mode(talk.session) == Mode("bypass", "Go on", "Accepts all permissions")
    assert [mode.name for mode in available_modes(talk.session)] == ["Ask first", "Go on"]
    result = {"configOptions": option("ask")}
    params = {"sessionId": "s", "configId": "mode", "value": "ask"}
    talk.call("session/set_config_option", params, result=result)
    talk.update("config_option_update", configOptions=option("bypass"))
    assert titles(talk) == ["Mode Go on: the agent doesn't ask before it acts"] * 2


@pytest.mark.parametrize("id", ["mode", "Mode"])
def test_an_option_for_modes_needs_no_category(id: str) -> None:
    (given,) = option("bypass")
    named = given | {"id": id, "category": None}
    talk = begun("session/load", configOptions=[given | {"id": "other", "category": "x"}, named])
    assert titles(talk) == ["Mode Go on: the agent doesn't ask before it acts"]
    other = given | {"id": "permissions", "name": "Permissions"}
    talk = begun("session/load", configOptions=[named | {"currentValue": "yolo"}, other])
    # Its category counts.
    assert titles(talk) == ["Mode Go on: the agent doesn't ask before it acts"]


def switch(on: bool, name: str = "Auto-approve", category: str = "other") -> dict[str, object]:
    kind = {"id": "s1", "name": name, "category": category, "type": "boolean"}
    return kind | {"currentValue": on}


def select(value: str, name: str = "Approval policy", category: str = "other") -> dict[str, object]:
    values = [{"value": "ask", "name": "Ask"}, {"value": "never", "name": "Never"}]
    values += [{"value": "full-access", "name": "Full access"}]
    kind = {"id": "s2", "name": name, "category": category, "type": "select"}
    return kind | {"currentValue": value, "options": values}


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (switch(True), "Auto-approve"),
        (select("never"), "Approval policy Never"),
        (select("full-access", "Sandbox"), "Sandbox Full access"),
    ],
)
def test_another_option_by_which_the_agent_does_not_ask_is_announced(
    given: dict[str, object], name: str
) -> None:
    talk = begun("session/load", modes=modes("ask"), configOptions=[given])
    assert titles(talk) == [f"Option {name}: the agent doesn't ask before it acts"]
    talk.update("config_option_update", configOptions=[given])
    assert len(titles(talk)) == 1


@pytest.mark.parametrize(
    "given",
    [
        switch(False),
        switch(True, "Auto-approve edits"),
        switch(True, "Web search"),
        select("ask"),
        select("never", "Color"),
        select("full-access", "Model", "model"),
        {"id": "x", "name": "Full access", "type": "later"},
    ],
)
def test_an_option_that_is_about_something_else_is_not(given: dict[str, object]) -> None:
    assert not titles(begun("session/new", configOptions=[given]))


@pytest.mark.parametrize(
    "name",
    [
        *(
            "Require approval",
            "Ask before running commands",
            "Ask for permission",
            "Confirm commands",
        ),
        *(
            "Approvals",
            "Permission prompts",
            "Approval required",
            "Prompt before tool use",
            "askFirst",
        ),
    ],
)
def test_a_switch_that_makes_the_agent_ask_is_announced_when_it_is_off(name: str) -> None:
    talk = begun("session/new", configOptions=[switch(False, name)])
    assert titles(talk) == [f"Option {name} off: the agent doesn't ask before it acts"]
    talk.update("config_option_update", configOptions=[switch(True, name)])
    assert len(titles(talk)) == 1
    talk.update("config_option_update", configOptions=[switch(False, name)])
    assert len(titles(talk)) == 2


@pytest.mark.parametrize(
    "name",
    [
        *("Prompt caching", "Ask mode", "Confirm on exit", "Confirm before quitting", "Web search"),
        *("Ask before edits", "Permissions panel", "Auto-approve", "Bypass permissions", "YOLO"),
    ],
)
def test_another_switch_may_be_off(name: str) -> None:
    assert not titles(begun("session/new", configOptions=[switch(False, name)]))


def test_in_version_2_too() -> None:
    talk = Conversation.opened_in_2(configOptions=option("yolo"))
    assert current_mode(talk.session) == Mode("yolo", "yolo")
    assert titles(talk) == ["Mode yolo: the agent doesn't ask before it acts"]


def test_without_modes_there_is_none() -> None:
    assert current_mode(Conversation.opened().session) is None
    assert available_modes(Conversation.opened().session) == []
