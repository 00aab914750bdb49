"""Sizes, counts and durations are short, and round as a reader expects."""

from datetime import UTC, datetime

import pytest

from acp_tui import formatting


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (1_500_000, "1.5 MB"),
        (80_500_000_000, "80.5 GB"),
    ],
)
def test_sizes(number: int, words: str) -> None:
    assert formatting.size(number) == words


@pytest.mark.parametrize(
    ("number", "words"), [(9_999, "9999"), (12_345, "12k"), (2_500_000, "2.5M")]
)
def test_narrow_sizes(number: int, words: str) -> None:
    assert formatting.narrow_size(number) == words


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (999, "999"),
        (1000, "1.0k"),
        (12_345, "12k"),
        (999_499, "999k"),
        (999_500, "1.0M"),
    ],
)
def test_short_counts(number: int, words: str) -> None:
    assert formatting.short_count(number) == words


def test_counts_have_their_noun() -> None:
    assert [formatting.counted(n, "match", "matches") for n in (1, 2)] == ["1 match", "2 matches"]
    assert formatting.counted(3000, "problem") == "3,000 problems"


@pytest.mark.parametrize(
    ("seconds", "words", "running"),
    [
        (-1.0, "0.0s", "0s"),
        (0.34, "0.3s", "0s"),
        (9.96, "9s", "9s"),
        (59.9, "59s", "59s"),
        (185.0, "3m 05s", "3m 05s"),
        (3725.0, "1h 02m", "1h 02m"),
    ],
)
def test_durations(seconds: float, words: str, running: str) -> None:
    assert formatting.duration(seconds) == words
    assert formatting.running_duration(seconds) == running


@pytest.mark.parametrize(("seconds", "words"), [(None, ""), (0.0123, "12.3ms"), (1.234, "1.23s")])
def test_exact_durations(seconds: float | None, words: str) -> None:
    assert formatting.exact_duration(seconds) == words


def test_a_duration_too_short_to_notice_is_left_out() -> None:
    assert formatting.with_duration(" for ", 2.0) == " for 2.0s"
    assert formatting.with_duration(" for ", 0.05) == ""


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("2026-03-01T11:59:30Z", "just now"),
        ("2026-03-01T11:30:00+00:00", "30 min ago"),
        ("2026-03-01T09:00:00", "3 h ago"),
        ("2026-02-20T12:00:00Z", "9 d ago"),
        ("2025-03-01T12:00:00Z", "2025-03-01"),
        ("yesterday", ""),
        (None, ""),
    ],
)
def test_ages(written: str | None, words: str) -> None:
    assert formatting.age(written, datetime(2026, 3, 1, 12, tzinfo=UTC)) == words


NOON = datetime(2026, 12, 1, 12).astimezone()
"""A Tuesday, in local time."""


@pytest.mark.parametrize(
    ("then", "words"),
    [
        (NOON.replace(hour=16, minute=40), "at 16:40"),
        (NOON.replace(day=2, hour=9), "on Wed 09:00"),
        (NOON.replace(day=7, hour=23), "on Mon 23:00"),
        (NOON.replace(day=8), "on 8 Dec 12:00"),
    ],
)
def test_a_reset_is_told_in_local_time(then: datetime, words: str) -> None:
    told = formatting.reset_words(then.timestamp(), NOON.timestamp())
    assert told == f"It resets {words}."


def test_a_reset_may_be_unknown() -> None:
    assert formatting.reset_words(None, NOON.timestamp()) == "When it resets isn't known."


def test_a_sign_of_work_turns_and_begins_anew() -> None:
    turn = [formatting.spinner_at(step / formatting.SPINS) for step in range(11)]
    assert len(set(turn)) == 10
    assert turn[10] == turn[0]
