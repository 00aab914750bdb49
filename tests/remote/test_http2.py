"""An agent behind HTTP/2 whose server does not say how many streams it takes."""

from pathlib import Path

import pytest

from tests.fake_agent.script import Script
from tests.remote.bridge import bridged
from tests.remote.front import IS_HERE, fronted
from tests.remote.hosts import reaching

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not IS_HERE, reason="needs Node and openssl"),
]


@pytest.mark.slow
async def test_a_server_that_names_no_limit_of_streams_gets_more_than_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script().handshake().prompt().ask_permission()
    script.expect_answer("ask").chunk("over HTTP/2").end_turn()
    async with bridged(script.argv(tmp_path), tmp_path) as bridge:
        with fronted(bridge.port, tmp_path) as (port, certificate):
            monkeypatch.setenv("SSL_CERT_FILE", certificate)
            async with reaching(f"https://localhost:{port}/acp", tmp_path) as host:
                await host.opened()
                host.prompt()
                await host.allow()
                await host.turn_ended()
                assert host.said == "over HTTP/2"
                assert all("HTTP/2 200" in fact for fact in host.facts)
