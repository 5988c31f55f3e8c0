"""What commands tell of this installation of LibreMQ."""

from __future__ import annotations

import os

import libremq

INSTALLATION = "LibreMQ"


def installation_path() -> str:
    return os.path.dirname(os.path.abspath(libremq.__file__))
