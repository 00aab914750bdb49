"""Rules made of a question, shown and revoked; and what a question says of a rule."""

import pytest

from acp_tui.policy.rules import ALLOW_ALL, Rule, RuleAnswer, RuleScope
from acp_tui.protocol.content import ContentItem, TextContent
from acp_tui.protocol.file_events import AccessAsked, FileOperation
from acp_tui.state.commands import AddRule, Command, ConsiderRules, ForgetRule
from acp_tui.state.open_questions import Permission
from acp_tui.state.question import WORD_GAP
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio
EDITS = Rule(RuleAnswer.ALLOW, ("edit",), paths=("notes/**",))


def done(it: Running) -> list[Command]:
    """What was asked for, but for a look at where the folders of rules are."""
    return [one for one in it.asked if not isinstance(one, ConsiderRules)]


async def press_armed(it: Running, key: str) -> None:
    await it.wait_until_armed()
    await it.press(key)


async def test_a_rule_is_made_of_a_question_for_the_session_or_the_project() -> None:
    state, session = states.asking()
    async with running(state) as it:
        await press_armed(it, "a")
        shown = it.screen
        assert "From now on, without asking:" in shown
        for words in ("allow editing notes/g.txt", "allow editing any file below notes"):
            assert words in shown
        assert "reject editing notes/g.txt" in shown
        assert "asks for permission" in shown
        (offered,) = it.asked  # where they are is noted before the answer
        assert isinstance(offered, ConsiderRules)
        assert EDITS in offered.rules
        await press_armed(it, "2")
        shown = it.screen
        assert "without asking: allow editing any file below notes" in shown
        assert "allow kind edit, path notes/**" in shown
        assert "In this session" in shown
        await press_armed(it, "1")
        rule = EDITS._replace(scope=RuleScope.SESSION, where=session.session_id)
        assert done(it) == [AddRule(rule)]
        for key in ("a", "2", "2"):
            await press_armed(it, key)
        assert done(it)[1:] == [AddRule(EDITS._replace(scope=RuleScope.PROJECT, where=states.CWD))]


async def test_what_was_in_view_when_a_rule_was_chosen_need_not_be_for_where_it_counts() -> None:
    state, session = states.working()
    text = ContentItem(content=TextContent(text="Two cups.\nNo milk.\nNo sugar."))
    permission = states.ask(state, session, 50, "Pour", content=[text], raw_input={"cups": 2})
    assert permission.tool_call is not None
    changed = {"kind": "other", "locations": []}
    permission.tool_call = permission.tool_call.model_copy(update=changed)
    async with running(state, (80, 24)) as it:
        await press_armed(it, "a")
        assert '"cups": 2' in it.screen
        await press_armed(it, "1")
        assert '"cups": 2' not in it.screen
        await press_armed(it, "1")
        (command,) = done(it)
        assert isinstance(command, AddRule)
        assert command.rule.words == "allow kind other, title Pour"


async def test_neither_question_takes_a_key_that_was_typed_ahead_and_esc_goes_back() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.press("2", "2")
        assert "asks for permission" in it.screen
        assert it.prompt == "22"
        await it.press("escape")
        await press_armed(it, "a")
        await it.press("1")
        assert "From now on, without asking:" in it.screen
        await press_armed(it, "1")
        await it.press("1")
        assert "In this session" in it.screen
        await press_armed(it, "escape")
        shown = it.screen
        assert "In this session" not in shown
        assert "asks for permission" in shown
        assert it.prompt == ""
        assert done(it) == []


async def test_a_text_that_begins_with_its_key_is_written_and_makes_no_rule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("acp_tui.state.question.WORD_GAP", WORD_GAP)
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        it.clock.now += 5
        await it.press_at_once(*"allow nothing")
        assert it.prompt == "allow nothing"
        assert "From now on" not in it.screen
        assert "Enter rejects and sends this" in it.screen
        assert done(it) == []


async def test_no_number_or_letter_of_a_prompt_makes_a_rule_however_late() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        for last in ("2", "j"):
            for key in ("a", "2", "o", last, "enter"):
                await press_armed(it, key)
            assert (done(it), it.prompt) == ([], f"o{last}")
            shown = it.screen
            assert "Enter again rejects and sends this" in shown
            assert "From now on" not in shown
            await press_armed(it, "escape")
            assert it.prompt == ""
            await it.wait_until_armed()
        await press_armed(it, "1")
        assert len(done(it)) == 1


async def test_nothing_is_marked_among_rules_before_an_arrow_marks_it() -> None:
    state, session = states.asking()
    async with running(state, (120, 30)) as it:
        await press_armed(it, "a")
        assert "Down mark" in it.row_of_keys
        await press_armed(it, "enter")
        assert "From now on, without asking:" in it.screen
        await it.press("down")
        assert "Enter choose" in it.row_of_keys
        await it.press("enter")
        await press_armed(it, "enter")
        assert "In this session" in it.screen
        assert done(it) == []
        await it.press("down", "enter")
        rule = EDITS._replace(
            paths=("notes/g.txt",), scope=RuleScope.SESSION, where=session.session_id
        )
        assert done(it) == [AddRule(rule)]


