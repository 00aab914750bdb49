"""HTTP/2 with TLS before a server of HTTP/1.1, by Node, which names no limit of streams."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NODE, OPENSSL = shutil.which("node"), shutil.which("openssl")
IS_HERE = NODE is not None and OPENSSL is not None
_FRONT = Path(__file__).with_name("http2_front.mjs")


@contextmanager
def fronted(port: int, folder: Path) -> Iterator[tuple[int, str]]:
    """Stand before a server; the port, and the file of the certificate to be trusted."""
    made, key = str(folder / "certificate.pem"), str(folder / "key.pem")
    words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    words += ["-days", "9", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(
        [str(OPENSSL), *words, "-out", made, "-keyout", key], check=True, capture_output=True
    )
    argv = [str(NODE), str(_FRONT), made, key, str(port)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as front:
        assert front.stdout is not None
        try:
            yield int(front.stdout.readline()), made
        finally:
            front.kill()
