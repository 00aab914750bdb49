"""System prompts: sent only as the agent offers them, and never taken for another mode."""

from acp_tui.debug.exchanges import Reading, Status
from acp_tui.debug.lint.checker import Checker, entry, items
from acp_tui.debug.lint.peers import OPENING, offers
from acp_tui.protocol.findings import JsonPath, ProtocolRule, Severity

NOT_OFFERED = ProtocolRule(
    "system-prompt-not-offered",
    Severity.ERROR,
    "Clients MUST only send this when the Agent advertises sessionCapabilities.systemPrompt.",
).in_2("Clients MUST only send this when the Agent advertises session.systemPrompt.")
NO_OVERRIDE = ProtocolRule(
    "system-prompt-override",
    Severity.ERROR,
    "Clients that use this mode … MUST only use it when the Agent advertises "
    "sessionCapabilities.systemPrompt.mode.override.",
).in_2(
    "Clients that use this mode … MUST only use it when the Agent advertises "
    "session.systemPrompt.mode.override."
)
CONTENT = ProtocolRule(
    "system-prompt-content",
    Severity.ERROR,
    "Clients MUST NOT send other content block types until a future capability allows them … "
    "Clients MUST NOT send an empty array.",
)
MODE_IGNORED = ProtocolRule(
    "system-prompt-mode-ignored",
    Severity.ERROR,
    "Agents MUST return an error for a mode they do not support rather than treating it as append "
    "or override.",
)
_AT: JsonPath = ("params", "systemPrompt")


class SystemPromptChecker(Checker):
    """Checks what a client sends along when it opens a session, and what an agent accepts."""

    RULES = (NOT_OFFERED, NO_OVERRIDE, CONTENT, MODE_IGNORED)
    ABOUT = OPENING

    def check_record(self, reading: Reading) -> None:
        asked = reading.asked
        prompt = entry(reading.params if asked is None else asked.params, "systemPrompt")
        if not prompt or not self.peers.initialized:
            return
        if asked is None:
            self._sent(prompt, reading)
        elif reading.status is Status.OK and self._offers() and not self._offers_mode(prompt):
            how = f"{reading.method} succeeds with the mode {prompt.get('mode')!r}, which isn't offered"
            self.report(MODE_IGNORED, reading, how, ("result",))

    def _sent(self, prompt: dict[str, object], reading: Reading) -> None:
        if not self._offers():
            how = f"{reading.method}: the agent has no {'.'.join(self._capability)}"
            self.report(NOT_OFFERED, reading, how, _AT)
        elif prompt.get("mode") == "override" and not self._offers_mode(prompt):
            how = f"{reading.method}: the agent has no {'.'.join(self._capability)}.mode.override"
            self.report(NO_OVERRIDE, reading, how, (*_AT, "mode"))
        content = prompt.get("content")
        if content == []:
            self.report(CONTENT, reading, "its content is empty", (*_AT, "content"))
        for index, block in enumerate(items(content)):
            if block.get("type") != "text":
                how = f"its content has a block of type {block.get('type')!r}"
                self.report(CONTENT, reading, how, (*_AT, "content", index, "type"))

    @property
    def _capability(self) -> tuple[str, ...]:
        return ("session" if self.peers.version == 2 else "sessionCapabilities", "systemPrompt")

    def _offers(self) -> bool:
        return offers(self.peers.agent, *self._capability)

    def _offers_mode(self, prompt: dict[str, object]) -> bool:
        mode = str(prompt.get("mode"))
        return mode == "append" or offers(self.peers.agent, *self._capability, "mode", mode)
