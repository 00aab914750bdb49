"""Keys that come at once, as over a slow line or on a busy machine, are done in their order."""

from textual import events
from textual.app import App


class TypingAheadApp(App[None]):
    """Does a key that is pressed where nothing can be written before it looks at the next.

    A key travels from what has the focus up to the app, which then does what it is bound to.
    Those behind it would have been sent the same way by then: after `/`, what was meant for the
    search would be done by the transcript, which has a key for nearly every letter.
    """

    async def on_event(self, event: events.Event) -> None:
        """Take in an event; a key that is bound to nothing travels as always."""
        if (
            isinstance(event, events.Key)
            and not event.is_forwarded
            and getattr(self.focused, "TAKES_NO_TEXT", False)
            and (
                await self._check_bindings(event.key, priority=True)
                or await self._check_bindings(event.key)
            )
        ):
            return
        await super().on_event(event)
