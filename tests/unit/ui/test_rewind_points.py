"""Which turns one can go back to before, and which prompt of the transcript each began with."""

from collections.abc import Sequence

import pytest

from acp_tui.rewind.checkpoint import Checkpoint, CheckpointKind, CheckpointOwner, Reason
from acp_tui.rewind.store import CheckpointedTurn
from acp_tui.state.blocks import TextRun
from acp_tui.state.entries import MessageEntry, Role, TurnEndEntry
from acp_tui.state.session import Session
from acp_tui.ui.rewind.points import find_points, first_answer_line


def session_of(*prompts: str) -> Session:
    """One in which each prompt is answered."""
    session = Session("mine", "/")
    for at, words in enumerate(prompts):
        for role in (Role.USER, Role.AGENT):
            session.entries.append(MessageEntry(role, float(at), blocks=[TextRun([words])]))
    return session


MINE = CheckpointOwner("mine", "this run")


def kept(
    words: str,
    entries: int = 0,
    session: str = "mine",
    kind: CheckpointKind = CheckpointKind.TURN,
    run: str = MINE.run,
) -> CheckpointedTurn:
    reason = Reason(kind, words, session, entries, run)
    return CheckpointedTurn(Checkpoint("", "", 5.0, reason), (), "")


def own(session: Session, *turns: CheckpointedTurn) -> Sequence[tuple[str, bool, int | None]]:
    points = find_points(session, MINE, turns, lambda at: at).own
    return [(one.words, one.kept is not None, one.entry) for one in points]


def test_prompts_whose_files_were_not_kept_stand_between_the_others() -> None:
    session = session_of("one", "two", "three")
    assert own(session, kept("two", 2)) == [
        ("three", False, 4),
        ("two", True, 2),
        ("one", False, 0),
    ]
    assert [one.at for one in find_points(session, MINE, [], lambda at: at + 100).own] == [
        102,
        101,
        100,
    ]


def test_each_of_the_same_words_has_its_own_prompt_also_where_they_stand_elsewhere_by_now() -> None:
    session = session_of("go on", "go on", "go on")
    wanted = [("go on", True, 4), ("go on", True, 2), ("go on", True, 0)]
    assert own(session, kept("go on", 4), kept("go on", 2), kept("go on", 0)) == wanted
    assert own(session, kept("go on", 31), kept("go on", 21), kept("go on", 11)) == wanted


def test_a_turn_that_is_not_in_the_transcript_is_listed_without_a_prompt() -> None:
    assert own(session_of("one"), kept("two")) == [("two", True, None), ("one", False, 0)]


def test_the_newest_return_is_among_the_sessions_own_and_others_are_not() -> None:
    newest, older = (kept("one", session="other", kind=CheckpointKind.RETURN) for _ in range(2))
    turns = [newest, kept("two", session="other"), older]
    points = find_points(session_of(), MINE, turns, lambda at: at)
    assert [one.is_return for one in points.own] == [True]
    assert [one.is_return for one in points.others] == [False, True]
    assert points.last_return == points.own[0]
    assert find_points(session_of(), MINE, turns[1:2], lambda at: at).last_return is None


@pytest.mark.parametrize(
    ("run", "reopened", "is_own"),
    [
        ("this run", None, True),
        ("another run", None, False),
        ("another run", 4.0, False),
        ("another run", 6.0, True),
        ("", None, True),
    ],
)
def test_turns_of_another_run_with_the_same_session_id_are_others_unless_that_session_was_reopened(
    run: str, reopened: float | None, *, is_own: bool
) -> None:
    """Agents that count their sessions give the same ids in each of two programs in one folder."""
    owner = CheckpointOwner("mine", "this run", reopened)
    session = session_of("mend it")
    points = find_points(session, owner, [kept("mend it", 0, run=run)], lambda at: at)
    assert [one.kept is not None for one in points.own] == [is_own]
    assert [one.words for one in points.others] == ([] if is_own else ["mend it"])


def test_how_long_a_turn_took_is_known_once_it_is_over_and_without_the_persons_time() -> None:
    session = session_of("one", "two", "three")
    session.entries.insert(4, TurnEndEntry(40.0, 10.0, waited=12.0))
    session.entries.insert(2, TurnEndEntry(9.0, 2.0))
    points = find_points(session, MINE, [kept("two", 3), kept("of another", 9)], lambda at: at)
    took = {one.words: one.took for one in points.own}
    assert took == {"one": 7.0, "two": 18.0, "three": None, "of another": None}


def test_of_an_answer_the_first_line_is_told() -> None:
    session = session_of("one", "two")
    session.entries[3] = MessageEntry(
        Role.AGENT, 3.0, blocks=[TextRun(["\nIt is **two**.\n\n", "And"])]
    )
    two, one = find_points(session, MINE, [], lambda at: at).own
    assert (first_answer_line(session, one), first_answer_line(session, two)) == (
        "one",
        "It is two.",
    )
    del session.entries[1]
    assert first_answer_line(session, one) == ""
    [gone] = find_points(session_of(), MINE, [kept("gone")], lambda at: at).own
    assert first_answer_line(session, gone) == ""


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("# A *tour* of `it`\nmore", "A tour of it"),
        ("- > **Done**: see [here](https://a.example)", "Done: see here"),
        ("#5 is mended", "#5 is mended"),
        ("see [1] and [this][that], [^a]", "see [1] and this, [^a]"),
        ('[["ls", {"id": "y"}]]', '[["ls", {"id": "y"}]]'),
        ("![drawn][up]", "🖼 drawn"),
    ],
)
def test_an_answer_is_told_without_the_signs_of_its_markdown(said: str, told: str) -> None:
    session = session_of("one")
    session.entries[1] = MessageEntry(Role.AGENT, 1.0, blocks=[TextRun([said])])
    [point] = find_points(session, MINE, [], lambda at: at).own
    assert first_answer_line(session, point) == told
