"""Whom a connection trusts."""

import ssl
from pathlib import Path

import pytest

from acp_tui.client.remote.http import make_tls_context
from acp_tui.config.remote import Remote


def test_authorities_are_loaded_only_for_an_encrypted_connection_and_none_is_trusted_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(FileNotFoundError):
        make_tls_context(Remote("https://localhost/acp"))
    context = make_tls_context(Remote("http://localhost/acp"))
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.get_ca_certs() == []
