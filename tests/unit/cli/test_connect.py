"""The command line's agents elsewhere: what makes no sense is told before anything is sent."""

import pytest

from acp_tui.cli.main import run

HERE = ["--connect", "ws://localhost:1/acp"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--connect", "http://host/", "--token-env", "TOKEN"], "a token would go to host unencr"),
        (["--connect", "ftp://host/"], "write ws://, wss://, http:// or https://HOST/PATH"),
        ([*HERE, "--header", "X-Team"], "--header wants 'NAME: VALUE'"),
        (["--token-env", "TOKEN", "--", "agent"], "--token-command are for --connect"),
        ([*HERE, "--env", "A=b"], "--env is for an agent that acp-tui starts"),
        ([*HERE, "--in", "bwrap"], "--in and --sandbox are for an agent that acp-tui starts"),
    ],
)
def test_what_cannot_be_connected_is_a_usage_error(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["run", "go", *words])
    assert ended.value.code == 2
    assert why in capsys.readouterr().err
