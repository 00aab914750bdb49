"""Modes and config options."""

from collections.abc import Iterator
from typing import Any

from acp_tui.debug.exchanges import Reading, Status
from acp_tui.debug.lint.checker import Checker, Report
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol.findings import JsonPath, protocol_rule
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import object_at, objects_at, text_at
from acp_tui.protocol.kinds import OPENING_METHODS

UNKNOWN_MODE = protocol_rule("unknown-mode")
NO_MODES = protocol_rule("mode-not-offered")
UNKNOWN_OPTION = protocol_rule("option-not-offered")
VALUE = protocol_rule("config-value")
INCOMPLETE = protocol_rule("config-incomplete")


class OptionChecker(Checker):
    """Checks that modes and values are among those offered, and that lists are complete."""

    ABOUT = (
        *OPENING_METHODS,
        "current_mode_update",
        "config_option_update",
        "session/set_mode",
        "session/set_config_option",
    )

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._modes: dict[str, set[str] | None] = {}
        """The mode ids of each session that was opened here; None if it offers none."""
        self._options: dict[str, dict[str, set[str] | None]] = {}
        """The values of each option by session; None if an option doesn't list them."""
        self._reported: set[str] = set()
        """The sessions that were reported to have no modes."""

    def check_record(self, reading: Reading) -> None:
        session = reading.session_id
        if not session:
            return
        if reading.kind == "current_mode_update":
            name = "currentModeId" if "currentModeId" in reading.update else "modeId"
            self._check_mode(reading.update.get(name), ("params", "update", name), reading)
        elif reading.method == "session/set_mode" and reading.is_request:
            self._check_mode(reading.params.get("modeId"), ("params", "modeId"), reading)
        elif reading.kind == "config_option_update":
            self._check_config(reading.update, ("params", "update"), reading)
        elif reading.method == "session/set_config_option" and reading.is_request:
            self._check_set(reading)
        elif reading.status is Status.OK and reading.direction is Direction.IN:
            self._check_opened(reading)

    def _check_opened(self, reading: Reading) -> None:
        modes = object_at(reading.result, "modes")
        if reading.method in OPENING_METHODS:
            self._modes.setdefault(reading.session_id, None)
            self._options.setdefault(reading.session_id, {})
        if modes:
            known = {text_at(mode, "id") for mode in objects_at(modes, "availableModes")}
            self._modes[reading.session_id] = known
            where = ("result", "modes", "currentModeId")
            self._check_mode(modes.get("currentModeId"), where, reading)
        if "configOptions" in reading.result:
            self._check_config(reading.result, ("result",), reading)

    def _check_mode(self, mode: Any, where: JsonPath, reading: Reading) -> None:
        if not isinstance(mode, str):
            return  # not an id: the schema check reports it
        session = reading.session_id
        known = self._modes.get(session, {mode})
        if known is not None and mode not in known:
            self.report(UNKNOWN_MODE, reading, f"there is no mode {mode!r}", where)
        if known is None and session not in self._reported:
            self._reported.add(session)
            how = f"mode {mode!r}, though the session was opened without modes"
            self.report(NO_MODES, reading, how, where)

    def _check_set(self, reading: Reading) -> None:
        options = self._options.get(reading.session_id)
        option, value = text_at(reading.params, "configId"), reading.params.get("value")
        if options is None:
            return
        if option not in options:
            how = f"there is no option {option!r}"
            self.report(UNKNOWN_OPTION, reading, how, ("params", "configId"))
        elif not _is_one_of(value, options[option]):
            self.report(VALUE, reading, f"{value!r} is none of its options", ("params", "value"))

    def _check_config(self, holder: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        listed = holder.get("configOptions")
        options = objects_at(listed)
        name = "id" if self.peers.version == 1 else "configId"
        now = {text_at(option, name): _values_of(option) for option in options}
        lost = self._options.get(reading.session_id, {}).keys() - now.keys()
        if not _is_list_of_named(listed, name):
            return  # the schema check reports it; options may be missing only because of that
        if (
            reading.method == "session/set_config_option"
            and reading.answered_request is not None
            and lost
        ):
            self._report_missing(
                lost, set(now), text_at(reading.answered_request.params, "configId"), reading
            )
        self._options[reading.session_id] = now
        for index, option in enumerate(options):
            current = option.get("currentValue")
            if not _is_one_of(current, now[text_at(option, name)]):
                path = (*where, "configOptions", index, "currentValue")
                self.report(VALUE, reading, f"{current!r} is none of its options", path)

    def _report_missing(self, lost: set[str], now: set[str], option: str, reading: Reading) -> None:
        """Report missing options: the one that was set, or all others. A single other one may go."""
        if option in lost or now <= {option}:
            what = ", ".join(sorted(lost))
            self.report(INCOMPLETE, reading, f"is without {what}", ("result", "configOptions"))


def _is_list_of_named(value: Any, name: str) -> bool:
    """Return whether a value is a list of objects that all have a name."""
    return isinstance(value, list) and all(
        isinstance(one, dict) and isinstance(one.get(name), str) for one in value
    )


def _is_one_of(value: Any, values: set[str] | None) -> bool:
    """Return whether a JSON value is among the offered ones; without a list, any value is."""
    return values is None or (isinstance(value, str) and value in values)


def _values_of(option: dict[str, Any]) -> set[str] | None:
    """Return the values that an option can have; None if they aren't listed."""
    return set(_values(option.get("options"))) if option.get("type") == "select" else None


def _values(options: Any) -> Iterator[str]:
    """Yield the values of a select, also those in groups."""
    for option in objects_at(options):
        if "options" in option:
            yield from _values(option["options"])
        else:
            yield text_at(option, "value")
