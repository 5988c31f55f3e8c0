"""The host names of an address, for channel authentication rules that have some.

What the name service says of an address is the word of whoever owns that address: a name counts only if it leads back
to the same address. Asking may take long, so it is done by a thread, and only if a rule needs it and REVDNS allows it.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

from libremq.common.messages.amq_messages import amq
from libremq.security.address_patterns import address_parts

_LONG_S = 5.0


def host_names(address: str, say: Callable[[str], None]) -> tuple[str, ...]:
    """All names that are known; none if the name service does not answer."""
    began = time.monotonic()
    try:
        first, others, _ = socket.gethostbyaddr(address)
    except (OSError, UnicodeError):
        first, others = "", []
    names = tuple(name for name in dict.fromkeys((first, *others)) if name and _leads_to(name, address))
    if time.monotonic() - began > _LONG_S:
        say(amq(9788, address, int(_LONG_S)))
    return names


def _leads_to(name: str, address: str) -> bool:
    wanted = address_parts(address)
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return any(address_parts(str(one[4][0])) == wanted for one in found)
