"""Modes and config options."""

from collections.abc import Iterator
from typing import Any

from acp_tui.protocol.findings import ProtocolRule, Severity
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.schema_checks import JsonPath
from acp_tui.wire.exchanges import Reading, Status, text
from acp_tui.wire.lint.checker import Checker, Report, entry, items
from acp_tui.wire.lint.peers import OPENING, Peers

UNKNOWN_MODE = ProtocolRule(
    "unknown-mode",
    Severity.WARNING,
    "modeId: Must be one of the modes listed in availableModes.",
)
VALUE = ProtocolRule(
    "config-value",
    Severity.WARNING,
    "Agents MUST always provide a default value for every configuration option. value: Must be one "
    "of the values listed in the option's options array.",
)
INCOMPLETE = ProtocolRule(
    "config-incomplete",
    Severity.WARNING,
    "The Agent MUST respond with the complete list of all configuration options and their current "
    "values.",
)


class OptionChecker(Checker):
    """Whether modes and values are among those that were offered, and lists are complete."""

    ABOUT = (
        *OPENING,
        "current_mode_update",
        "config_option_update",
        "session/set_mode",
        "session/set_config_option",
    )
    RULES = (UNKNOWN_MODE, VALUE, INCOMPLETE)

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._modes: dict[str, set[str]] = {}
        self._options: dict[str, set[str]] = {}

    def look(self, reading: Reading) -> None:
        session = reading.session_id
        if not session:
            return
        if reading.kind == "current_mode_update":
            mode = reading.update.get("currentModeId", reading.update.get("modeId"))
            self._mode(mode, ("params", "update", "currentModeId"), reading)
        elif reading.method == "session/set_mode" and reading.is_request:
            self._mode(reading.params.get("modeId"), ("params", "modeId"), reading)
        elif reading.kind == "config_option_update":
            self._config(reading.update, ("params", "update"), reading)
        elif reading.status is Status.OK and reading.direction is Direction.IN:
            self._session(reading)

    def _session(self, reading: Reading) -> None:
        modes = entry(reading.result, "modes")
        if modes:
            known = {text(mode.get("id")) for mode in items(modes.get("availableModes"))}
            self._modes[reading.session_id] = known
            where = ("result", "modes", "currentModeId")
            self._mode(modes.get("currentModeId"), where, reading)
        if "configOptions" in reading.result:
            self._config(reading.result, ("result",), reading)

    def _mode(self, mode: Any, where: JsonPath, reading: Reading) -> None:
        known = self._modes.get(reading.session_id)
        if known is not None and mode not in known:
            self.report(UNKNOWN_MODE, reading, f"there is no mode {mode!r}", where)

    def _config(self, holder: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        options = items(holder.get("configOptions"))
        now = {text(option.get("id")) for option in options}
        lost = self._options.get(reading.session_id, set()) - now
        if reading.method == "session/set_config_option" and reading.asked is not None and lost:
            self._shorter(lost, now, text(reading.asked.params.get("configId")), reading)
        self._options[reading.session_id] = now
        for index, option in enumerate(options):
            values = set(_values(option.get("options")))
            current = option.get("currentValue")
            if option.get("type") == "select" and current not in values:
                path = (*where, "configOptions", index, "currentValue")
                self.report(VALUE, reading, f"{current!r} is none of its options", path)

    def _shorter(self, lost: set[str], now: set[str], option: str, reading: Reading) -> None:
        """An option may go where another is set; but not that one, or all the others."""
        if option in lost or now <= {option}:
            what = ", ".join(sorted(lost))
            self.report(INCOMPLETE, reading, f"is without {what}", ("result", "configOptions"))


def _values(options: Any) -> Iterator[str]:
    """The values of a select, which may stand in groups."""
    for option in items(options):
        if "options" in option:
            yield from _values(option["options"])
        else:
            yield text(option.get("value"))