async def test_what_cant_be_read_makes_no_rule_and_no_digit_after_its_key_allows() -> None:
    state, session = states.working()
    permission = states.ask(state, session, 50, "Run", raw_input={"command": "rm $X"})
    assert permission.tool_call is not None
    permission.tool_call = permission.tool_call.model_copy(update={"kind": "execute"})
    async with running(state) as it:
        await press_armed(it, "a")
        (told,) = [one.words for one in it.app.notes]
        assert told.startswith("no rule can be made of this")
        assert "asks for permission" in it.screen

        session.permissions.clear()
        states.ask(state, session, 51, "Run", raw_input={"command": "ls", "script": "rm x"})
        await it.changed()
        await it.wait_until_armed()
        keys = it.row_of_keys
        assert "1-3 answer" in keys
        assert "make rule" not in keys
        await it.press("a")
        assert "no rule can be made of this" in it.screen
        await it.press("1")
        assert "1 came too early to answer" in it.screen
        assert done(it) == []


async def test_the_rules_are_shown_and_revoked_one_by_one() -> None:
    state, session = states.talked()
    mine = EDITS._replace(scope=RuleScope.SESSION, where=session.session_id)
    other = mine._replace(kinds=("read",))
    fixed = Rule(RuleAnswer.REJECT, titles=("a\x1b[2J[bold]x",), where="settings.toml")
    state.rules = [mine, other, fixed]
    async with running(state) as it:
        await it.press("alt+p")
        shown = [row for row in it.rows() if "title a" in row or "kind edit" in row]
        assert "reject title a␛[2J[bold]x  settings.toml" in shown[0]
        assert "allow  kind edit, path notes/**  this session" in shown[1]
        await it.press("d")
        assert done(it) == []
        (said,) = it.app.notes
        assert said.words == "it is in settings.toml: remove it there"
        await it.press("down", "d")
        assert it.asked == [ForgetRule(mine)]
        state.rules = [other, fixed]
        await it.changed()
        assert "the rule that was marked has gone" in it.screen
        await it.press("d", "d")  # a key that repeats itself revokes one rule only
        assert it.asked == [ForgetRule(mine)]
        await it.press("down", "d")
        assert it.asked[1:] == [ForgetRule(other)]
        state.rules = []
        await it.changed()
        empty = it.screen
        assert "No rules yet: you answer every question." in empty
        assert "Press a at a question to make one" in empty
        assert "reject wins over ask" not in empty
        await it.press("d", "escape")
        assert it.app.screen is it.app.conversation


async def test_that_everything_is_allowed_is_always_seen() -> None:
    state, _ = states.working()
    state.rules = [ALLOW_ALL]
    async with running(state, (120, 12)) as it:
        for width in (120, 40, 24):
            await it.pilot.resize_terminal(width, 12)
            assert "▲ ALL" in it.screen, width
            await it.press("f12")
            assert "▲ ALL IS ALLOWED"[:width] in it.screen, width
            await it.press("f12")
        state.rules = []
        await it.changed()
        assert "▲ ALL" not in it.screen


async def test_a_question_names_the_rule_that_asks_and_that_all_else_is_allowed() -> None:
    state, session = states.asking()
    state.rules = [ALLOW_ALL]
    (permission,) = state.waiting_permissions()
    permission.rule = "your rule: path notes/** (settings.toml)"
    async with running(state) as it:
        shown = it.screen
        assert "Asked by your rule: path notes/** (settings.toml)" in shown
        assert "▲ ALL IS ALLOWED  ◆ Gemini CLI asks for permission" in shown

        session.permissions.clear()
        permission = states.ask_access(session, 52)
        assert permission.access is not None
        inside = permission.access._replace(outside=False, rule="your rule: git push …")
        permission.access = inside
        await it.changed()
        shown = it.screen
        assert "Write a file?" in shown
        assert "outside" not in shown


async def test_a_command_of_a_terminal_is_asked_about() -> None:
    state, session = states.working()
    access = AccessAsked(
        states.NOW,
        52,
        session.session_id,
        FileOperation.RUN,
        "git push",
        "/srv",
        rule="your rule: git push …",
    )
    session.permissions.append(
        Permission(
            52,
            session.session_id,
            states.NOW,
            states.OPTIONS,
            access=access,
            rule="your rule: git push …",
        )
    )
    async with running(state) as it:
        for words in ("Run a command?", "wants to run this command:", "git push", "in /srv"):
            assert words in it.screen
        await press_armed(it, "a")
        assert "Asked by a rule that counts before any that allows: git push …" in it.screen
        assert "allow kind execute" not in it.screen
        await press_armed(it, "1")
        await press_armed(it, "1")
        (command,) = done(it)
        assert isinstance(command, AddRule)
        assert command.rule.words == "reject kind execute, command git push"


async def test_what_was_hidden_takes_no_key_for_a_moment_when_it_is_seen_again() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.press("f1")
        await it.wait_until_armed()
        await it.press("f1")
        await it.press("1")
        assert done(it) == []
        assert it.prompt == "1"
        await it.press("escape")
        await it.wait_until_armed()
        it.app.app_resume_signal.publish(it.app)  # the program was suspended
        await it.press("1")
        assert done(it) == []
        await it.press("escape")
        panel = it.app.conversation.question
        assert panel is not None
        await it.wait_until_armed()
        panel.come_into_view("")
        it.clock.now += 5
        assert not panel.question.is_armed(it.clock.now)  # nothing counts before it was drawn
        await press_armed(it, "1")
        assert len(done(it)) == 1
