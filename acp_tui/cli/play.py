"""`acp-tui play`: a recording played to any client, as the agent that was recorded."""

import argparse

from acp_tui.cli.output import add_recording, complain, finish
from acp_tui.log_files import open_log, recording_path
from acp_tui.wire.recording import RecordingError

_EPILOG = """\
Put it where the client expects the agent's command. It answers each request as the recorded agent did,
and asks what that one asked.

FILE may also be whatever else acp-tui log reads: a bug report (.zip), or another program's log.

exit codes: 0; 1 --strict, and the client said something else; 2 usage, or a file that can't be read"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments."""
    parser.description = "Be the recorded agent, on stdin and stdout, for any client."
    parser.epilog = _EPILOG
    add_recording(parser)
    parser.add_argument(
        "--speed",
        metavar="N",
        type=_speed,
        default=1.0,
        help="how many times as fast; 0 leaves out all pauses (default: 1)",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--loose", action="store_true", help="play on, whatever the client says (default)"
    )
    how.add_argument(
        "--strict",
        action="store_true",
        help="answer what differs from the recording with an error, and report it",
    )


def execute(options: argparse.Namespace) -> int:
    """Play the recording."""
    return finish("play", options.recording, lambda: _play(options))


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a number, not {text!r}") from None
    if not 0 <= speed < 1e6:
        raise argparse.ArgumentTypeError("from 0 to below a million")
    return speed


def _play(options: argparse.Namespace) -> int:
    from acp_tui.player import agent
    from acp_tui.wire.play.scenes import first_run, scenes

    records, more = first_run(open_log(recording_path(options.recording)).records)
    if not records:
        raise RecordingError("no messages are recorded in it: nothing can be played")
    if more:
        complain(f"the agent was started {more + 1} times; this plays the first run", "play")
    cut = scenes(records)
    return agent.play(
        cut, lambda words: complain(words, "play"), speed=options.speed, strict=options.strict
    )
