"""Sockets: how the system looks after a silent peer, what has not arrived there, what address this end has, and who."""

from __future__ import annotations

import asyncio
import socket
import struct

from libremq.common.silence import unacknowledged
from libremq.common.users_file import system_user
from libremq.kernel.objects.channel_definitions import TransportChannel
from libremq.mqi import constants as C

_IDLE_S = 60
_INTERVAL_S = 10
_PROBES = 5
_BEYOND_HEARTBEAT_S = 60  # KAINT(AUTO): so long after a heartbeat was due
_IDLE_MAX_S = 32767  # the most that Linux takes


def keep_alive(connection: socket.socket, idle_s: int = _IDLE_S) -> None:
    """The system looks whether a silent peer is still there: after a minute, then every ten seconds, five times."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    values = (("TCP_KEEPIDLE", min(idle_s, _IDLE_MAX_S)), ("TCP_KEEPINTVL", _INTERVAL_S), ("TCP_KEEPCNT", _PROBES))
    for option, value in values:
        if hasattr(socket, option):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


def follow_keep_alive(connection: socket.socket | None, channel: TransportChannel) -> None:
    """KAINT of a channel: seconds of silence, 0 for none; AUTO is a while longer than a heartbeat takes."""
    if connection is None:
        return
    idle_s = channel.kaint
    if idle_s == C.MQKAI_AUTO:
        idle_s = channel.hbint + _BEYOND_HEARTBEAT_S if channel.hbint else 0
    try:
        if idle_s:
            keep_alive(connection, idle_s)
        else:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 0)
    except OSError:
        pass  # it has just been closed


def untaken(transport: asyncio.Transport | None) -> int:
    """Bytes that were sent and did not arrive: those of the transport, and those of the system."""
    if transport is None:
        return 0
    connection = transport.get_extra_info("socket")
    return transport.get_write_buffer_size() + (unacknowledged(connection.fileno()) if connection is not None else 0)


def local_address_of(transport: asyncio.BaseTransport | None) -> str:
    """This end of a connection, as LOCLADDR shows it."""
    address = transport.get_extra_info("sockname") if transport is not None else None
    return f"{address[0]}({address[1]})" if isinstance(address, tuple) else ""


def peer_process(unix_socket: socket.socket) -> tuple[int, str]:
    """Who is at the other end of a Unix-domain socket, process and user: the system knows."""
    try:
        raw = unix_socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        process, user, _ = struct.unpack("3i", raw)
        return process, system_user(user)
    except (OSError, AttributeError):
        return 0, ""
