"""Lists whose items need distinct ids."""

from typing import Any

from acp_tui.debug.exchanges import Reading, Status, text_or_empty
from acp_tui.debug.lint.checker import Checker, entry, items
from acp_tui.debug.lint.peers import OPENING
from acp_tui.protocol.findings import JsonPath, ProtocolRule, Severity
from acp_tui.protocol.frames import Direction

SAME_ID = ProtocolRule(
    "duplicate-id",
    Severity.WARNING,
    "Unique identifier for this authentication method. … Unique identifier for a Session Mode. … "
    "Unique identifier for the configuration option. … Unique identifier for this option value. … "
    "Unique identifier for the session",
).in_2(
    "Unique identifier for this authentication method. … Unique identifier for the configuration option. "
    "… each value MUST be unique within the option, including across groups. … Unique identifier for "
    "the session"
)
SAME_COMMAND = ProtocolRule(
    "duplicate-command",
    Severity.WARNING,
    "if two commands have the same name, only one of them can be used.",
    guess=True,
).in_2(
    "Command name without the leading /. MUST NOT contain whitespace and MUST be unique within the "
    "command list.",
    Severity.ERROR,
)
COMMAND_NAME = ProtocolRule(
    "command-name",
    Severity.WARNING,
    "a client writes / before the name of a command, so the name begins with none.",
    guess=True,
).in_2(
    "Command name without the leading /. MUST NOT contain whitespace and MUST be unique within the "
    "command list.",
    Severity.ERROR,
)


class DuplicateChecker(Checker):
    """Checks that the entries of a list are distinct."""

    ABOUT = (
        "initialize",
        *OPENING,
        "session/list",
        "session/set_config_option",
        "config_option_update",
        "available_commands_update",
    )
    RULES = (SAME_ID, SAME_COMMAND, COMMAND_NAME)

    def check_record(self, reading: Reading) -> None:
        if reading.direction is not Direction.IN:
            return
        if reading.kind == "available_commands_update":
            self._commands(reading.update, ("params", "update"), reading)
        elif reading.kind == "config_option_update":
            self._options(reading.update, ("params", "update"), reading)
        elif reading.status is Status.OK and reading.result:
            self._result(reading)

    def _result(self, reading: Reading) -> None:
        result = reading.result
        method = "id" if self.peers.version == 1 else "methodId"
        self._unique(result.get("authMethods"), method, ("result", "authMethods"), reading)
        modes = entry(result, "modes").get("availableModes")
        self._unique(modes, "id", ("result", "modes", "availableModes"), reading)
        if reading.method == "session/list":
            self._unique(result.get("sessions"), "sessionId", ("result", "sessions"), reading)
        self._options(result, ("result",), reading)
        self._commands(result, ("result",), reading)

    def _commands(self, holder: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        path: JsonPath = (*where, "availableCommands")
        commands = holder.get("availableCommands")
        self._unique(commands, "name", path, reading, SAME_COMMAND)
        for index, command in enumerate(items(commands)):
            name = text_or_empty(command.get("name"))
            is_wrong = self.peers.version == 2 and name.split() != [name]
            if is_wrong or name.startswith("/"):
                self.report(COMMAND_NAME, reading, f"the name is {name!r}", (*path, index, "name"))

    def _options(self, holder: dict[str, Any], where: JsonPath, reading: Reading) -> None:
        path: JsonPath = (*where, "configOptions")
        options = holder.get("configOptions")
        name = "id" if self.peers.version == 1 else "configId"
        self._unique(options, name, path, reading)
        for index, option in enumerate(items(options)):
            values = [
                value
                for one in items(option.get("options"))
                for value in (items(one["options"]) if "options" in one else [one])
            ]
            self._unique(values, "value", (*path, index, "options"), reading)

    def _unique(
        self,
        listed: Any,
        name: str,
        where: JsonPath,
        reading: Reading,
        rule: ProtocolRule = SAME_ID,
    ) -> None:
        seen: set[str] = set()
        for one in items(listed):
            id = text_or_empty(one.get(name))
            if id and id in seen:
                self.report(rule, reading, f"two have the {name} {id!r}", where)
            seen.add(id)
