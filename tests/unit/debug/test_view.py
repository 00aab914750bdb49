"""What a table shows of a log: in slices, with messages unfolded, and with what is found later."""

from acp_tui.debug.filters.predicates import compile_filter
from acp_tui.debug.log import Log
from acp_tui.debug.view import LogView
from acp_tui.protocol.findings import Finding, ProtocolRule, Severity
from tests.unit.debug.scenes import Wire

RULE = ProtocolRule("late", Severity.WARNING, "What is known only later.")


def viewed(log: Log, expression: str) -> LogView:
    view = LogView(log, compile_filter(expression))
    view.catch_up()
    return view


def shown(view: LogView) -> list[list[int]]:
    """The indexes of the rows in each group."""
    return [[row.index for row in view[position]] for position in range(len(view))]


def two_sessions() -> Log:
    """Rows 4 to 8: a message of one session, with chunks of another between."""
    wire = Wire().opened()
    for session in ("s", "other", "s", "other", "s"):
        wire.chunk(session=session)
    return wire.log()


def unchecked() -> Log:
    """A message of three chunks, rows 0 to 2, in which nothing has been found so far."""
    log = Log(Wire().chunk().chunk().chunk().records)
    log.catch_up()
    return log


def test_a_group_tells_its_rows_from_those_between() -> None:
    group = viewed(two_sessions(), "kind:*chunk session:s")[0]
    assert list(group.among([3, 4, 5, 6, 7, 8])) == [4, 6, 8]
    assert list(group.among([4, 5, 9])) == [4]
    assert group.size == sum(row.size for row in group)


def test_no_group_holds_the_partner_of_a_row_that_has_none() -> None:
    log = unchecked()
    group = viewed(log, "kind:*chunk")[0]
    assert log[0].partner is None
    assert log[0].partner not in group
    assert 1 in group


def test_a_filter_judges_no_more_bytes_at_a_time_than_it_may() -> None:
    log = unchecked()
    view = LogView(log, compile_filter("kind:*chunk"))
    size = log[0].size
    assert view.catch_up(size=size + 1) is False
    assert (view.seen, view.matches) == (2, 2)
    assert view.catch_up(size=size + 1) is True
    assert (view.seen, view.matches) == (3, 3)


def test_without_a_filter_no_bytes_are_read_and_all_rows_come_at_once() -> None:
    view = LogView(unchecked())
    assert view.catch_up(size=1) is True
    assert view.seen == 3


def test_an_interleaved_message_unfolds_and_folds_again() -> None:
    view = viewed(two_sessions(), "kind:*chunk session:s")
    view.toggle(0)
    assert shown(view) == [[4], [6], [8]]
    view.toggle(1)
    assert shown(view) == [[4, 6, 8]]


def test_an_interleaved_message_folds_again_behind_what_came_before() -> None:
    view = viewed(two_sessions(), "method:session/new or session:s kind:*chunk")
    before = shown(view)[:-1]
    view.toggle(len(before))
    assert shown(view) == [*before, [4], [6], [8]]
    view.toggle(len(before) + 1)
    assert shown(view) == [*before, [4, 6, 8]]


def test_a_chunk_that_passes_no_longer_leaves_its_message() -> None:
    log = unchecked()
    view = viewed(log, 'not finding:"late"')
    assert shown(view) == [[0, 1, 2]]
    for found, left in ((1, [[0, 2]]), (0, [[2]]), (2, [])):
        log.note(Finding(RULE, found, "late"))
        view.catch_up()
        assert shown(view) == left


def test_what_is_found_changes_nothing_in_a_filter_that_does_not_ask_for_it() -> None:
    log = unchecked()
    view = viewed(log, "kind:*chunk")
    log.note(Finding(RULE, 1, "late"))
    view.catch_up()
    assert (shown(view), view.matches) == ([[0, 1, 2]], 3)


def test_a_chunk_that_passes_only_now_joins_its_message_in_front() -> None:
    log = unchecked()
    view = viewed(log, 'finding:"late"')
    for found, joined in ((1, [[1]]), (0, [[0, 1]]), (2, [[0, 1, 2]])):
        log.note(Finding(RULE, found, "late"))
        view.catch_up()
        assert shown(view) == joined
