"""What a view can ask for."""

from typing import get_args

from acp_tui.state import commands


def test_every_command_can_be_given() -> None:
    known = {
        one
        for one in vars(commands).values()
        if isinstance(one, type) and one.__module__ == commands.__name__
    }
    assert set(get_args(commands.Command)) == known
