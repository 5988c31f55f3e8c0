"""MQCB and MQCTL for ibmmq: one function of the package, its proxy, is called for every consumer.

The package keeps the user's functions by (hconn, hobj) and looks them up when its proxy is called, so a consumer here
is only the two numbers. The proxy knows a function after MQCB has returned and no longer once a deregistration has:
calls outside that time are not made. What a function raises is printed; the other consumers go on.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable

from libremq.compat import connection_handles, outcome
from libremq.compat.packed_structures import check_numbers, check_size, read, write
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.mqi.structs import MQCBC, MQCBD, MQCTLO, MQGMO, MQMD

Proxy = Callable[[int, bytes | None, bytes | None, bytes | None, bytes], object]

_proxy: Proxy | None = None
_registered: dict[tuple[int, int], _Consumer] = {}


class _Consumer:
    """A registration: turns a delivery of the binding into a call of the proxy."""

    __slots__ = ("gmo", "gone", "hconn", "md", "proxy")

    def __init__(self, proxy: Proxy, hconn: int, md: bytes, gmo: bytes) -> None:
        self.proxy = proxy
        self.hconn = hconn
        self.md = md
        self.gmo = gmo
        self.gone = False

    def __call__(self, md: MQMD | None, gmo: MQGMO | None, data: bytes | None, cbc: MQCBC) -> None:
        if self.gone:
            return
        try:
            cbc.BufferLength = len(data or b"")
            self.proxy(
                self.hconn,
                None if md is None else write(md, self.md),
                None if gmo is None else write(gmo, self.gmo),
                data or None,
                cbc.pack(version=C.MQCBC_VERSION_2),
            )
        except Exception:
            traceback.print_exc()


def MQCBINIT(proxy: Proxy) -> None:
    """Take the function to call for every consumer."""
    global _proxy
    if not callable(proxy):
        raise TypeError("MQCBINIT needs a callable")
    _proxy = proxy


def MQCB(hconn: int, operation: int, cbd: bytes, hobj: int, md: bytes, gmo: bytes) -> tuple[int, int]:
    """(cc, rc). Without hobj (0) it is for the event handler of the connection."""
    cbd_data, md_data, gmo_data = check_size(cbd, MQCBD), check_size(md, MQMD), check_size(gmo, MQGMO)
    check_numbers(hconn, operation, hobj)

    def call() -> None:
        connection = connection_handles.find(hconn)
        if _proxy is None:
            raise mq_error(C.MQRC_CALLBACK_ROUTINE_ERROR, detail="call MQCBINIT first")
        consumer = _Consumer(_proxy, hconn, md_data, gmo_data) if operation & C.MQOP_REGISTER else None
        connection.MQCB(
            operation, read(MQCBD, cbd_data), hobj, read(MQMD, md_data), read(MQGMO, gmo_data), function=consumer
        )
        if consumer is not None:
            _registered[hconn, hobj] = consumer
        elif operation & C.MQOP_DEREGISTER:
            _forget(hconn, hobj)

    return outcome.of(call)


def _forget(hconn: int, hobj: int) -> None:
    consumer = _registered.pop((hconn, hobj), None)
    if consumer is not None:
        consumer.gone = True


def forget_connection(hconn: int) -> None:
    """The connection is gone, and its consumers with it."""
    for key in [key for key in list(_registered) if key[0] == hconn]:
        _forget(*key)


def MQCTL(hconn: int, operation: int, ctlo: bytes) -> tuple[int, int]:
    """(cc, rc). MQOP_START returns at once; the calls come from a thread of the connection."""
    data = check_size(ctlo, MQCTLO)
    check_numbers(hconn, operation)
    return outcome.of(lambda: connection_handles.find(hconn).MQCTL(operation, read(MQCTLO, data)))
