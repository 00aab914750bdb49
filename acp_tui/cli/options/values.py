"""Parsers of option values that several commands share: numbers, times and ages."""

import argparse
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.check.prompts import ModelAct

_UNITS = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_THOUSANDS = {"": 1, "k": 1000, "M": 1_000_000}
_MOST_SPEED = 1e6


def _parse_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a number, not {text!r}") from None


def parse_seconds(text: str) -> float:
    """Parse a number over 0, such as a time in seconds."""
    number = _parse_number(text)
    if not number > 0:
        raise argparse.ArgumentTypeError("must be over 0")
    return number


def parse_count(text: str) -> int:
    """Parse a whole number over 0, with an optional suffix: `k` for thousands, `M` for millions."""
    match = re.fullmatch(r"(\d{1,12})([kM]?)", text)
    if match is None or not int(match[1]):
        raise argparse.ArgumentTypeError(f"a number such as 50000, 50k or 2M, not {text!r}")
    return int(match[1]) * _THOUSANDS[match[2]]


def parse_percent(text: str) -> float:
    """Parse a percentage over 0 and up to 100, with or without `%`."""
    match = re.fullmatch(r"(\d{1,3}(?:\.\d+)?)%?", text)
    if match is None or not 0 < float(match[1]) <= 100:
        raise argparse.ArgumentTypeError(f"a percentage from 1 to 100, not {text!r}")
    return float(match[1])


def parse_speed(text: str) -> float:
    """Parse a playback speed: a factor over 0 and below a million."""
    number = parse_seconds(text)
    if not number < _MOST_SPEED:
        raise argparse.ArgumentTypeError("must be below a million")
    return number


def speed_or_none(text: str) -> float:
    """Parse a playback speed, or 0 for no pauses at all."""
    return 0.0 if _parse_number(text) == 0 else parse_speed(text)


def parse_age(text: str) -> float:
    """Parse an age, such as 30m, 12h, 7d or 2w, into seconds."""
    match = re.fullmatch(r"(\d{1,6})([mhdw])", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"a time such as 30m, 12h, 7d or 2w, not {text!r}")
    return int(match[1]) * _UNITS[match[2]]


def parse_variables(options: argparse.Namespace) -> dict[str, str]:
    """Parse the variables of `--env`; a malformed pair ends the program."""
    pairs = [pair.partition("=") for pair in options.env]
    for name, equals, value in pairs:
        if not name or not equals:
            options.parser.error(f"--env wants NAME=VALUE, not {name + equals + value!r}")
    return {name: value for name, _, value in pairs}


def parse_act_prompts(options: argparse.Namespace) -> "dict[ModelAct, str]":
    """Parse the prompts of `--prompt-for`; an unknown act ends the program."""
    from acp_tui.check.prompts import ModelAct

    found: dict[ModelAct, str] = {}
    for pair in options.prompt_for:
        act, equals, text = pair.partition("=")
        if not equals or act not in list(ModelAct):
            options.parser.error(f"--prompt-for wants ACT=TEXT, ACT one of {', '.join(ModelAct)}")
        found[ModelAct(act)] = text
    return found
