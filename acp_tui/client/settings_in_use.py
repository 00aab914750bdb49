"""Applies settings that the user changes while an agent runs."""

from collections.abc import Callable
from dataclasses import replace

from pydantic import ValidationError

from acp_tui.client.core import Core
from acp_tui.config.limits import Limits
from acp_tui.config.settings import FileSettings, RecordingSettings, RestartSettings
from acp_tui.state.commands import UseSetting


class SettingsInUse:
    """Writes changed settings into the launch, where all parts read them; invalid values are
    reported.
    """

    def __init__(self, core: Core, limit_recording: Callable[[int], None] | None) -> None:
        """`limit_recording` limits the agent's recording, if there is one, to a number of bytes."""
        self._core = core
        self._limit_recording = limit_recording
        core.register({UseSetting: self._use})

    def _use(self, command: UseSetting) -> None:
        table, _, key = command.name.partition(".")
        launch, given = self._core.launch, {key: command.value}
        try:
            match table:
                case "files":
                    asks = FileSettings.model_validate(given).changed == "ask"
                    launch = replace(launch, ask_if_changed=asks)
                case "restart":
                    restart = RestartSettings.model_validate({**vars(launch.restart), **given})
                    launch = replace(launch, restart=restart)
                case "limits":
                    limits = Limits.model_validate({**vars(launch.limits), **given})
                    launch = replace(launch, limits=limits)
                case "recordings":
                    room = RecordingSettings.model_validate(given)
                    if self._limit_recording is not None:
                        self._limit_recording(room.limit)
                case "otel" if launch.export.use is not None:
                    trace = launch.export.use(command.value is True)
                    launch = replace(launch, export=replace(launch.export, trace=trace))
                    self._core.requests.trace = trace
        except ValidationError:
            self._core.notify(None, "warning", f"{command.name} can't be {command.value!r}")
        except Exception as error:
            self._core.notify(None, "warning", f"{command.name} can't be used", str(error))
        self._core.launch = launch
