"""A certificate for the queue manager under test, signed by itself, and a key repository that trusts it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


def make(server: Path, label: str, client: Path) -> bool:
    """The key repositories of both ends, the server's with a certificate of that label.

    False if the command openssl, which makes certificates, is not here.
    """
    openssl = shutil.which("openssl")
    if openssl is None:
        return False
    server.mkdir(parents=True, exist_ok=True)
    client.mkdir(parents=True, exist_ok=True)
    key, certificate = server / "key.tmp", client / "trust.pem"
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=QM1",
         "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    whole = server / f"{label or 'cert'}.pem"
    whole.touch(mode=0o600)
    whole.write_bytes(certificate.read_bytes() + key.read_bytes())
    key.unlink()
    return True
