"""Connection names: the hosts and ports of a CONNAME, and the rules for either wherever they are written."""

from __future__ import annotations

import ipaddress
import re

from libremq.mqi import constants as C
from libremq.mqi.argument_errors import BadValue, bad_value

DEFAULT_PORT = 1414
HOSTS_MAX = 64
_HOST = re.compile(r"[^\s/?#@,:;()\[\]<>\"'\\\0-\x1f]{1,253}\Z")


def connection_name(text: str, where: str) -> tuple[tuple[str, int], ...]:
    """The hosts and ports of a CONNAME; `where` is named in errors."""
    places = text.split(",")
    if len(places) > HOSTS_MAX:
        raise bad_value(C.MQRC_HOST_NOT_AVAILABLE, where, f"it lists {len(places)} hosts; {HOSTS_MAX} is the most")
    return tuple(_place(place.strip(), where) for place in places)


def _place(text: str, where: str) -> tuple[str, int]:
    host, parenthesis, rest = text.partition("(")
    port, closed, after = rest.partition(")")
    if parenthesis and (not closed or after.strip()):
        raise bad_value(C.MQRC_HOST_NOT_AVAILABLE, where, f"a port stands in parentheses: {host[:64]}(1414)")
    host = host.strip()
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if is_ipv6(bare):
        host = bare
    elif ":" in host:
        raise bad_value(
            C.MQRC_HOST_NOT_AVAILABLE, where, f"a port stands in parentheses here: {host.partition(':')[0][:64]}(1414)"
        )
    else:
        check_host(host, where)
    return host, check_port(port.strip(), where) if parenthesis else DEFAULT_PORT


def is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def check_host(host: str, where: str) -> str:
    if _HOST.match(host) is None:
        raise bad_host(where, f"{host[:64]!r} is no host name" if host else "it names no host")
    return host


def check_port(text: str, where: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 5 and 1 <= int(text) <= 65535):
        raise bad_host(where, f"{text[:20]!r} is no port: use a number from 1 to 65535")
    return int(text)


def bad_host(url: str, detail: str) -> BadValue:
    return bad_value(C.MQRC_HOST_NOT_AVAILABLE, url, detail)
