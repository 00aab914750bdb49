"""Who gets into the browser's UI."""

from itertools import count

import pytest

pytest.importorskip("aiohttp", reason="without the extra [web]")

from acp_tui.web.server import WebGate


def gate(url: str = "http://127.0.0.1:8000") -> WebGate:
    numbers = count(1)
    return WebGate(url, lambda: f"secret{next(numbers)}")


def test_a_link_lets_one_browser_in_once() -> None:
    one = gate()
    assert one.link == "http://127.0.0.1:8000/?token=secret1"
    assert one.admit("") is None
    assert one.admit("é") is None
    cookie = one.admit("secret1")
    assert cookie is not None
    assert one.is_admitted(cookie)
    assert one.admit("secret1") is None
    assert one.link.endswith("?token=secret2")
    assert not one.is_admitted("secret2")
    assert not one.is_admitted("")
    assert not one.is_admitted("\udcff")
    assert one.admit("\udcff") is None


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("127.0.0.1:8000", True),
        ("LOCALHOST:8000", True),
        ("[::1]:8000", True),
        ("127.0.0.1", False),
        ("127.0.0.1:80", False),
        ("evil.example:8000", False),
        ("127.0.0.1:8000.evil.example", False),
        ("", False),
    ],
)
def test_only_names_of_this_machine_are_ours(host: str, ours: bool) -> None:
    assert gate().is_own_host(host) is ours
    assert gate().is_own_origin(f"http://{host}") is ours
    assert not gate().is_own_origin(f"https://{host}")


@pytest.mark.parametrize("origin", ["", "null", "file://", "127.0.0.1:8000", "http://[bad"])
def test_a_page_without_an_address_is_not_ours(origin: str) -> None:
    assert not gate().is_own_origin(origin)


def test_an_address_of_the_newer_kind_is_known_by_all_names_of_this_machine() -> None:
    one = gate("http://[::1]:8000")
    assert one.link == "http://[::1]:8000/?token=secret1"
    assert all(map(one.is_own_host, ("[::1]:8000", "localhost:8000", "127.0.0.1:8000")))
    assert not gate("http://[fe80::1]:8000").is_own_host("localhost:8000")


def test_behind_a_proxy_only_its_name_is_ours() -> None:
    one = gate("https://tui.example.org")
    assert one.link == "https://tui.example.org/?token=secret1"
    assert one.is_secure
    assert one.is_own_host("tui.example.org")
    assert not one.is_own_host("localhost")
    assert one.is_own_origin("https://tui.example.org")
    assert not one.is_own_origin("http://tui.example.org")


def test_two_servers_of_one_machine_have_cookies_of_their_own() -> None:
    assert gate().cookie != gate("http://127.0.0.1:8001").cookie
