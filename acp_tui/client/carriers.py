"""How a client gets what carries its messages: a new one for each start and each lost connection."""

from collections.abc import Callable

from acp_tui.client.connection.transport import Carrier
from acp_tui.client.core import Core
from acp_tui.client.process.carrier import ProcessCarrier


def carriers_of(core: Core) -> Callable[[], Carrier]:
    """Return what makes the carriers of a launch, one after the other."""
    remote = core.launch.remote
    if remote is None:
        return lambda: ProcessCarrier(core)
    from http.cookiejar import CookieJar

    from acp_tui.client.remote.carrier import RemoteCarrier

    cookies = CookieJar()  # a balancer is to lead the next connection to the same place
    return lambda: RemoteCarrier(core, remote, cookies)
