"""`--setting NAME=VALUE`: any setting, for one run."""

import argparse
from collections.abc import Sequence
from typing import Any

from acp_tui.config.settings import GIVEN


def add_setting_option(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument_group("settings").add_argument(
        "--setting",
        metavar="NAME=VALUE",
        action=_Give,
        help="a setting for this run, such as bell=false; acp-tui config lists them (repeatable)",
    )


class _Give(argparse.Action):
    """Keeps a setting for this process."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        _namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        _option: str | None = None,
    ) -> None:
        from acp_tui.config.layers import check_given
        from acp_tui.config.toml_files import ConfigError

        name, equals, value = str(values).partition("=")
        if not equals:
            parser.error(f"--setting wants NAME=VALUE, not {values!r}")
        try:
            check_given(name, value, "--setting")
        except ConfigError as error:
            parser.error(str(error))
        GIVEN[name] = value
