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


async def test_a_rule_is_made_of_a_question_for_the_session() -> None:
    state, session = states.asking()
    async with running(state) as it:
        await press_armed(it, "a")
        assert "From now on, without asking:" in it.screen
        for words in ("allow editing notes/g.txt", "allow editing any file below notes"):
            assert words in it.screen
        assert "reject editing notes/g.txt" in it.screen
        assert "asks for permission" in it.screen
        (shown,) = it.asked  # where they are is noted before the answer
        assert isinstance(shown, ConsiderRules)
        assert EDITS in shown.rules
        await press_armed(it, "2")
        assert "without asking: allow editing any file below notes" in it.screen
        assert "allow kind edit, path notes/**" in it.screen
        assert "In this session" in it.screen
        await press_armed(it, "1")
        rule = EDITS._replace(scope=RuleScope.SESSION, where=session.session_id)
        assert done(it) == [AddRule(rule)]


async def test_a_rule_is_made_for_the_project() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        for key in ("a", "2", "2"):
            await press_armed(it, key)
        assert done(it) == [AddRule(EDITS._replace(scope=RuleScope.PROJECT, where=states.CWD))]


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


async def test_neither_question_takes_a_key_that_was_typed_ahead() -> None:
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
        assert "In this session" not in it.screen
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


@pytest.mark.parametrize("last", ["2", "j", "k"])
async def test_no_number_or_letter_of_a_prompt_makes_a_rule_however_late(last: str) -> None:
    state, _ = states.asking()
    async with running(state) as it:
        for key in ("a", "2"):
            await press_armed(it, key)
        await it.wait_until_armed()
        await it.press("o")
        for key in (last, "enter"):
            await press_armed(it, key)
        assert (done(it), it.prompt) == ([], f"o{last}")
        assert "Enter again rejects and sends this" in it.screen
        assert "From now on" not in it.screen


async def test_what_is_written_in_place_of_a_rule_is_written_whole() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await press_armed(it, "a")
        await it.wait_until_armed()
        await it.press("n")
        await it.press("o")
        assert it.prompt == "no"
        assert "From now on" not in it.screen
        await press_armed(it, "escape")
        assert it.prompt == ""
        await press_armed(it, "1")
        assert len(done(it)) == 1


async def test_nothing_is_marked_among_rules_before_an_arrow_marks_it() -> None:
    state, session = states.asking()
    async with running(state, (120, 60)) as it:
        await press_armed(it, "a")
        assert "Down mark" in it.screen
        await press_armed(it, "enter")
        assert "From now on, without asking:" in it.screen
        await it.press("down")
        assert "Enter choose" in it.screen
        await it.press("enter")
        await press_armed(it, "enter")
        assert "In this session" in it.screen
        assert done(it) == []
        await it.press("down", "enter")
        rule = EDITS._replace(
            paths=("notes/g.txt",), scope=RuleScope.SESSION, where=session.session_id
        )
        assert done(it) == [AddRule(rule)]


async def test_escape_makes_no_rule_and_goes_back_to_the_question() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await press_armed(it, "a")
        await press_armed(it, "escape")
        assert "asks for permission" in it.screen
        assert done(it) == []


async def test_what_cant_be_read_makes_no_rule() -> None:
    state, session = states.working()
    permission = states.ask(state, session, 50, "Run", raw_input={"command": "rm $X"})
    assert permission.tool_call is not None
    permission.tool_call = permission.tool_call.model_copy(update={"kind": "execute"})
    async with running(state) as it:
        await press_armed(it, "a")
        (told,) = [one.words for one in it.app.notes]
        assert told.startswith("no rule can be made of this")
        assert "asks for permission" in it.screen


async def test_the_rules_are_shown_and_revoked() -> None:
    state, session = states.talked()
    mine = EDITS._replace(scope=RuleScope.SESSION, where=session.session_id)
    fixed = Rule(RuleAnswer.REJECT, titles=("a\x1b[2J[bold]x",), where="settings.toml")
    state.rules = [mine, fixed]
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
        state.rules = []
        await it.changed()
        assert "No rules yet: you answer every question." in it.screen
        assert "Press a at a question to make one" in it.screen
        assert "reject wins over ask" not in it.screen
        await it.press("d", "escape")
        assert it.app.screen is it.app.conversation


async def test_a_key_that_repeats_itself_revokes_one_rule_only() -> None:
    state, session = states.talked()
    mine = EDITS._replace(scope=RuleScope.SESSION, where=session.session_id)
    other = mine._replace(kinds=("read",))
    state.rules = [mine, other]
    async with running(state) as it:
        await it.press("alt+p", "d")
        state.rules = [other]
        await it.changed()
        assert "the rule that was marked has gone" in it.screen
        await it.press("d", "d")
        assert it.asked == [ForgetRule(mine)]
        await it.press("down", "d")
        assert it.asked[1:] == [ForgetRule(other)]


@pytest.mark.parametrize("width", [200, 80, 40, 24])
async def test_that_everything_is_allowed_is_always_seen(width: int) -> None:
    state, _ = states.working()
    state.rules = [ALLOW_ALL]
    async with running(state, (width, 24)) as it:
        assert "▲ ALL" in it.screen
        await it.press("f12")
        assert "▲ ALL IS ALLOWED"[:width] in it.screen
        await it.press("f12")
        state.rules = []
        await it.changed()
        assert "▲ ALL" not in it.screen


async def test_a_question_names_the_rule_that_asks_and_that_all_else_is_allowed() -> None:
    state, _ = states.asking()
    state.rules = [ALLOW_ALL]
    (permission,) = state.waiting_permissions()
    permission.rule = "your rule: path notes/** (settings.toml)"
    async with running(state) as it:
        assert "Asked by your rule: path notes/** (settings.toml)" in it.screen
        assert "▲ ALL IS ALLOWED  ◆ Gemini CLI asks for permission" in it.screen


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


async def test_a_file_inside_that_a_rule_asks_about() -> None:
    state, session = states.working()
    permission = states.ask_access(session, 52)
    assert permission.access is not None
    permission.access = permission.access._replace(outside=False, rule="your rule: git push …")
    async with running(state) as it:
        assert "Write a file?" in it.screen
        assert "outside" not in it.screen


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
        await press_armed(it, "1")
        assert len(done(it)) == 1


async def test_nothing_counts_before_it_was_drawn() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        panel = it.app.conversation.question
        assert panel is not None
        await it.wait_until_armed()
        panel.come_into_view("")
        it.clock.now += 5
        assert not panel.question.is_armed(it.clock.now)


async def test_after_a_suspension_it_is_guarded_anew() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        it.app.app_resume_signal.publish(it.app)
        await it.press("1")
        assert done(it) == []


async def test_no_key_for_a_rule_is_shown_where_none_can_be_made_and_no_digit_after_it_allows() -> (
    None
):
    state, session = states.working()
    states.ask(state, session, 50, "Run", raw_input={"command": "ls", "script": "rm x"})
    async with running(state, (120, 40)) as it:
        await it.wait_until_armed()
        assert "1-3 answer" in it.row_of_keys
        assert "make rule" not in it.row_of_keys
        await it.press("a")
        assert "no rule can be made of this" in it.screen
        await it.press("1")
        assert "1 came too early to answer" in it.screen
        assert done(it) == []
