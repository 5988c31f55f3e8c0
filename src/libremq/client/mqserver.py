"""MQSERVER='CHANNEL/TCP/host(port),host2(port)': one client channel, in an environment variable.

The part after the second slash is a connection name (CONNAME), as channel definitions have it too: hosts in the order
in which they are tried, each with its port in parentheses, 1414 without. An IPv6 address may stand in brackets or bare.
"""

from __future__ import annotations

from typing import NamedTuple

from libremq.client import urls
from libremq.client.api_errors import bad_value
from libremq.mqi import constants as C

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


def connection_name(text: str, where: str) -> tuple[tuple[str, int], ...]:
    """The hosts and ports of a CONNAME; `where` is named in errors."""
    places = text.split(",")
    if len(places) > urls.HOSTS_MAX:
        raise bad_value(C.MQRC_HOST_NOT_AVAILABLE, where, f"it lists {len(places)} hosts; {urls.HOSTS_MAX} is the most")
    return tuple(_place(place.strip(), where) for place in places)


def _place(text: str, where: str) -> tuple[str, int]:
    host, parenthesis, rest = text.partition("(")
    port, closed, after = rest.partition(")")
    if parenthesis and (not closed or after.strip()):
        raise bad_value(C.MQRC_HOST_NOT_AVAILABLE, where, f"a port stands in parentheses: {host[:64]}(1414)")
    host = host.strip()
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if urls.is_ipv6(bare):
        host = bare
    elif ":" in host:
        raise bad_value(
            C.MQRC_HOST_NOT_AVAILABLE, where, f"a port stands in parentheses here: {host.partition(':')[0][:64]}(1414)"
        )
    else:
        urls.check_host(host, where)
    return host, urls.check_port(port.strip(), where) if parenthesis else urls.DEFAULT_PORT


def url(text: str, name: str) -> str:
    """The URL of a client connection to a queue manager by a value of MQSERVER."""
    server = parse(text)
    return urls.client_url(server.hosts, name, server.channel)
