"""Creates the carriers of a launch: a new one for each start and each lost connection."""

from collections.abc import Callable

from acp_tui.client.connection.transport import Carrier
from acp_tui.client.core import Core
from acp_tui.client.process.carrier import ProcessCarrier


def carriers_of(core: Core) -> Callable[[], Carrier]:
    """Return a function that makes a new carrier for each connection of a launch."""
    remote = core.launch.remote
    if remote is None:
        return lambda: ProcessCarrier(core)
    from http.cookiejar import CookieJar

    from acp_tui.client.remote.carrier import RemoteCarrier

    cookies = (
        CookieJar()
    )  # kept, so that a load balancer routes the next connection to the same server
    return lambda: RemoteCarrier(core, remote, cookies)
