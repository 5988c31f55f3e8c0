"""MQSERVER='CHANNEL/TCP/host(port),host2(port)': one client channel, in an environment variable.

The part after the second slash is a connection name (CONNAME), as channel definitions have it too: hosts in the order
in which they are tried, each with its port in parentheses, 1414 without. An IPv6 address may stand in brackets or bare.
"""

from __future__ import annotations

from typing import NamedTuple

from libremq.client import urls
from libremq.common.names.connection_name import connection_name
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import bad_value

VARIABLE = "MQSERVER"


class ServerVariable(NamedTuple):
    channel: str
    hosts: tuple[tuple[str, int], ...]


def parse(text: str) -> ServerVariable:
    """What a value of MQSERVER says."""
    # A channel name may have slashes itself, so the transport is what stands between the last two.
    parts = text.strip().rsplit("/", 2)
    if len(parts) < 3:
        raise bad_value(
            C.MQRC_CHANNEL_CONFIG_ERROR, VARIABLE, f"{text[:200]!r} is not like 'DEV.APP.SVRCONN/TCP/host(1414)'"
        )
    channel, transport, rest = parts
    if transport.upper() != "TCP":
        raise bad_value(
            C.MQRC_CHANNEL_CONFIG_ERROR, VARIABLE, f"{transport[:20]!r} is no transport of this release: use TCP"
        )
    return ServerVariable(urls.check_channel_name(channel, VARIABLE), connection_name(rest, VARIABLE))


def url(text: str, name: str) -> str:
    """The URL of a client connection to a queue manager by a value of MQSERVER."""
    server = parse(text)
    return urls.client_url(server.hosts, name, server.channel)
