"""How a connection is called: EXTCONN names the queue manager, CONN the connection in it; together 24 bytes.

It is the ConnectionId that the reply to MQCONN carries, too: what an application says of itself is what DISPLAY shows.
"""

from __future__ import annotations

_EYECATCHER = b"AMQC"
_NAME_BYTES = 12


def external_name(queue_manager: str) -> bytes:
    return _EYECATCHER + queue_manager[:_NAME_BYTES].ljust(_NAME_BYTES).encode("ascii", "replace")


def connection_name(hconn: int) -> bytes:
    return hconn.to_bytes(8, "big")


def connection_id(queue_manager: str, hconn: int) -> bytes:
    return external_name(queue_manager) + connection_name(hconn)


def hconn_of(name: str | bytes, queue_manager: str) -> int:
    """The connection that a CONN (8 bytes, or all 24 of PCF) means; 0 if it cannot be one."""
    try:
        given = name if isinstance(name, bytes) else bytes.fromhex(name)
    except ValueError:
        return 0
    if len(given) == 24 and given[:16] in (external_name(queue_manager), bytes(16)):
        given = given[16:]
    return int.from_bytes(given, "big") if len(given) == 8 else 0


def matches_connection(pattern: str | bytes, hconn: int) -> bool:
    """Whether the connection is meant by a full or generic CONN; a PCF name of zeros means all."""
    name = connection_name(hconn)
    if isinstance(pattern, bytes):
        return not pattern.strip(b"\0") or pattern[-8:] == name
    if pattern.endswith("*"):
        return name.hex().upper().startswith(pattern[:-1].upper())
    try:
        return bytes.fromhex(pattern)[-8:] == name
    except ValueError:
        return False
