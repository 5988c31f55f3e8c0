"""Connection handles: the integers that the packages hold, and the connections they stand for.

A number is never 0, because the packages test `if handle`, and never used twice, so that a late MQDISC of a dead
object cannot hit a newer connection. Object and message handles are those of the binding.
"""

from __future__ import annotations

import itertools

from libremq.client.verbs import MQI
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error

_connections: dict[int, MQI] = {}
_numbers = itertools.count(1)


def add(connection: MQI) -> int:
    """A new handle. Taking a number and storing are one step each for threads, so this needs no lock."""
    hconn = next(_numbers)
    _connections[hconn] = connection
    return hconn


def find(hconn: int) -> MQI:
    connection = _connections.get(hconn)
    if connection is None:
        raise mq_error(C.MQRC_HCONN_ERROR, detail=f"{hconn} is not the handle of a connection")
    return connection


def remove(hconn: int) -> MQI:
    """The connection that is being ended; nobody else finds it any more."""
    connection = _connections.pop(hconn, None)
    if connection is None:
        raise mq_error(C.MQRC_HCONN_ERROR, detail=f"{hconn} is not the handle of a connection")
    return connection
