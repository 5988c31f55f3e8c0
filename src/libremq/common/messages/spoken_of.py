"""Whom messages are about that do not say it themselves: the peer that is being served while they are said.

Much of what is said because of a peer names it nowhere (a wrong password, an authority that is missing), or names it
behind something that the peer has chosen, such as a user id that looks like an address. Who counts messages by address
asks here first. It goes with the callback or thread that serves the peer, as a context variable does.
"""

from __future__ import annotations

from contextvars import ContextVar

_peer: ContextVar[str] = ContextVar("libremq_peer", default="")


def speak_of(peer: str) -> None:
    """From now on, in this callback and what follows from it, a peer is served: `192.0.2.1(1414)`, as it came."""
    _peer.set(peer)


def spoken_of() -> str:
    """The address of that peer, without its port; "" if nobody is served, or somebody on this machine."""
    return _peer.get().partition("(")[0]
