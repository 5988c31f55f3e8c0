"""Channel names as server names of TLS (SNI), so that a queue manager can show the certificate of the channel.

A client says in its first message which server it wants; MQ's clients name the channel there. Capitals become small
letters, digits stay, everything else is its code in hexadecimal and a hyphen: TO.QM1 is `to2e-qm1.chl.mq.ibm.com`.
"""

from __future__ import annotations

import re

_SUFFIX = ".chl.mq.ibm.com"
_PIECE = re.compile(r"([0-9a-f]{2})-|([a-z0-9])")
_LENGTH_MAX = 60  # twenty characters that are all written as codes


def to_server_name(channel: str) -> str:
    """The server name that means a channel."""
    pieces = (
        char.lower() if "A" <= char <= "Z" or "0" <= char <= "9" else f"{ord(char) & 0xFF:02x}-" for char in channel
    )
    return "".join(pieces) + _SUFFIX


def from_server_name(name: str | None) -> str:
    """The channel that a server name means; empty if it means none."""
    text = (name or "").lower()
    if not text.endswith(_SUFFIX):
        return ""
    text = text.removesuffix(_SUFFIX)
    found = list(_PIECE.finditer(text))
    if len(text) > _LENGTH_MAX or "".join(piece[0] for piece in found) != text:
        return ""
    return "".join(chr(int(piece[1], 16)) if piece[1] else piece[2].upper() for piece in found)
